import { FareproofError } from '../../../interface/errors.ts';
import {
  ALLOWANCE_KINDS,
  ALLOWANCE_OF_GRANT,
  type AllowanceKind,
  type GrantType,
} from '../../../interface/limits.ts';
import type { TokenAttempt } from '../contract/messages.ts';

/** Allowances that a token request may count against: all where it names no known grant type. */
export function allowancesOf({ fields, body }: TokenAttempt): readonly AllowanceKind[] {
  const grant = fields['grant_type'];
  const isKnown =
    body === undefined && typeof grant === 'string' && Object.hasOwn(ALLOWANCE_OF_GRANT, grant);
  return isKnown ? [ALLOWANCE_OF_GRANT[grant as GrantType]] : ALLOWANCE_KINDS;
}

/**
 * Deducts a token request from what its check declared to spend.
 *
 * @throws FareproofError `ALLOWANCE_GUARD` if nothing is left
 */
export function deductDeclared(
  left: Record<AllowanceKind, number>,
  kinds: readonly AllowanceKind[],
): void {
  const over = kinds.find((kind) => left[kind] < 1);
  if (over !== undefined) {
    throw new FareproofError(
      'ALLOWANCE_GUARD',
      `a further ${over} token request was not sent: the check declares fewer`,
    );
  }
  for (const kind of kinds) left[kind]--;
}
