import { randomBytes } from 'node:crypto';
import type { LockOwner, LockWorld } from '../../src/conformance/index.ts';

/** A process as the lock of a ledger knows it. */
export const OWNER: LockOwner = {
  processId: 42,
  processStart: '1',
  host: 'here',
  bootId: 'boot-1',
  pidNamespace: 'pid:[1]',
};

/** Surroundings of a lock in which nobody else is alive, and no time passes in a sleep. */
export function lockWorld(changes: Partial<LockWorld> = {}): LockWorld {
  return {
    owner: OWNER,
    isAlive: () => false,
    wall: Date.now,
    sleep: async () => {},
    nonce: () => randomBytes(8).toString('hex'),
    ...changes,
  };
}
