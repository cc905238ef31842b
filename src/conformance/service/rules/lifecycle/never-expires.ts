import { WIDE_SCOPE } from './lineage.ts';
import { chain, DAY_MS, endOf, get, refresh, type Script, user } from './steps.ts';

/** Longer than any period that a service is likely to set. */
const LONG_MS = 400 * DAY_MS;

export const NEVER_EXPIRES: Script = {
  steps: [get('kept'), endOf('kept', LONG_MS), refresh('kept', 'end')],
};

export const NEVER_EXPIRES_PARTS: readonly Script[] = [
  {
    name: 'kinds',
    circumstance: 'of refreshed tokens and of several scopes, beside newer ones',
    steps: [
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
    ],
  },
  {
    name: 'three-years',
    circumstance: 'after three years',
    steps: [get('kept'), endOf('kept', 1_100 * DAY_MS), refresh('kept', 'end')],
  },
  {
    name: 'user',
    circumstance: "of a user's token",
    steps: [
      user('kept'),
      endOf('kept', LONG_MS),
      refresh('kept', 'refreshed'),
      endOf('refreshed', LONG_MS),
      refresh('refreshed', 'end'),
    ],
  },
];
