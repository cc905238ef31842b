import type { AllowanceKind } from '../../interface/index.ts';

/**
 * Remaining token requests of the partners of one target today, kept across runs. A run takes from it
 * before it sends a token request, so that no number of runs ends in a ban.
 */
export interface Allowance {
  /** Number of requests of a kind left today; 0 for a partner that counts as banned. */
  left(partnerId: string, kind: AllowanceKind): Promise<number>;
  /**
   * Takes one request; recorded before it resolves.
   *
   * @throws FareproofError `ALLOWANCE_USED_UP` if none is left, and as the keeping may fail
   */
  spend(partnerId: string, kind: AllowanceKind): Promise<void>;
  /**
   * Takes one user token request together with the first of these auth codes that was never sent, and
   * marks that code as used.
   *
   * @returns the code
   * @throws FareproofError as {@link Allowance.spend}, and `AUTH_CODES_USED_UP` if each was sent before
   */
  spendCode(partnerId: string, authCodes: readonly string[]): Promise<string>;
  /** Called when the target refused a request that was taken. */
  refused(partnerId: string): Promise<void>;
}

/** Codes of errors after which another partner may be tried. */
export const NOTHING_LEFT: ReadonlySet<string> = new Set([
  'ALLOWANCE_USED_UP',
  'AUTH_CODES_USED_UP',
]);
