import { DAY_MS, HOUR_MS } from '../days.ts';
import { part, type Script, type Scripts } from '../script/script-check.ts';
import { chain, get, refresh, user } from '../script/steps.ts';
import { endOf } from '../script/waits.ts';
import { WIDE_SCOPE } from './lineage.ts';

/** Longer than any period that a service is likely to set. */
const LONG_MS = 400 * DAY_MS;

/** Ages at which refresh_tokens are tried, each in days: the last that is accepted is near the period that is set. */
const AGES = [1, 7, 15, 31, 91, 181, 366] as const;

const KEPT: Script = { steps: [get('kept'), endOf('kept', LONG_MS), refresh('kept', 'end')] };

export const neverExpires: Scripts = {
  rules: ['lifecycle/refresh-never-expires'],
  check: { needs: { control: true } },
  metered: [KEPT],
  free: [
    KEPT,
    part('kinds', 'of refreshed tokens and of several scopes, beside newer ones', [
      ...chain('b', 'refreshed'),
      ...chain('c', 'c2', 'refreshed twice'),
      get('oldest'),
      // A service may keep a few only.
      get('newer'),
      get('newest'),
      get('several scopes', { scope: WIDE_SCOPE }),
      user("a user's newer token"),
      endOf('refreshed twice', LONG_MS),
      refresh('oldest', 'end 1'),
      refresh('refreshed', 'end 2'),
      refresh('refreshed twice', 'end 3'),
      refresh('several scopes', 'end 4'),
    ]),
    part('ages', 'at several ages', [
      ...AGES.map((days) => get(`${days} days`)),
      ...AGES.flatMap((days) => [
        endOf(`${days} days`, days * DAY_MS + HOUR_MS),
        refresh(`${days} days`, `refreshed after ${days} days`),
      ]),
    ]),
    part('three-years', 'after three years', [
      get('kept'),
      endOf('kept', 1_100 * DAY_MS),
      refresh('kept', 'end'),
    ]),
    part('user', 'user token', [
      user('kept'),
      endOf('kept', LONG_MS),
      refresh('kept', 'refreshed'),
      endOf('refreshed', LONG_MS),
      refresh('refreshed', 'end'),
    ]),
  ],
};
