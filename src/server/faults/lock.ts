import type { FaultsOf } from './fault.ts';

/** Faults of the rules on the lock of estimates. */
export const LOCK_FAULTS: FaultsOf<'lock'> = {
  'lock/default-10-minutes': {
    how: 'An estimate is locked for 5 minutes.',
    replace: { estimateLocks: (locks) => ({ ...locks, defaultMs: locks.defaultMs / 2 }) },
  },
  'lock/partner-60-minutes': {
    how: 'A specially agreed partner gets the default lock.',
    replace: { estimateLocks: (locks) => ({ ...locks, longMs: locks.defaultMs }) },
  },
};
