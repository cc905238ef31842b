import { createHash } from 'node:crypto';
import type { Attempt, Form } from '../form.ts';
import { textOf } from '../state.ts';
import { ofEstimate, ofToken, refusing, setting } from './differences.ts';
import type { Difference } from './odd-style.ts';

const price = (of: NonNullable<Form['price']>): Difference => ({ oddities: { price: of } });

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** A number made of a text, the same each time. */
const numberOf = (text: string): number => Number.parseInt(md5(text).slice(0, 7), 16);

const bySeconds = (seconds: number, r: Attempt): number =>
  Math.floor(r.service.now() / (seconds * 1000));

let asked = 0;

/** Number of calls so far. */
function count(): number {
  asked += 1;
  return asked;
}

/** State of a service that is asked: many may run in one process. */
function ofService<T>(make: () => T): (r: Attempt) => T {
  const states = new WeakMap<Attempt['service'], T>();
  return ({ service }) => {
    const state = states.get(service) ?? make();
    states.set(service, state);
    return state;
  };
}

const keptOf = ofService(() => new Map<string, { atMs: number; price: number }>());

/** The price of a query, kept for some time, while others surge. */
const keptFor =
  (ms: number, key: (r: Attempt) => string): NonNullable<Form['price']> =>
  (r, usual) => {
    const id = `${key(r)} ${JSON.stringify(r.fields)}`;
    const nowMs = r.service.now();
    const kept = keptOf(r);
    const earlier = kept.get(id);
    if (earlier && earlier.atMs <= nowMs && nowMs - earlier.atMs < ms) return earlier.price;
    const fresh = usual + (count() % 89);
    kept.set(id, { atMs: nowMs, price: fresh });
    return fresh;
  };

/** A token as a reader of Base64 sees it that ignores bits of padding. */
const lenient = (text: string): string =>
  text
    .split('.')
    .map((part) => Buffer.from(part, 'base64').toString('hex'))
    .join('.');

const SQL = /('|--|;|\bunion\b|\bselect\b|<script|\.\.\/|%00|\u{0})/iu;

const usedOf = ofService(() => new Set<string>());

/** Time of a ban's begin of that partner, ms; 0 without one. */
const bannedAt = ({ partner }: Attempt): number =>
  Math.max(
    0,
    ...Object.values(partner?.bannedUntil ?? {}).map((until) => (until ?? 0) - 86_400_000),
  );

/** Services as frameworks, databases and caches make them. */
export const BACKENDS: Readonly<Record<string, Difference>> = {
  'wants times without a zone': { timeForm: /T\d\d:\d\d:\d\d(\.\d+)?$/ },
  'wants times in +08:00': { timeForm: /\+08:00$/ },
  'wants times in milliseconds': { timeForm: /\.\d{3}Z$/ },
  'accepts times 5 s older than ten minutes': {
    oddities: { forgives: (why, _r, at) => why === 'time-old' && Number(at) < 605_000 },
  },
  'accepts tokens 5 s after their end': {
    oddities: {
      forgives: (why, r) => why === 'expired' && r.service.now() - (r.token?.expires ?? 0) < 5_000,
    },
  },
  'ends tokens 1 s early': refusing(
    (r) =>
      r.endpoint === 'estimate' && r.service.now() > (r.token?.expires ?? 0) - 1_000 && 'expired',
  ),
  'issues user tokens for an hour and others for a day': {
    expiresIn: (kind) => (kind === 'user' ? 3600 : 86_400),
  },
  'issues refreshed tokens for half the time': {
    expiresIn: (kind) => (kind === 'refresh' ? 1800 : 3600),
  },
  'draws how long a token lives': { expiresIn: (_kind, chance) => 3000 + chance.drawBelow(900) },
  'lets auth codes expire after a minute': { codeLifeMs: 60_000 },
  'answers a request that comes twice as before': { repeatsAnswers: true },
  'refuses a nostr that any partner used': ofToken('nostr', ({ nostr }, r) => {
    const text = textOf(nostr);
    const used = usedOf(r);
    const isUsed = used.has(text);
    used.add(text);
    return isUsed;
  }),
  'refuses tokens of before a ban': refusing(
    (r) => r.endpoint === 'estimate' && (r.token?.issued ?? 0) < bannedAt(r) && 'token',
  ),
  'reads JWTs leniently': {
    tokenText: (unique) =>
      ['{"alg":"HS256"}', unique, `${unique}${unique}`.padEnd(32, '.').slice(0, 32)]
        .map((part) => Buffer.from(part).toString('base64url'))
        .join('.'),
    oddities: {
      findsToken: (text, tokens) => tokens.find((one) => lenient(one.text) === lenient(text)),
      findsRefresh: (text, refreshes) =>
        refreshes.find((one) => lenient(one.text) === lenient(text)),
    },
  },
  'has tokens with colons, commas and $': { tokenText: (unique) => `$2y$10:${unique},v=1;~!*'()` },
  'has tokens in capitals': { tokenText: (unique) => unique.toUpperCase() },
  'has tokens that are UUIDs': {
    tokenText: (unique) =>
      md5(unique).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  },
  'has estimate_ids with dots and letters of other scripts': {
    oddities: { estimateId: (r) => `估价.${r.service.serial('é')}.v1` },
  },
  'has estimate_ids of a counter': {
    oddities: { estimateId: (r) => String(100_000 + r.service.locks.size) },
  },
  'keeps the price of a query for ten minutes': price(keptFor(600_000, () => '')),
  'keeps the price of a query and partner for a minute': price(
    keptFor(60_000, ({ partner }) => partner?.id ?? ''),
  ),
  'keeps the price of a query and token for an hour': price(
    keptFor(3_600_000, ({ token }) => token?.text ?? ''),
  ),
  'rounds prices to 10 yuan': price((r, usual) => {
    const dearer = usual + (bySeconds(3, r) % 4) * 150;
    return Math.round(dearer / 1000) * 1000;
  }),
  'raises prices with each second': price((r, usual) => usual + (bySeconds(1, r) % 600)),
  'raises prices once': price((_r, usual) => usual + (count() > 900 ? 250 : 0)),
  'surges at random by half': price(({ service }, usual) =>
    service.chance.draw() < 0.3 ? usual * 1.5 : usual,
  ),
  'has a price of each partner': price((r, usual) => usual + (numberOf(r.partner?.id ?? '') % 500)),
  'is cheaper for users': price((r, usual) => usual - (r.asUser ? 300 : 0)),
  'has a price of each token': price((r, usual) => usual + (numberOf(r.token?.text ?? '') % 90)),
  'has a price of each name': price(
    (r, usual) => usual + (numberOf(textOf(r.fields['from_name'])) % 90),
  ),
  'has two experiments': price((r, usual) => usual + (numberOf(r.partner?.id ?? '') % 2) * 100),
  'is dearer for half an hour at night': { dearMinutes: [183, 213] },
  'is dearer for ten minutes': { dearMinutes: [1001, 1011] },
  'surges with another multiplier each time': {
    oddities: {
      price: ({ service }, usual) => usual * (10 + service.chance.drawBelow(30)),
      records: (record) => {
        record['dynamic'] = Number(record['estimate_price']) / 30_000;
      },
    },
  },
  'has no car at times': {
    oddities: { body: () => (count() % 7 === 0 ? [] : undefined) },
  },
  'has a car in one answer of four': {
    oddities: { body: () => (count() % 4 === 0 ? undefined : []) },
  },
  'has no car at times, and says 404': refusing(
    (r) => r.endpoint === 'estimate' && r.service.chance.draw() < 0.04 && 'parameter',
  ),
  'shares no seats at times': {
    oddities: {
      records: (record, { service }) => {
        if (service.chance.draw() > 0.2) return;
        delete record['carpool_tag'];
        delete record['carpool_info'];
      },
    },
  },
  'sends another vehicle each time': {
    oddities: {
      records: (record) => {
        record['car_type'] = count() % 7;
        record['time_in_second'] = 1400 + (count() % 300);
        record['distance_in_meter'] = 11_800 + (count() % 900);
      },
    },
  },
  'sends 60 kB of its own in each record': setting({ polyline: 'abcdefgh'.repeat(7500) }),
  'nests what it adds': setting({ ext: { a: [{ b: [[{ c: null }]] }] }, 'estimate_price ': -1 }),
  'spells numbers with a plus in the exponent': {
    write: (json) => JSON.stringify(json).replace(/(?<=[:[])(\d+)00(?=[ }\]])/g, '$1E+2'),
  },
  'writes long fractions': {
    write: (json) => JSON.stringify(json).replace(/:1\.2([ }])/g, ':1.2000000000000000111022302$1'),
  },
  'wants a User-Agent': refusing(({ agent }) => agent === undefined && 'agent'),
  'is a firewall for SQL': ofToken('field', (fields) => SQL.test(JSON.stringify(fields))),
  'is a firewall for SQL in queries': ofEstimate('parameter', (query) =>
    SQL.test(Object.values(query).join(' ')),
  ),
  'limits bodies to 512 bytes': {
    refusal: (why) => (why === 'size' ? 413 : 400),
    ...ofToken('size', (_fields, { raw }) => Buffer.byteLength(raw) > 512),
  },
  'limits bodies to 256 bytes': {
    refusal: (why) => (why === 'size' ? 413 : 400),
    ...ofToken('size', (_fields, { raw }) => Buffer.byteLength(raw) > 256),
  },
  'limits URLs to 500 bytes': {
    refusal: (why) => (why === 'size' ? 414 : 400),
    ...ofEstimate('size', (query) => String(new URLSearchParams(query)).length > 500),
  },
  'takes numbers as languages write them': {
    oddities: {
      forgives: (why, r, name) =>
        why === 'parameter-number' &&
        /^(0x[\da-f]+(p\d+)?|\d+(_\d+)*|\d+(\.\d+)?[df]|\p{Nd}+(\.\p{Nd}+)?)$/iu.test(
          textOf(r.fields[name]),
        ),
    },
  },
  'wants decimals in coordinates': ofEstimate(
    'parameter',
    (query) => !query['start_lat']?.includes('.') || !query['end_lng']?.includes('.'),
  ),
  'serves the north and east only': ofEstimate(
    'parameter',
    (query) => !(Number(query['start_lat']) > 0 && Number(query['start_lng']) > 0),
  ),
  'refuses trips to their own start': ofEstimate(
    'parameter',
    (query) => query['start_lat'] === query['end_lat'] && query['start_lng'] === query['end_lng'],
  ),
  'refuses trips of some streets': ofEstimate(
    'parameter',
    (query) => Math.abs(Number(query['start_lat']) - Number(query['end_lat'])) < 0.01,
  ),
  'takes coordinates with six digits at most': ofEstimate('parameter', (query) =>
    Object.entries(query).some(([name, one]) => /_l(at|ng)$/.test(name) && /\.\d{7}/.test(one)),
  ),
  'wants another place to go to': ofEstimate(
    'parameter',
    (query) => query['start_lat'] === query['end_lat'] && query['start_lng'] === query['end_lng'],
  ),
  'reads departures to the minute, in the next week': refusing((r) => {
    const { departure_time: time } = r.fields;
    if (r.endpoint !== 'estimate' || time === undefined) return false;
    const aheadMs = Number(time) * 1000 - r.service.now();
    return (!(aheadMs > -600_000) || aheadMs > 7 * 86_400_000) && 'parameter';
  }),
};
