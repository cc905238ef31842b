import type { ServiceRuleText } from './rule.ts';

/** Rules for a service about the lock of an estimate. */
export const LOCK_RULES = [
  {
    id: 'lock/default-10-minutes',
    level: 'must',
    statement: 'An estimate is locked for 10 minutes, and no longer.',
    section: 'Limits',
    needs: ['control'],
  },
  {
    id: 'lock/partner-60-minutes',
    level: 'must',
    statement: 'For a specially agreed partner, an estimate is locked for 60 minutes.',
    section: 'Limits',
    needs: ['control'],
  },
] as const satisfies readonly ServiceRuleText[];
