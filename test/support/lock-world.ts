import { randomBytes } from 'node:crypto';
import type { LockOwner, LockWorld } from '../../src/conformance/index.ts';

/** A process as a lock file identifies it. */
export const OWNER: LockOwner = {
  processId: 42,
  processStart: '1',
  host: 'here',
  bootId: 'boot-1',
  pidNamespace: 'pid:[1]',
};

/** Dependencies of a lock in which no other process is alive, and a sleep takes no time. */
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
