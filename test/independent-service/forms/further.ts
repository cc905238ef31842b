import type { Attempt, Fields, Form, ServiceState } from '../form.ts';
import { signatureOf } from '../reading-signature.ts';
import { type AccessToken, type Counted, DAY_MS, type Kind, type Lock, textOf } from '../state.ts';
import { answer, forgive, prefixOfSignature, refuse } from './base.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Notes of a part of the service, by service. */
const notes = new WeakMap<ServiceState, Map<unknown, number>>();

const notesOf = (service: ServiceState): Map<unknown, number> => {
  const own = notes.get(service) ?? new Map<unknown, number>();
  notes.set(service, own);
  return own;
};

/** Notes a key of each estimate that is served. */
const notesServed = (keyOf: (r: Attempt) => unknown): Form => ({
  records: (_one, r) => {
    notesOf(r.service).set(keyOf(r), r.service.now());
  },
});

const wasNoted = (r: Attempt, key: unknown, withinMs: number): boolean =>
  r.service.now() - (notesOf(r.service).get(key) ?? Number.NEGATIVE_INFINITY) < withinMs;

/** A gateway that answers a query again, whoever asks, for a minute. */
const cachedByUrl = (why: string): Form => ({
  ...notesServed((r) => JSON.stringify(r.fields)),
  ...forgive(
    why,
    (r) => r.endpoint === 'estimate' && wasNoted(r, JSON.stringify(r.fields), MINUTE_MS),
  ),
});

/** A gateway that authenticates a connection, not each request. */
const byConnection = (why: string): Form => ({
  ...notesServed((r) => r.connection),
  ...forgive(why, (r) => r.endpoint === 'estimate' && wasNoted(r, r.connection, DAY_MS)),
});

const token = (isAccepted: (r: Attempt, sent: string, right: string) => boolean): Form => ({
  signs: (r, _isSigned, pairs) =>
    r.endpoint === 'token' &&
    r.partner !== null &&
    isAccepted(r, r.signature?.toLowerCase() ?? '', signatureOf(pairs, r.partner.key)),
});

const body = (reads: (raw: string) => unknown): Form => ({
  reads: (raw) => {
    try {
      return reads(raw);
    } catch {
      return undefined;
    }
  },
  ...forgive('body'),
});

const old = (maxMs: number): Form => forgive('time-old', (_r, ageMs) => Number(ageMs) <= maxMs);

const tooOld = (maxMs: number): Form =>
  refuse(
    'time',
    (r) =>
      r.endpoint === 'token' &&
      r.service.environment !== 'test' &&
      r.service.now() - Date.parse(textOf(r.fields['_'])) > maxMs,
  );

const nostr = (pattern: RegExp): Form =>
  forgive('nostr-alphabet', (_r, text) => pattern.test(text));

const scope = (change: (scope: string) => string, kind?: Kind): Form =>
  answer((json, r) => {
    if (r.fields['scope'] !== undefined && (kind === undefined || r.kind === kind))
      json['scope'] = change(textOf(json['scope']));
  });

const scopeGranted = (isEnough: (scopes: readonly string[]) => boolean): Form =>
  forgive('scope', (r) => isEnough((r.token?.scope ?? '').split(' ')));

const earlier = (r: Attempt, ms: number): boolean =>
  r.token !== null && r.service.now() > r.token.expires - ms;

const early = (isRefused: (token: AccessToken, r: Attempt) => boolean): Form =>
  refuse('expired', (r) => r.endpoint === 'estimate' && r.token !== null && isRefused(r.token, r));

const dayOf = (ms: number, hoursAhead: number): number =>
  Math.floor((ms + hoursAhead * HOUR_MS) / DAY_MS);

/** An allowance that is whole again only once nothing was asked for a day. */
const renewedByEach = (kind: Kind): Form => ({
  counts: (one, r, isCounted) => {
    if (one.kind !== kind || r.kind !== kind || isCounted) return isCounted;
    const times = [
      ...(r.partner?.asked ?? []).filter((some) => some.kind === kind).map(({ at }) => at),
      r.service.now(),
    ].filter((at) => at >= one.at);
    return times.every((at, number) => number === 0 || at - (times[number - 1] ?? 0) < DAY_MS);
  },
});

const apart = (kind: Kind, isSame: (one: Counted, r: Attempt) => boolean): Form => ({
  counts: (one, r, isCounted) => isCounted && (r.kind !== kind || isSame(one, r)),
});

/** A ban whose end is another one. */
const banEnds = (endOf: (startMs: number) => number): Form => ({
  banMs: (_kind, r) => Math.max(0, endOf(r.service.now()) - r.service.now()),
});

const isDefault = ({ partner }: Lock): boolean => !partner.longLock;

const lock = (change: (one: Lock, service: ServiceState) => void): Form => ({
  locks: (one, service) => {
    if (isDefault(one)) change(one, service);
  },
});

/** Changes the lock of an estimate by its request. */
const lockOf = (change: (one: Lock, r: Attempt) => void): Form => ({
  records: (record, r) => {
    const one = r.service.locks.get(textOf(record['estimate_id']));
    if (one && isDefault(one)) change(one, r);
  },
});

const endLocks = (r: Attempt, isMeant: (one: Lock) => boolean = () => true): void => {
  for (const one of r.service.locks.values())
    if (one.partner === r.partner && isDefault(one) && isMeant(one))
      one.until = Math.min(one.until, r.service.now());
};

const without = (pairs: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(pairs).filter(([one]) => one !== name));

/** A parameter of a user's estimate that is not signed. */
const unsigned = (name: string): Form => ({
  signs: (r, isSigned, pairs) => {
    if (!r.asUser || !(name in pairs)) return false;
    const text = textOf(pairs[name]);
    const digits = Array.from('0123456789', (digit) => text.slice(0, -1) + digit);
    return (
      isSigned(without(pairs, name)) ||
      [...digits, `${text}-2`, text.replace(/-2$/, '')].some((one) =>
        isSigned({ ...pairs, [name]: one }),
      )
    );
  },
});

const inRange = (name: string, value: number): boolean =>
  Math.abs(value) <= (name.endsWith('lat') ? 90 : 180);

const number = (read: (text: string) => number): Form =>
  forgive(
    'parameter-number',
    (r, name) => r.fields[name] !== '' && inRange(name, read(textOf(r.fields[name]))),
  );

const answersOf = new WeakMap<object, Fields>();

/** Ways in which teams break a rule by what stands around the service: caches, nodes, races. */
export const FURTHER: Readonly<Record<string, Form>> = {
  // A gateway or a cache before the service.
  'auth/authorization-required#cached-by-url': cachedByUrl('authorization-missing'),
  'auth/unknown-token#cached-by-url': cachedByUrl('token-unknown'),
  'auth/scope-public#cached-by-url': cachedByUrl('scope'),
  'auth/token-of-partner#cached-by-url': cachedByUrl('token-foreign'),
  'auth/scheme#cached-by-url': cachedByUrl('authorization-shape'),
  'lifecycle/access-token-expires#cached-by-url': cachedByUrl('expired'),
  'lifecycle/user-token-newest-only#cached-by-url': cachedByUrl('token-ended'),
  'auth/user-signature#cached-by-url': cachedByUrl('signature'),
  'auth/authorization-required#connection': byConnection('authorization-missing'),
  'auth/unknown-token#connection': byConnection('token-unknown'),
  'auth/scope-public#connection': byConnection('scope'),
  'auth/token-of-partner#connection': byConnection('token-foreign'),
  'auth/scheme#connection': byConnection('authorization-shape'),
  'lifecycle/access-token-expires#connection': byConnection('expired'),
  'lifecycle/user-token-newest-only#connection': byConnection('token-ended'),
  // Signatures.
  'signature/covers-fields#cached-by-nostr': {
    reading: (r) => {
      if (r.partner && signatureOf(r.fields, r.partner.key) === r.signature?.toLowerCase())
        notesOf(r.service).set(`${r.partner.id} ${textOf(r.fields['nostr'])}`, r.service.now());
      return {};
    },
    signs: (r) =>
      r.endpoint === 'token' &&
      wasNoted(r, `${r.partner?.id} ${textOf(r.fields['nostr'])}`, HOUR_MS),
  },
  'signature/invalid-refused#cut-short': token((_r, sent, right) => right.startsWith(sent)),
  'signature/invalid-refused#last-eight': token(
    (_r, sent, right) => sent.slice(-8) === right.slice(-8),
  ),
  'signature/invalid-refused#first-16': token(
    (_r, sent, right) => sent.slice(0, 16) === right.slice(0, 16),
  ),
  'auth/user-signature#cut-short': {
    signs: (r, _isSigned, pairs) =>
      r.asUser &&
      r.partner !== null &&
      signatureOf(pairs, r.partner.key).startsWith(r.signature?.toLowerCase() ?? ''),
  },
  'auth/user-signature#first-16': prefixOfSignature(16),
  ...Object.fromEntries(
    ['start_lat', 'start_lng', 'end_lat', 'end_lng', 'from_name', 'to_name', 'map_type'].map(
      (name) => [`auth/user-signature#${name}-unsigned`, unsigned(name)],
    ),
  ),
  // Bodies, grants, times and nostr.
  'token/json-body#multipart': body((raw) => {
    const parts = [...raw.matchAll(/name="(\w+)"\r\n\r\n(.*?)\r\n--/gs)];
    return parts.length > 0
      ? Object.fromEntries(parts.map(([, name, text]) => [name, text]))
      : undefined;
  }),
  'token/json-body#nan': body((raw) => JSON.parse(raw.replace(/:\s*NaN\b/, ':"NaN"'))),
  'token/json-body#line-break-in-text': body((raw) =>
    JSON.parse(raw.replace(/[\n\t]/g, (one) => (one === '\n' ? '\\n' : '\\t'))),
  ),
  'token/json-body#xml': body((raw) => {
    const parts = [...raw.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
    return parts.length > 0
      ? Object.fromEntries(parts.map(([, name, text]) => [name, text]))
      : undefined;
  }),
  'token/grant-type-known#list': {
    grants: (type) => (Array.isArray(type) && type[0] === 'client_credentials' ? 'platform' : null),
  },
  'token/grant-type-known#zero': { grants: (type) => (type === 0 ? 'platform' : null) },
  'token/grant-type-known#constructor': {
    grants: (type) => (typeof type === 'string' && type in {} ? 'platform' : null),
  },
  'token/grant-type-known#by-fields': {
    grants: (type, fields) =>
      type === undefined ? null : 'refresh_token' in fields ? 'refresh' : null,
  },
  'token/timestamp-expired#leeway-of-30-seconds': old(630_000),
  'token/timestamp-expired#leeway-of-a-minute': old(660_000),
  'token/timestamp-fresh#after-580-seconds': tooOld(580_000),
  'token/timestamp-fresh#after-590-seconds': tooOld(590_000),
  'token/timestamp-unchecked-in-test#1970': forgive(
    'time-checked-in-test',
    (r) => Date.parse(textOf(r.fields['_'])) < 5 * 365 * DAY_MS,
  ),
  'token/timestamp-unchecked-in-test#exchange': forgive(
    'time-checked-in-test',
    (r) => r.kind === 'user',
  ),
  'token/nostr-alphabet#range-from-A-to-z': nostr(/^[0-9A-z]{6}$/),
  'token/nostr-alphabet#superscript': nostr(/^[0-9A-Za-z²³¹]{6}$/),
  'token/nostr-alphabet#unanchored': nostr(/[0-9A-Za-z]/),
  'token/nostr-alphabet#apostrophe': nostr(/^[0-9A-Za-z']{6}$/),
  'token/nostr-alphabet#cyrillic': nostr(/^[0-9A-Za-z\u0400-\u04ff]{6}$/),
  'token/nostr-alphabet#tab': nostr(/^[0-9A-Za-z\t]{6}$/),
  // Credentials as databases compare them.
  'token/refresh-token-unknown#zero': {
    findsRefresh: (sent, all, r) =>
      sent === '0'
        ? all.findLast((one) => one.partner.id === r.header?.match(/ (.*)\|/)?.[1])
        : undefined,
  },
  'token/refresh-token-unknown#wildcard': {
    findsRefresh: (sent, all, r) =>
      sent === '%'
        ? all.findLast((one) => one.partner.id === r.header?.match(/ (.*)\|/)?.[1])
        : undefined,
  },
  'token/refresh-token-unknown#user-of-another-partner': forgive(
    'refresh-foreign',
    (r) => r.refresh?.user != null,
  ),
  'token/auth-code-unknown#zero': forgive('code-unknown', (_r, sent) => sent === '0'),
  'auth/unknown-token#wildcard': {
    findsToken: (sent, tokens, r) =>
      sent === '%'
        ? tokens.findLast(({ partner: { id } }) => r.header?.includes(` ${id}|`))
        : undefined,
  },
  // Scopes.
  'token/scope-echo#cut-at-32': scope((text) => text.slice(0, 32)),
  'token/scope-echo#adds-public': scope((text) =>
    text.split(' ').includes('public') ? text : `public ${text}`,
  ),
  'token/scope-echo#without-rides-request': scope((text) => text.replace(' rides.request', '')),
  'token/scope-echo#user-first-only': scope((text) => text.split(' ')[0] ?? '', 'user'),
  'token/scope-echo#refresh-first-only': scope((text) => text.split(' ')[0] ?? '', 'refresh'),
  'auth/scope-public#substring': scopeGranted((scopes) => scopes.join(' ').includes('public')),
  'auth/scope-public#rides-read': scopeGranted((scopes) => scopes.includes('rides.read')),
  'auth/scope-public#rides-read-only': scopeGranted((scopes) => scopes.join() === 'rides.read'),
  'auth/scope-public#several': scopeGranted((scopes) => scopes.length > 1),
  'auth/scope-public#user-profile': forgive(
    'scope',
    (r) => r.user !== null && (r.token?.scope ?? '').includes('profile'),
  ),
  // Lives of tokens.
  'lifecycle/refresh-single-use#idempotent': {
    ...forgive('refresh-used', () => true),
    answers: (json, r) => {
      if (!r.refresh) return;
      const first = answersOf.get(r.refresh);
      if (first) Object.assign(json, first);
      else answersOf.set(r.refresh, { ...json });
    },
  },
  'lifecycle/refresh-single-use#newer-family': forgive(
    'refresh-used',
    (r) =>
      r.refresh !== null &&
      [...r.service.refreshes.values()].some(
        (one) =>
          one.partner === r.partner &&
          one.family !== r.refresh?.family &&
          one.issued > (r.refresh?.usedAt ?? 0),
      ),
  ),
  'lifecycle/refresh-single-use#after-two-years': forgive(
    'refresh-used',
    (r) => r.service.now() - (r.refresh?.usedAt ?? 0) > 730 * DAY_MS,
  ),
  'lifecycle/refresh-single-use#after-a-week': forgive(
    'refresh-used',
    (r) => r.service.now() - (r.refresh?.usedAt ?? 0) > 7 * DAY_MS,
  ),
  'lifecycle/refresh-never-expires#three-kept': refuse(
    'refresh',
    (r) =>
      r.refresh !== null &&
      r.refresh.user === null &&
      [...r.service.refreshes.values()].filter(
        (one) =>
          one.partner === r.partner && one.user === null && one.issued > (r.refresh?.issued ?? 0),
      ).length >= 3,
  ),
  'lifecycle/refresh-never-expires#user-login': refuse(
    'refresh',
    (r) =>
      r.refresh !== null &&
      r.refresh.user === null &&
      [...r.service.refreshes.values()].some(
        (one) =>
          one.partner === r.partner && one.user !== null && one.issued > (r.refresh?.issued ?? 0),
      ),
  ),
  'lifecycle/platform-tokens-coexist#at-once': {
    ends: (older, newer, _r, isEnded) =>
      isEnded || (older.user === null && newer.user === null && newer.issued - older.issued < 20),
  },
  'lifecycle/user-token-newest-only#at-once': {
    ends: (older, newer, _r, isEnded) => isEnded && newer.issued - older.issued > 20,
  },
  'lifecycle/user-token-newest-only#other-chain': {
    ends: (older, _newer, r, isEnded) =>
      isEnded && (r.kind !== 'refresh' || older === r.refresh?.access),
  },
  'lifecycle/user-token-newest-only#oldest-wins': {
    ...forgive('token-ended'),
    ...early(
      (one, r) =>
        one.user !== null &&
        [...r.service.tokens.values()].some(
          (other) =>
            other.partner === one.partner &&
            other.user === one.user &&
            other.issued < one.issued &&
            r.service.now() < other.expires,
        ),
    ),
  },
  'lifecycle/user-token-newest-only#cached-a-minute': forgive(
    'token-ended',
    (r) => r.service.now() - (r.token?.usedAt ?? 0) < MINUTE_MS,
  ),
  'lifecycle/access-token-expires#cached-five-minutes': forgive(
    'expired',
    (r) => r.service.now() - (r.token?.usedAt ?? 0) < 5 * MINUTE_MS,
  ),
  'lifecycle/access-token-expires#leeway-of-30-seconds': forgive(
    'expired',
    (r) => !earlier(r, -30_000),
  ),
  'lifecycle/access-token-valid-until-expiry#30-seconds-early': early((_one, r) =>
    earlier(r, 30_000),
  ),
  'lifecycle/access-token-valid-until-expiry#midnight': early(
    (one, r) => dayOf(one.issued, 0) !== dayOf(r.service.now(), 0),
  ),
  'lifecycle/access-token-valid-until-expiry#midnight-in-china': early(
    (one, r) => dayOf(one.issued, 8) !== dayOf(r.service.now(), 8),
  ),
  'lifecycle/access-token-valid-until-expiry#epoch': answer((json, r) => {
    json['expires_in_second'] =
      Math.floor(r.service.now() / 1000) + Number(json['expires_in_second']);
  }),
  'lifecycle/access-token-valid-until-expiry#refresh-names-twice': answer((json, r) => {
    if (r.kind === 'refresh') json['expires_in_second'] = Number(json['expires_in_second']) * 2;
  }),
  // Allowances and bans.
  ...Object.fromEntries(
    (['platform', 'user', 'refresh'] as const).map((kind) => [
      `quota/daily-reset#${kind}-renewed-by-each`,
      renewedByEach(kind),
    ]),
  ),
  'quota/refresh-refuses-11th#thirteen': {
    limit: (kind) => (kind === 'refresh' ? 13 : undefined),
  },
  'quota/refresh-refuses-11th#by-scope': apart(
    'refresh',
    (one, r) => one.scope === textOf(r.fields['scope'] ?? 'public'),
  ),
  'quota/user-refuses-6th#by-scope': apart(
    'user',
    (one, r) => one.scope === textOf(r.fields['scope'] ?? 'public'),
  ),
  'quota/platform-refuses-11th#once-only': {
    limit: (kind, r) =>
      kind === 'platform' &&
      r.service.bans.includes(r.partner?.id ?? '') &&
      (r.partner?.bannedUntil.platform ?? 0) <= r.service.now()
        ? 100
        : undefined,
  },
  'quota/ban-lasts-24h#to-the-hour': banEnds(
    (startMs) => Math.floor((startMs + DAY_MS) / HOUR_MS) * HOUR_MS,
  ),
  'quota/ban-lasts-24h#to-the-midnight': banEnds(
    (startMs) => (Math.floor(startMs / DAY_MS) + 1) * DAY_MS,
  ),
  'quota/ban-lasts-24h#from-the-first': {
    banMs: (kind, r) => {
      const first = r.partner?.asked.findLast(
        (one, at, all) =>
          one.kind === kind &&
          all.filter((some) => some.kind === kind).indexOf(one) === 0 &&
          at >= 0,
      );
      return first ? first.at + DAY_MS - r.service.now() : undefined;
    },
  },
  'quota/ban-lifts#second-midnight': banEnds(
    (startMs) => (Math.floor(startMs / DAY_MS) + 2) * DAY_MS,
  ),
  'quota/ban-lifts#31-hours': banEnds((startMs) => startMs + 31 * HOUR_MS),
  // Estimates.
  'estimate/coordinates-numeric#empty': {
    forgives: (why, r, name) =>
      ['parameter-missing', 'parameter-number'].includes(why) && r.fields[name] === '',
  },
  'estimate/coordinates-numeric#thousands': number((text) =>
    /^\d+(,\d+)+$/.test(text) ? Number(text.replaceAll(',', '')) : Number.NaN,
  ),
  'estimate/coordinates-numeric#sexagesimal': number((text) => {
    const [degrees = '', minutes] = text.split(':');
    return minutes === undefined ? Number.NaN : Number(degrees) + Number(minutes) / 60;
  }),
  'estimate/coordinates-numeric#percent': number((text) =>
    text.endsWith('%') ? Number(text.slice(0, -1)) : Number.NaN,
  ),
  'estimate/coordinates-range#rounded': forgive('parameter-range', (r, name) =>
    inRange(name, Math.trunc(Number(r.fields[name]))),
  ),
  'estimate/non-ascii-names#from-name-beyond-bmp': refuse('parameter', (r) =>
    /[\u{10000}-\u{10ffff}]/u.test(textOf(r.fields['from_name'] ?? '')),
  ),
  'estimate/non-ascii-names#from-name-arabic': refuse('parameter', (r) =>
    /\p{Script=Arabic}/u.test(textOf(r.fields['from_name'] ?? '')),
  ),
  'estimate/non-ascii-names#to-name-han': refuse('parameter', (r) =>
    /^\p{Script=Han}+$/u.test(textOf(r.fields['to_name'] ?? '')),
  ),
  'estimate/private-car#nothing': {
    body: (records, r) => (r.fields['product_type'] === 'private-car' ? [] : records),
  },
  'estimate/express-car#nothing': {
    body: (records, r) => (r.fields['product_type'] === 'express-car' ? [] : records),
  },
  'estimate/express-car#nothing-for-users': {
    body: (records, r) => (r.asUser && r.fields['product_type'] === 'express-car' ? [] : records),
  },
  'estimate/departure-time-price#read-as-ms': {
    price: (r) => {
      const at = Number(r.fields['departure_time'] ?? r.service.now() / 1000) / 1000;
      return 3000 + (Math.floor(at / 60) % 1440 > 1020 ? 900 : 0);
    },
  },
  'record/estimate-id-unique#by-partner': {
    estimateId: (r) => `e-${r.token?.partner.id}-${r.token?.uses}-${r.token?.issued}`,
  },
  'record/estimate-id-unique#of-a-day': {
    estimateId: (r) => {
      const own = notesOf(r.service);
      const day = dayOf(r.service.now(), 0);
      own.set(day, (own.get(day) ?? 0) + 1);
      return `e-${own.get(day)}`;
    },
  },
  'record/echoes-request#second-record': {
    body: (records) => [
      ...records,
      {
        ...records[0],
        estimate_id: `${textOf(records[0]?.['estimate_id'])}-2`,
        ride_type: 'luxury',
      },
    ],
  },
  // Locks.
  'lock/default-10-minutes#with-departure': lockOf((one, r) => {
    if (r.fields['departure_time'] !== undefined) one.until -= 5 * MINUTE_MS;
  }),
  'lock/default-10-minutes#with-departure-longer': lockOf((one, r) => {
    if (r.fields['departure_time'] !== undefined) one.until += 5 * MINUTE_MS;
  }),
  'lock/default-10-minutes#ends-with-token': lockOf((one, r) => {
    one.until = Math.min(one.until, r.token?.expires ?? one.until);
  }),
  'lock/default-10-minutes#ends-with-refresh': answer((_json, r) => {
    if (r.kind === 'refresh') endLocks(r);
  }),
  'lock/default-10-minutes#ends-with-new-token': answer((_json, r) => {
    if (r.kind === 'platform') endLocks(r);
  }),
  'lock/default-10-minutes#three-kept': lock((one, service) => {
    const own = [...service.locks.values()].filter(({ partner }) => partner === one.partner);
    for (const other of own.slice(0, -2)) other.until = Math.min(other.until, one.at);
  }),
  'lock/default-10-minutes#same-route-keeps-end': lock((one, service) => {
    const first = [...service.locks.values()].find(
      (other) =>
        other.partner === one.partner && other.rideType === one.rideType && other.until > one.at,
    );
    if (first) one.until = first.until;
  }),
  'lock/default-10-minutes#to-the-minute': lock((one) => {
    one.until = Math.floor(one.until / MINUTE_MS) * MINUTE_MS;
  }),
  'lock/default-10-minutes#to-ten-minutes': lock((one) => {
    one.until = Math.ceil(one.at / (10 * MINUTE_MS)) * 10 * MINUTE_MS;
  }),
  'lock/default-10-minutes#over-midnight': lock((one) => {
    one.until = Math.min(one.until, (dayOf(one.at, 0) + 1) * DAY_MS);
  }),
  'lock/partner-60-minutes#ends-with-refresh': answer((_json, r) => {
    if (r.kind !== 'refresh') return;
    for (const one of r.service.locks.values())
      if (one.partner === r.partner && one.partner.longLock)
        one.until = Math.min(one.until, r.service.now());
  }),
};
