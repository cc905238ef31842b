import { FareproofError, type ProfilePartner, type TargetProfile } from '../../interface/index.ts';
import type { LoadIdentity } from '../workload/requests.ts';

const CONTROL_TIMEOUT_MS = 10_000;

/**
 * Makes a partner with whole allowances by the target's control API; for load as a user with an auth
 * code.
 *
 * @throws FareproofError `CONTROL_FAILED`
 */
export async function makeFreshPartner(
  control: NonNullable<TargetProfile['control']>,
  identity: LoadIdentity,
): Promise<ProfilePartner> {
  const { partnerId, signingKey } = await post(control, '/partners', {});
  if (typeof partnerId !== 'string' || typeof signingKey !== 'string') {
    throw controlFailed('POST /partners answered no partnerId and signingKey');
  }
  const partner = { id: partnerId, signingKey, use: 'general' as const };
  if (identity === 'platform') return { ...partner, authCodes: [] };
  const { authCode } = await post(control, '/auth-codes', { partnerId, userId: 'load' });
  if (typeof authCode !== 'string') throw controlFailed('POST /auth-codes answered no authCode');
  return { ...partner, authCodes: [authCode] };
}

async function post(
  { url, token }: NonNullable<TargetProfile['control']>,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const { request } = await import('undici');
  try {
    const answer = await request(url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CONTROL_TIMEOUT_MS),
    });
    const value = (await answer.body.json()) as Record<string, unknown> | null;
    if (Math.trunc(answer.statusCode / 100) === 2 && value !== null) return value;
    throw controlFailed(`POST ${path} answered ${answer.statusCode}`);
  } catch (error) {
    if (error instanceof FareproofError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw controlFailed(`POST ${path}: ${code ?? message}`);
  }
}

function controlFailed(what: string): FareproofError {
  return new FareproofError(
    'CONTROL_FAILED',
    `The control API: ${what}; check control.url and control.token in the profile.`,
  );
}
