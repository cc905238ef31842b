import { type FaultsOf, fault } from './fault.ts';

/** Faults of the rules on the lock of estimates. */
export const LOCK_FAULTS: FaultsOf<'lock'> = {
  'lock/default-10-minutes': fault('An estimate is locked for 5 minutes.', {
    estimateLocks: (locks) => ({ ...locks, defaultMs: locks.defaultMs / 2 }),
  }),
  'lock/partner-60-minutes': fault('A specially agreed partner gets the default lock.', {
    estimateLocks: (locks) => ({ ...locks, longMs: locks.defaultMs }),
  }),
};
