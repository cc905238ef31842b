import type { Ledger } from './ledger.ts';

/** A ledger that is opened when a run first spends, and is its own until it closes it. */
export interface LedgerSource {
  /**
   * @throws FareproofError `LEDGER_IN_USE`, `LEDGER_NOT_WRITABLE` or `LEDGER_BROKEN`
   * @throws ConfigurationError `STATE_DIRECTORY_UNKNOWN` for the ledger of a user without a home directory
   */
  open(): Promise<Ledger>;
  /** Called with what the user should know: that a run waits for another one, or that a clock is wrong. */
  readonly onNote?: ((message: string) => void) | undefined;
}

/** Ledger of a run; `none` records nothing, so that several runs may exceed an allowance together. */
export type LedgerChoice = LedgerSource | 'none';
