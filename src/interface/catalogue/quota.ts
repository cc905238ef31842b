import { DURATION_WORDS, LIMITS, numberWord, ordinalWord } from '../limits.ts';
import { must, rulesOf } from './rule.ts';

/** Rules for a service about the daily allowances and the ban. */
export const QUOTA_RULES = rulesOf('service', ['quota'], {
  'quota/platform-allows-10': must(
    `The service grants ${numberWord(LIMITS.platformTokensPerDay)} platform token requests in a day.`,
    'Limits',
  ),
  'quota/platform-refuses-11th': must(
    `The service refuses the ${ordinalWord(LIMITS.platformTokensPerDay + 1)} platform token request of a day.`,
    'Limits',
  ),
  'quota/user-allows-5': must(
    `The service grants ${numberWord(LIMITS.userTokensPerDay)} user token requests in a day.`,
    'Limits',
    {
      needs: ['quota', 'code'],
    },
  ),
  'quota/user-refuses-6th': must(
    `The service refuses the ${ordinalWord(LIMITS.userTokensPerDay + 1)} user token request of a day.`,
    'Limits',
    { needs: ['quota', 'code'] },
  ),
  'quota/refresh-allows-10': must(
    `The service grants ${numberWord(LIMITS.refreshesPerDay)} refreshes in a day.`,
    'Limits',
  ),
  'quota/refresh-refuses-11th': must(
    `The service refuses the ${ordinalWord(LIMITS.refreshesPerDay + 1)} refresh of a day.`,
    'Limits',
  ),
  'quota/counters-independent': must(
    'The service counts the three allowances separately.',
    'Limits',
    { needs: ['quota', 'code'] },
  ),
  'quota/ban-lasts-24h': must(
    `After an allowance is exceeded, the service refuses requests of that kind until ${DURATION_WORDS.ban} have passed.`,
    'Limits',
    { needs: ['quota', 'control'] },
  ),
  'quota/ban-lifts': must(
    `The service grants requests of a banned kind again after ${DURATION_WORDS.ban}.`,
    'Limits',
    { needs: ['quota', 'control'] },
  ),
  'quota/daily-reset': must(
    'An allowance that is used up but not exceeded is whole again the next day.',
    'Limits',
    { needs: ['quota', 'control'] },
  ),
  'quota/per-partner': must("One partner's ban does not affect another partner.", 'Limits'),
});
