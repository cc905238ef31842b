import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import type { ClientRuleId } from '../../../interface/catalogue.ts';
import type { ClientCheck } from './check.ts';

type Secret = NonNullable<ParsedRequest['misplaced']>[number]['secret'];

/** Places of keys, tokens and codes (interface.md, "Authentication" and "Signature algorithm"). */
export const SECRET_CHECKS: readonly ClientCheck[] = [
  inPlace(
    'client/key-never-sent',
    ['signing_key'],
    'the signing key makes signatures, and is never sent',
    'the signing key is never sent',
  ),
  inPlace(
    'client/secrets-in-place',
    ['access_token', 'refresh_token', 'auth_code'],
    'tokens and codes only where the interface puts them, and to no other origin',
    'tokens and codes are only where the interface puts them',
  ),
];

function inPlace(
  rule: ClientRuleId,
  secrets: readonly Secret[],
  expected: string,
  passed: string,
): ClientCheck {
  return {
    rule,
    judge: ({ requests, redirected }) => {
      const all = [...requests, ...redirected];
      const violations = all.flatMap(({ id, misplaced = [] }) => {
        const wrong = misplaced.filter(({ secret }) => secrets.includes(secret));
        const words = wrong.map(
          ({ secret, place }) => `the ${secret.replace('_', ' ')} in ${place}`,
        );
        return wrong.length === 0 ? [] : { exchange: id, expected, got: words.join('; ') };
      });
      const judged = all.map(({ id }) => id);
      return { violations, judged, passed, missing: 'no request was sent' };
    },
  };
}
