import type { AllowanceKind } from '../../interface/index.ts';

/**
 * What the partners of one target may still ask for today, kept across runs by whoever starts them.
 * A run takes from it before it sends a token request, so that no number of runs ends in a ban.
 */
export interface Allowance {
  /** How many requests of that kind are left today; 0 for a partner that is held for banned. */
  left(partnerId: string, kind: AllowanceKind): Promise<number>;
  /**
   * Takes one request, kept before it resolves.
   *
   * @throws FareproofError `ALLOWANCE_USED_UP` where none is left, and as the keeping may fail
   */
  spend(partnerId: string, kind: AllowanceKind): Promise<void>;
  /**
   * Takes one user token request together with the first of these auth codes that was never sent, and
   * marks that code as used.
   *
   * @returns the code
   * @throws FareproofError as {@link Allowance.spend}, and `AUTH_CODES_USED_UP` where each was sent before
   */
  spendCode(partnerId: string, authCodes: readonly string[]): Promise<string>;
  /** Is told that the target refused what was spent. */
  refused(partnerId: string): Promise<void>;
}

/** Codes of the errors by which another partner may still do. */
export const NOTHING_LEFT: ReadonlySet<string> = new Set([
  'ALLOWANCE_USED_UP',
  'AUTH_CODES_USED_UP',
]);
