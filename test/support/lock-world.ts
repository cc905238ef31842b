import { randomBytes } from 'node:crypto';
import type { Ledger, LedgerSource, LedgerWorld, LockOwner } from '../../src/spending/index.ts';

/** A process as a lock file identifies it. */
export const OWNER: LockOwner = {
  processId: 42,
  processStart: '1',
  host: 'here',
  bootId: 'boot-1',
  pidNamespace: 'pid:[1]',
};

/** Dependencies of a ledger in which no other process is alive, and a sleep takes no time. */
export function lockWorld(changes: Partial<LedgerWorld> = {}): LedgerWorld {
  const { wall = Date.now } = changes;
  return {
    owner: OWNER,
    isAlive: () => false,
    wall,
    uptimeMs: wall,
    sleep: async () => {},
    nonce: () => randomBytes(8).toString('hex'),
    ...changes,
  };
}

/** Source of a ledger that is open already, and stays so after a run. */
export function openedLedger(ledger: Ledger): LedgerSource {
  return { open: async () => ({ ...ledger, close: () => undefined }) };
}
