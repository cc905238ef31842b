import type { ServiceRuleText } from './rule.ts';

/** Rules for a service about the daily allowances and the ban. */
export const QUOTA_RULES = [
  {
    id: 'quota/platform-allows-10',
    level: 'must',
    statement: 'The service grants ten platform token requests in a day.',
    section: 'Limits',
    needs: ['quota'],
  },
  {
    id: 'quota/platform-refuses-11th',
    level: 'must',
    statement: 'The service refuses the eleventh platform token request of a day.',
    section: 'Limits',
    needs: ['quota'],
  },
  {
    id: 'quota/user-allows-5',
    level: 'must',
    statement: 'The service grants five user token requests in a day.',
    section: 'Limits',
    needs: ['quota', 'code'],
  },
  {
    id: 'quota/user-refuses-6th',
    level: 'must',
    statement: 'The service refuses the sixth user token request of a day.',
    section: 'Limits',
    needs: ['quota', 'code'],
  },
  {
    id: 'quota/refresh-allows-10',
    level: 'must',
    statement: 'The service grants ten refreshes in a day.',
    section: 'Limits',
    needs: ['quota'],
  },
  {
    id: 'quota/refresh-refuses-11th',
    level: 'must',
    statement: 'The service refuses the eleventh refresh of a day.',
    section: 'Limits',
    needs: ['quota'],
  },
  {
    id: 'quota/counters-independent',
    level: 'must',
    statement: 'The service counts the three allowances separately.',
    section: 'Limits',
    needs: ['quota', 'code'],
  },
  {
    id: 'quota/ban-lasts-24h',
    level: 'must',
    statement:
      'After an allowance is exceeded, the service refuses requests of that kind until 24 hours have passed.',
    section: 'Limits',
    needs: ['quota', 'control'],
  },
  {
    id: 'quota/ban-lifts',
    level: 'must',
    statement: 'The service grants requests of a banned kind again after 24 hours.',
    section: 'Limits',
    needs: ['quota', 'control'],
  },
  {
    id: 'quota/daily-reset',
    level: 'must',
    statement: 'An allowance that is used up but not exceeded is whole again the next day.',
    section: 'Limits',
    needs: ['quota', 'control'],
  },
  {
    id: 'quota/per-partner',
    level: 'must',
    statement: "One partner's ban does not affect another partner.",
    section: 'Limits',
    needs: ['quota'],
  },
] as const satisfies readonly ServiceRuleText[];
