import { FareproofError } from '../../../interface/errors.ts';
import {
  ALLOWANCE_KINDS,
  ALLOWANCE_OF_GRANT,
  type AllowanceKind,
  type GrantType,
} from '../../../interface/limits.ts';
import type { TokenAttempt } from '../contract/request.ts';

/**
 * Takes a request off what a check may still send, by allowance.
 *
 * @throws FareproofError `ALLOWANCE_GUARD` where nothing is left
 */
export function takeAllowed(
  allowed: Record<AllowanceKind, number>,
  kinds: readonly AllowanceKind[],
): void {
  const over = kinds.find((kind) => allowed[kind] < 1);
  if (over !== undefined) {
    throw new FareproofError(
      'ALLOWANCE_GUARD',
      `a further ${over} token request was not sent: the check declares fewer`,
    );
  }
  for (const kind of kinds) allowed[kind]--;
}

/** What a token request may count for: each kind where it names none of the three. */
export function kindsOf(attempt: TokenAttempt): readonly AllowanceKind[] {
  const grant = attempt.fields['grant_type'];
  const known =
    typeof grant === 'string' &&
    Object.hasOwn(ALLOWANCE_OF_GRANT, grant) &&
    attempt.body === undefined;
  return known ? [ALLOWANCE_OF_GRANT[grant as GrantType]] : ALLOWANCE_KINDS;
}
