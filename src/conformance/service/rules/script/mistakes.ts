import type { ServiceRuleId } from '../../../../interface/catalogue.ts';
import type { CheckContext } from '../../contract/check.ts';
import type { TokenAttempt } from '../../contract/messages.ts';

/** Mistake of a token request that must be refused whatever its token or allowance. */
export type Mistake = 'signature' | 'time' | 'nostr' | 'code';

/** Rule that a service breaks if it accepts a mistake. */
export const RULE_OF_MISTAKE = {
  signature: 'signature/invalid-refused',
  time: 'token/timestamp-expired',
  nostr: 'token/nostr-length',
  code: 'token/auth-code-unknown',
} as const satisfies { readonly [mistake in Mistake]: ServiceRuleId };

/** Checks whether a mistake is one on this target: the test environment accepts any time. */
export const isMistake = ({ facts }: CheckContext, mistake: Mistake): boolean =>
  mistake !== 'time' || facts.environment !== 'test';

/** Makes a mistake in a token request. */
export function withMistake(
  { random, timestamp }: Pick<CheckContext, 'random' | 'timestamp'>,
  mistake: Mistake | undefined,
  fields: TokenAttempt['fields'],
): Pick<TokenAttempt, 'fields' | 'signature'> {
  if (mistake === 'signature') return { fields, signature: random.hex(32) };
  if (mistake === 'time') return { fields: { ...fields, _: timestamp(3_600) } };
  if (mistake === 'nostr') return { fields: { ...fields, nostr: random.nostr(5) } };
  if (mistake === 'code')
    return { fields: { ...fields, auth_code: `never-issued-${random.text(12)}` } };
  return { fields };
}
