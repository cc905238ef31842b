import type { Form } from '../form.ts';
import { trim } from '../reading-signature.ts';
import type { Difference } from './odd-style.ts';

const reading = (steps: ReturnType<NonNullable<Form['reading']>>): Difference => ({
  oddities: { reading: () => steps },
});

const isNothing = (value: unknown): boolean => value === '' || value === undefined;

/** Services that answer otherwise what the interface leaves open about tokens, allowances and signing. */
export const STATE: Readonly<Record<string, Difference>> = {
  'ends a platform token with its refresh': {
    oddities: {
      ends: (older, _newer, r, isEnded) =>
        isEnded || (r.refresh !== null && older === r.refresh.access),
    },
  },
  'has one user token per partner': {
    oddities: {
      ends: (older, newer, _r, isEnded) => isEnded || (older.user !== null && newer.user !== null),
    },
  },
  'ends all tokens of a family on a replay': {
    replayEndsFamily: true,
    oddities: {
      forgives: (why, r) => {
        if (why !== 'refresh-used') return false;
        for (const one of r.service.refreshes.values())
          if (one.family === r.refresh?.family) one.access.endedAt ??= r.service.now();
        return false;
      },
    },
  },
  'exchanges an auth_code again': { keepsCodes: true },
  'burns an auth_code with a refusal': { burns: ['code'] },
  'burns a refresh_token with a refusal': { burns: ['refresh'] },
  'narrows the scope of a refresh to public': { scopeOf: (asked) => asked ?? 'public' },
  'widens a scope on refresh': { scopeOf: (asked, before) => asked ?? before ?? 'public' },
  'grants what a token had': { scopeOf: (asked, before) => before ?? asked ?? 'public' },
  'refuses a nostr of a refused request': { nostrOnce: 'refused too' },
  'counts requests with a wrong signature': { failedCount: (why) => why === 'signature' },
  'counts requests with a right signature': {
    failedCount: (why) => ['time', 'nostr', 'refresh', 'code', 'field', 'scope'].includes(why),
  },
  'counts what it refuses, and bans tokens': { failedCount: true, banReach: 'tokens' },
  'counts what it refuses, over 24 hours': { failedCount: true, day: 'rolling' },
  'counts what it refuses, and bans everything': {
    failedCount: true,
    banReach: 'everything',
    extendsBan: true,
  },
  'bans all token requests': { banReach: 'tokens' },
  'extends bans': { extendsBan: true },
  'extends bans of everything': { extendsBan: true, banReach: 'everything' },
  'ends days at midnight of +08:00': { day: 8 },
  'ends days at midnight of -08:00': { day: -8 },
  'ends days at midnight of -03:30': { day: -3.5 },
  'counts the last 24 hours, for each user': { day: 'rolling', userAllowancePer: 'user' },
  'signs query values as they are spelled': { signsEncoded: true },
  'signs some parameters': {
    estimateFields: [
      'from_name',
      'to_name',
      'start_lat',
      'start_lng',
      'end_lat',
      'end_lng',
      'imei',
    ],
  },
  'signs two fields': { tokenFields: ['_', 'nostr'] },
  'signs grant_type, _ and nostr': { tokenFields: ['grant_type', '_', 'nostr'] },
  'signs empty lists and null': reading({
    isEmpty: isNothing,
    spell: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  }),
  'signs empty lists': reading({ isEmpty: (value) => isNothing(value) || value === null }),
  'leaves the text 0 out': reading({
    isEmpty: (value) =>
      isNothing(value) ||
      value === null ||
      value === '0' ||
      (Array.isArray(value) && value.length === 0),
  }),
  'signs booleans as numbers': reading({
    isEmpty: (value) =>
      isNothing(value) ||
      value === null ||
      value === false ||
      (Array.isArray(value) && value.length === 0),
    spell: (value) =>
      value === true ? '1' : typeof value === 'string' ? value : JSON.stringify(value),
  }),
  'signs slashes as they are': reading({ list: (value) => JSON.stringify(value) }),
  'trims all whitespace of Unicode': reading({
    trimName: (text) => text.trim(),
    trimValue: (text) => text.trim(),
  }),
  'trims NUL': reading({
    trimName: (text) => trim(text).replace(/^\0+|\0+$/g, ''),
    trimValue: (text) => trim(text).replace(/^\0+|\0+$/g, ''),
  }),
  'takes any case of the scheme, and spaces': {
    oddities: {
      forgives: (why, r) =>
        why === 'authorization-shape' && r.separator === '|' && r.scheme.toLowerCase() === 'bearer',
    },
  },
  'takes the paths with a slash after them': {
    oddities: { serves: (path) => path === '/v1/estimates/prices/' },
  },
  'serves /v2 too': { oddities: { serves: (path) => path === '/v2/estimates/prices' } },
  'takes times of the year that has 60 seconds': { timeForm: /^\d{4}-\d\d-\d\dT/ },
  'takes times with Z or +08:00': { timeForm: /(Z|\+08:00)$/ },
  'wants times to the second': { timeForm: /T\d\d:\d\d:\d\d/ },
  'has a clock 25 s ahead': { clockBehindMs: -25_000 },
  'has a clock 2 s ahead': { clockBehindMs: -2_000 },
  'has a clock 100 s behind, and accepts the future': {
    clockBehindMs: 100_000,
    futureMs: Number.POSITIVE_INFINITY,
  },
  'has a clock 8 s behind, and no Date': { clockBehindMs: 8_000, date: 'none' },
  'has a clock 20 s behind, and no Date': { clockBehindMs: 20_000, date: 'none' },
  'has a clock 20 s ahead, and no Date': { clockBehindMs: -20_000, date: 'none' },
};
