import { combine } from './form.ts';
import { ANSWERS } from './odd/answers.ts';
import { BACKENDS } from './odd/backends.ts';
import { CARRIAGE } from './odd/carriage.ts';
import { each, once, perSecond } from './odd/differences.ts';
import { GATEWAY } from './odd/gateway.ts';
import type { Difference, OddStyle } from './odd/odd-style.ts';
import { STATE } from './odd/state.ts';
import { STRICT } from './odd/strict.ts';
import { STYLES } from './style.ts';

const [plain] = STYLES;

const TOKEN = JSON.stringify({
  access_token: 'at',
  refresh_token: 'rt',
  expires_in_second: 7200,
  token_type: 'bearer',
  scope: 'public',
});

/** Writes integers as floats, such as `3000.0`. */
const floats = (json: unknown): string => JSON.stringify(json).replace(/:(\d+)([,}])/g, ':$1.0$2');

const escaped = (json: unknown): string =>
  JSON.stringify(json).replace(/[a-z]/g, (unit) => (unit === 'e' ? '\\u0065' : unit));

const DATE_BEHIND = { clockBehindMs: 20_000, futureMs: 0 } as const;

/** Differences from the style plain, each of a service that follows every rule. */
const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'refuses with 202': { refusal: () => 202 },
  'refuses with 202 and a token': { refusal: () => 202, refusalBody: TOKEN },
  'refuses with 201': { refusal: () => 201 },
  'refuses with 204': { refusal: () => 204 },
  'refuses with 302': { refusal: () => 302, headers: { location: '/login' } },
  'refuses with 304': { refusal: () => 304, errorBody: 'none' },
  'refuses with 400 and a token': { refusalBody: TOKEN },
  'refuses with 400 and an estimate': { refusalBody: '[{"estimate_id":"e"}]' },
  'refuses with 401 and WWW-Authenticate': {
    refusal: () => 401,
    headers: { 'www-authenticate': 'Bearer' },
  },
  'refuses with 402': { refusal: () => 402 },
  'refuses with 409': { refusal: () => 409 },
  'refuses with 422': { refusal: () => 422 },
  'refuses with 429 what is beyond an allowance': {
    refusal: (why) => (/quota|banned/.test(why) ? 429 : 400),
  },
  'refuses with 500': { refusal: () => 500, errorBody: 'html' },
  'refuses with 599': { refusal: () => 599 },
  'refuses with broken JSON': { refusalBody: '{"error":' },
  'drops connections without Authorization': { dropsUnauthorized: true },
  'is slow': { delayMs: 15 },
  'answers in chunks': { chunked: true },
  'closes each connection': { closes: true },
  'answers in chunks and closes': { chunked: true, closes: true },
  'writes headers in capitals': { upperCaseHeaders: true },
  'names no content type': { contentType: null },
  'names utf8 without a hyphen': { contentType: 'application/json;charset=utf8' },
  'names a quoted charset': { contentType: 'application/json; charset="UTF-8"' },
  'names a type with a suffix': { contentType: 'application/hal+json' },
  'names parameters of its own': { contentType: 'Application/JSON; v=1; charset=UTF-8' },
  'writes integers as floats': { write: floats },
  'writes JSON with line breaks': { write: (json) => `\n${JSON.stringify(json, null, 4)}\r\n` },
  'escapes letters in JSON': { write: escaped },
  'sends fields of its own': { extraFields: true },
  'sends carpool_tag as text': { tagAsText: true },
  'names the type bear': { tokenType: 'bear' },
  'names the type BEARER': { tokenType: 'BEARER' },
  'issues tokens for 30 seconds': { expiresIn: 30 },
  'issues tokens for a year': { expiresIn: 31_536_000 },
  'has a clock 20 s behind, and refuses the future': DATE_BEHIND,
  'has a clock 20 s behind': { clockBehindMs: 20_000, futureMs: 600_000 },
  'refuses the future': { futureMs: 0 },
  'accepts the future': { futureMs: Number.POSITIVE_INFINITY },
  'wants times with fractions': { timeForm: /\.\d+/ },
  'wants times without fractions': { timeForm: /^[^.]*$/ },
  'wants times with Z': { timeForm: /Z$/ },
  'wants times with an offset': { timeForm: /[+-]\d\d:\d\d$/ },
  'refuses a nostr used twice': { nostrOnce: true },
  'ends a family on a replay': { replayEndsFamily: true },
  'counts what it refuses': { failedCount: true },
  'counts what it refuses, and extends bans': {
    failedCount: true,
    extendsBan: true,
    banReach: 'tokens',
  },
  'bans everything': { banReach: 'everything' },
  'ends days at 05:45 UTC': { day: 18.25 },
  'counts the last 24 hours': { day: 'rolling' },
  'counts user tokens for each user': { userAllowancePer: 'user' },
  'signs the fields that it knows': {
    tokenFields: ['grant_type', 'scope', '_', 'nostr', 'refresh_token', 'auth_code'],
  },
  'refuses unknown fields': { refusesUnknownFields: true },
  'refuses empty fields': { refusesEmptyFields: true },
  'accepts departures for three hours': { aheadMinutes: 180 },
  'writes 100 Continue': { continuesUnasked: true },
  'answers one 503': once(503, 40),
  'answers one 503 with Retry-After': once(503, 40, { retryAfter: '1' }),
  'answers one 503 to a token request': once(503, 20, { endpoint: 'token' }),
  'answers one 503 to an estimate': once(503, 9, { endpoint: 'estimate' }),
  'answers one 429': once(429, 60),
  'answers one 500': once(500, 33),
  'answers each 50th with 503': each(503, 50),
  'answers 401 one time in five': each(401, 5),
  // Whether that is JSON is the choice of the reader: one rule may be broken by it.
  'writes a BOM': { write: (json) => `\ufeff${JSON.stringify(json)}` },
  'limits estimates, with Retry-After': perSecond(429, 40, {
    endpoint: 'estimate',
    retryAfter: '1',
  }),
};

/** Odd differences by kind; at most one of a kind is combined with another. */
const KINDS = [DIFFERENCES, CARRIAGE, ANSWERS, STATE, STRICT, GATEWAY, BACKENDS] as const;

/** Odd styles of services that follow every rule, or cannot be judged. */
export const ODD_STYLES: readonly OddStyle[] = KINDS.flatMap((kind) =>
  Object.entries(kind).map(([name, difference]) => ({ ...plain!, name, ...difference })),
);

/** All differences by name. */
const ALL: Readonly<Record<string, Difference>> = Object.assign({}, ...KINDS);

/** A style with all of these differences; of those that exclude each other, with the last. */
export function styleWith(names: readonly string[]): OddStyle {
  const chosen = names.map((name) => ALL[name] ?? {});
  return {
    ...plain!,
    ...(Object.assign({}, ...chosen) as Difference),
    name: names.join(', '),
    oddities: combine(chosen.map(({ oddities = {} }) => oddities)),
    headers: Object.assign({}, ...chosen.map(({ headers = {} }) => headers)),
  };
}

/** Parts of a style that concern its clock: two of them together may leave no time that it accepts. */
const OF_CLOCK = ['clockBehindMs', 'futureMs', 'date', 'timeForm'];
const MERGED = ['oddities', 'headers'];

const partsOf = (name: string): Set<string> => {
  const parts = Object.keys(ALL[name] ?? {}).filter((part) => !MERGED.includes(part));
  return new Set(parts.map((part) => (OF_CLOCK.includes(part) ? 'clock' : part)));
};

/** Checks whether a service can have all of these differences: it takes a refresh of its own tokens, for one. */
export function areCombinable(names: readonly string[]): boolean {
  const parts = names.flatMap((name) => [...partsOf(name)]);
  const limitsBodies = names.some((name) => name.startsWith('limits bodies'));
  if (names.includes('writes a BOM') || (limitsBodies && parts.includes('tokenText'))) return false;
  return new Set(parts).size === parts.length;
}
