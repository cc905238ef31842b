import type { LedgerChoice, LedgerSource } from './ledger-source.ts';
import { ledgerFile } from './this-process.ts';

/** The ledger that a run spends by; left out, the one that the command uses. Null for none. */
export function chosenLedger(choice: LedgerChoice | undefined): LedgerSource | null {
  return choice === 'none' ? null : (choice ?? ledgerFile());
}
