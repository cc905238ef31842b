import { TOKEN_PATH } from '../../../interface/limits.ts';
import { sign } from '../../../interface/signature.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import type { SeededRandom } from '../../seeded-random.ts';

/** Issues a user token as another system of the partner would, with an auth code of its own. */
export async function issueElsewhere(
  baseUrl: string,
  partner: PartnerCredentials,
  authCode: string,
  source: SeededRandom,
  nowMs: number,
): Promise<void> {
  const fields = {
    grant_type: 'authorization_code',
    auth_code: authCode,
    scope: 'public rides.read rides.request',
    _: new Date(nowMs).toISOString(),
    nostr: source.nostr(),
  };
  await fetch(baseUrl + TOKEN_PATH, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${partner.id}|${sign(fields, partner.signingKey)}`,
    },
    body: JSON.stringify(fields),
  });
}
