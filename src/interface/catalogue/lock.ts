import { DURATION_WORDS } from '../limits.ts';
import { must, rulesOf } from './rule.ts';

/** Rules for a service about the lock of an estimate. */
export const LOCK_RULES = rulesOf('service', ['control'], {
  'lock/default-10-minutes': must(
    `An estimate is locked for ${DURATION_WORDS.estimateLock}, and no longer.`,
    'Limits',
  ),
  'lock/partner-60-minutes': must(
    `For a specially agreed partner, an estimate is locked for ${DURATION_WORDS.longEstimateLock}.`,
    'Limits',
  ),
});
