export { type Allowance, allowanceIn, NOTHING_LEFT } from './allowance.ts';
export { chosenLedger } from './chosen-ledger.ts';
export { ALLOWANCE_WINDOW_MS } from './entry.ts';
export {
  type HeldLock,
  isHeldHere,
  LockHeldError,
  type LockOwner,
  type LockWorld,
  takeLock,
} from './file-lock.ts';
export { type Ledger, type LedgerWorld, openLedger, type Since } from './ledger.ts';
export type { LedgerChoice, LedgerSource } from './ledger-source.ts';
export { type MemoryLedger, memoryLedger } from './memory-ledger.ts';
export { startsAnew } from './starts-anew.ts';
export { identityOf } from './target-identity.ts';
export { ledgerFile, PROCESS_PLACE, processWorld } from './this-process.ts';
export { firstWholeAgainMs, NOT_RESTARTED, whatHelps } from './what-helps.ts';
