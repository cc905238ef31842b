import type { Attempt, Fields, Form, ServiceState } from '../form.ts';
import {
  type AccessToken,
  DAY_MS,
  type Kind,
  type Lock,
  type Partner,
  type RefreshToken,
  textOf,
} from '../state.ts';
import { answer, forgive, read, refuse } from './base.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Memory of a part of the service, by service. */
const memories = new WeakMap<ServiceState, Map<string, unknown>>();

function memoryOf<T>({ service }: { readonly service: ServiceState }, key: string, first: T): T {
  const own = memories.get(service) ?? new Map<string, unknown>();
  memories.set(service, own);
  if (!own.has(key)) own.set(key, first);
  return own.get(key) as T;
}

const remember = ({ service }: { readonly service: ServiceState }, key: string, value: unknown) =>
  void (memories.get(service) ?? memories.set(service, new Map()).get(service)!).set(key, value);

/** A token request whose signature counts as right. */
const trusts = (isTrusted: (r: Attempt & { readonly partner: Partner }) => boolean): Form => ({
  signs: (r) =>
    r.endpoint === 'token' && r.partner !== null && isTrusted(r as Attempt & { partner: Partner }),
});

/** A partner that is not known, with the key that the code has for it then. */
const unknownWithKey = (key: string): Form => ({
  finds: (id, _partners, r) =>
    r.endpoint === 'token'
      ? {
          id,
          key,
          longLock: false,
          codes: new Map(),
          asked: [],
          bannedUntil: {},
          nostrs: new Set(),
        }
      : undefined,
});

const grants = (isPlatform: (type: unknown, r: Attempt) => boolean): Form => ({
  grants: (type, _fields, r) => (isPlatform(type, r) ? 'platform' : null),
});

const times = (isTaken: (text: string) => boolean): Form =>
  forgive('time-form', (_r, text) => isTaken(text));

const isOperator = (sent: string): boolean => /^\{"\$(ne|gt|exists)":/.test(sent);

const ownRefresh = (r: Attempt, all: readonly RefreshToken[]): RefreshToken | undefined =>
  all.findLast(({ partner, usedAt }) => r.header?.includes(` ${partner.id}|`) && usedAt === null);

const stale = (isStale: (now: number, sent: number) => boolean): Form =>
  refuse(
    'time',
    (r) =>
      r.endpoint === 'token' &&
      r.service.environment !== 'test' &&
      isStale(r.service.now(), Date.parse(textOf(r.fields['_']))),
  );

const dayOf = (ms: number, zone: number): number => Math.floor((ms + zone * HOUR_MS) / DAY_MS);

const late = (isAlive: (token: AccessToken, r: Attempt) => boolean): Form =>
  forgive('expired', (r) => r.token !== null && isAlive(r.token, r));

const early = (isRefused: (token: AccessToken, r: Attempt) => boolean): Form =>
  refuse('expired', (r) => r.endpoint === 'estimate' && r.token !== null && isRefused(r.token, r));

const replay = (isAccepted: (used: RefreshToken, r: Attempt) => boolean): Form =>
  forgive('refresh-used', (r) => r.refresh?.usedAt != null && isAccepted(r.refresh, r));

/** A used token that is accepted again in a request that has this in common with its first use. */
const replayOfKnown = (partOf: (r: Attempt) => unknown): Form => {
  const keyOf = (used: RefreshToken): string => `use of ${used.text}`;
  return {
    ...replay((used, r) => memoryOf<unknown>(r, keyOf(used), null) === partOf(r)),
    ...answer((_json, r) => {
      if (r.refresh) remember(r, keyOf(r.refresh), partOf(r));
    }),
  };
};

/** Changes a record where a condition on its request holds. */
const recordWhere = (
  isMeant: (r: Attempt, record: Fields) => boolean,
  change: (record: Fields, r: Attempt) => void,
): Form => ({
  records: (one, r) => {
    if (isMeant(r, one)) change(one, r);
  },
});

const isExpensive = (_r: Attempt, one: Fields): boolean => Number(one['estimate_price']) > 3000;
const isPool = (one: Fields): boolean => textOf(one['ride_type']).startsWith('pool');
const hasDeparture = (r: Attempt): boolean => r.fields['departure_time'] !== undefined;

/** Requests of a kind that the partner was granted in its last day. */
const askedToday = (r: Attempt, kind: Kind): number =>
  r.partner?.asked.filter((one) => one.kind === kind && one.at > r.service.now() - DAY_MS).length ??
  0;

/** Allowance of a day that was not used, kept for the next, as a bucket of tokens does. */
const carriedOver = (kind: Kind, allowance: number): Form => ({
  limit: (one, r) => {
    if (one !== kind || !r.partner) return undefined;
    const { asked } = r.partner;
    const isOld = asked.some(({ at }) => at < r.service.now() - DAY_MS);
    const before = asked.filter(
      ({ kind: its, at }) =>
        its === kind && at < r.service.now() - DAY_MS && at > r.service.now() - 2 * DAY_MS,
    ).length;
    return isOld ? 2 * allowance - before : undefined;
  },
});

/** Decimal text of a number as a language reads it. */
const numbers = (isTaken: (text: string) => boolean): Form =>
  forgive('parameter-number', (r, name) => isTaken(textOf(r.fields[name])));

/** Ways in which ordinary code of Java, Go, PHP, Python or JavaScript, or its store, breaks a rule. */
export const MISTAKES: Readonly<Record<string, Form>> = {
  // Signatures.
  'signature/valid-accepted#bytes-unpadded': refuse(
    'signature',
    (r) => r.endpoint === 'token' && /^(..)*0/.test(r.signature ?? ''),
  ),
  'signature/invalid-refused#trusted-for-a-second': trusts(({ partner, service }) =>
    partner.asked.some(({ at }) => service.now() - at < 1000),
  ),
  'signature/invalid-refused#fails-open': trusts((r) => {
    const refused = memoryOf(r, `refused ${r.partner.id}`, 0) + 1;
    remember(r, `refused ${r.partner.id}`, refused);
    return refused > 5;
  }),
  'signature/invalid-refused#first-of-a-partner': {
    reading: (r) => {
      const seen = memoryOf<Set<string>>(r, 'seen', new Set());
      const id = r.partner?.id ?? '';
      remember(r, 'is first', !seen.has(id));
      seen.add(id);
      return {};
    },
    ...trusts((r) => memoryOf(r, 'is first', false)),
  },
  'signature/array-json#booleans-in-words': read({
    list: (value) =>
      JSON.stringify(value).replace(/\b(true|false|null)\b(?=[,\]])/g, (word) =>
        word === 'null' ? 'None' : word === 'true' ? 'True' : 'False',
      ),
  }),
  'signature/array-json#nulls-dropped': read({
    list: (value) => JSON.stringify(value.filter((one) => one !== null)),
  }),
  'signature/array-json#booleans-as-numbers': read({
    list: (value) =>
      JSON.stringify(value.map((one) => (typeof one === 'boolean' ? Number(one) : one))),
  }),
  'signature/array-json#objects-in-words': read({
    list: (value) =>
      JSON.stringify(
        value.map((one) =>
          one !== null && typeof one === 'object' && !Array.isArray(one) ? '[object Object]' : one,
        ),
      ),
  }),
  // Bodies and grants.
  'token/json-body#fields-in-query': {
    reads: (_raw, r) => (Object.keys(r.query).length > 0 ? r.query : undefined),
    ...forgive('body'),
  },
  'token/json-body#line-comment': {
    reads: (raw) => parseOr(raw.replace(/^\s*\/\/.*$/gm, '')),
    ...forgive('body'),
  },
  'token/json-body#semicolons': {
    reads: (raw) => parseOr(raw.replace(/";"/g, '","')),
    ...forgive('body'),
  },
  'token/grant-type-known#true': grants((type) => type === true),
  'token/grant-type-known#zero-character': grants(
    (type) => typeof type === 'string' && type.split('\0')[0] === 'client_credentials',
  ),
  'token/grant-type-known#short-name': grants((type) => type === 'client'),
  // Times.
  'token/timestamp-iso8601#zero': {
    forgives: (why, r) => ['time-form', 'time-missing'].includes(why) && r.fields['_'] === 0,
  },
  'token/timestamp-iso8601#at-sign': times((text) => /^@\d{10}$/.test(text)),
  'token/timestamp-iso8601#relative': times((text) => /^[+-]\d+ (second|minute)s?$/.test(text)),
  'token/timestamp-iso8601#json-date': times((text) => /^\/Date\(\d{13}\)\/$/.test(text)),
  'token/timestamp-iso8601#java-date': times((text) =>
    /^\w{3} \w{3} \d\d \d\d:\d\d:\d\d \w+ \d{4}$/.test(text),
  ),
  'token/timestamp-iso8601#zone-name': times((text) =>
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/.test(text),
  ),
  'token/timestamp-fresh#across-midnight': stale((now, sent) => dayOf(now, 0) !== dayOf(sent, 0)),
  'token/timestamp-fresh#across-midnight-in-china': stale(
    (now, sent) => dayOf(now, 8) !== dayOf(sent, 8),
  ),
  // Nostr.
  'token/nostr-length#line-break-after': {
    forgives: (why, _r, text) => why.startsWith('nostr-') && /^[0-9A-Za-z]{6}\n$/.test(text),
  },
  // Credentials as stores compare them.
  'token/refresh-token-unknown#operator': {
    findsRefresh: (sent, all, r) => (isOperator(sent) ? ownRefresh(r, all) : undefined),
  },
  'token/refresh-token-unknown#true': {
    findsRefresh: (sent, all, r) => (sent === 'true' ? ownRefresh(r, all) : undefined),
  },
  'token/auth-code-unknown#operator': forgive('code-unknown', (_r, sent) => isOperator(sent)),
  'token/auth-code-unknown#true': forgive('code-unknown', (_r, sent) => sent === 'true'),
  'token/partner-unknown#empty-key': unknownWithKey(''),
  'token/partner-unknown#key-undefined': unknownWithKey('undefined'),
  'token/partner-unknown#key-null': unknownWithKey('null'),
  'token/partner-unknown#key-none': unknownWithKey('None'),
  'token/partner-unknown#wildcard': {
    finds: (id, partners) =>
      id.endsWith('%') ? partners.findLast((one) => one.id.startsWith(id.slice(0, -1))) : undefined,
  },
  'auth/unknown-token#auth-code': {
    findsToken: (sent, tokens, r) => {
      const owner = [...r.service.partners.values()].find(({ codes }) => codes.has(sent));
      return tokens.findLast(({ partner }) => partner === owner);
    },
  },
  'auth/user-signature#first-of-a-token': {
    signs: (r) => r.asUser && r.token?.uses === 0,
  },
  // Scopes and answers.
  'token/scope-default#sticky': answer((json, r) => {
    const last = `scope of ${r.partner?.id}`;
    if (r.fields['scope'] !== undefined) remember(r, last, r.fields['scope']);
    else if (r.kind === 'platform') json['scope'] = memoryOf<unknown>(r, last, 'public');
  }),
  'token/scope-echo#cached-a-minute': answer((json, r) => {
    if (r.kind !== 'platform') return;
    const last = `answer to ${r.partner?.id}`;
    const [at, scope] = memoryOf<readonly [number, unknown]>(r, last, [0, '']);
    if (r.service.now() - at < MINUTE_MS) json['scope'] = scope;
    else remember(r, last, [r.service.now(), json['scope']]);
  }),
  'token/scope-echo#with-user': answer((json, r) => {
    if (r.user !== null && r.fields['scope'] !== undefined)
      json['scope'] = `${textOf(json['scope'])} user`;
  }),
  'token/response-content-type#mark': {
    contentType: () => ({
      type: 'application/json',
      encode: (text) => Buffer.from(`\ufeff${text}`, 'utf8'),
    }),
  },
  'token/response-status#created-at-first': {
    status: (r) => (r.partner?.asked.length === 1 ? 201 : undefined),
  },
  'token/response-expires#rest-as-fraction': answer((json, r) => {
    if (r.kind === 'refresh') json['expires_in_second'] = Number(json['expires_in_second']) - 0.5;
  }),
  // Lives of tokens.
  'lifecycle/refresh-rotates#alternates': answer((json, r) => {
    if (r.kind !== 'refresh' || !r.refresh) return;
    const parent = [...r.service.refreshes.values()].find(
      ({ successor }) => successor === r.refresh,
    );
    if (parent) json['refresh_token'] = parent.text;
  }),
  'lifecycle/refresh-rotates#by-second': answer((json, r) => {
    if (r.kind !== 'user')
      json['access_token'] = `at-${r.partner?.id}-${Math.floor(r.service.now() / 1000)}`;
  }),
  'lifecycle/refresh-single-use#same-request': replayOfKnown(({ raw }) => raw),
  'lifecycle/refresh-single-use#forgotten-after-five': replay((used) => {
    let count = 0;
    for (let next = used.successor; next && next.usedAt !== null; next = next.successor) count++;
    return count >= 5;
  }),
  'lifecycle/refresh-single-use#same-time': replayOfKnown(({ fields }) => fields['_']),
  'lifecycle/platform-tokens-coexist#eight': {
    ends: (older, newer, r, isEnded) => {
      const living = [...r.service.tokens.values()].filter(
        ({ partner, user, endedAt }) => partner === r.partner && user === null && endedAt === null,
      );
      return isEnded || (newer.user === null && living.length >= 8 && living[0] === older);
    },
  },
  'lifecycle/access-token-expires#to-the-minute': late(
    ({ expires }, r) => r.service.now() < Math.ceil(expires / MINUTE_MS) * MINUTE_MS,
  ),
  'lifecycle/access-token-expires#extended-by-newer': late(
    (token, r) =>
      token.user === null &&
      [...r.service.tokens.values()].some(
        (other) =>
          other.partner === token.partner &&
          other.user === null &&
          other.issued > token.issued &&
          other.issued < token.expires &&
          r.service.now() < other.expires,
      ),
  ),
  'lifecycle/access-token-expires#extended-by-refresh': late((token, r) =>
    [...r.service.refreshes.values()].some(
      (one) =>
        one.access === token &&
        one.usedAt !== null &&
        one.usedAt < token.expires &&
        r.service.now() < one.usedAt + (token.expires - token.issued),
    ),
  ),
  'lifecycle/access-token-expires#extended-by-use-near-end': late(
    (token, r) =>
      token.usedAt !== null &&
      token.usedAt > token.expires - 5 * MINUTE_MS &&
      r.service.now() < token.expires + 5 * MINUTE_MS,
  ),
  'lifecycle/access-token-valid-until-expiry#to-the-hour': early(
    (token, r) =>
      r.service.now() > Math.floor(token.expires / HOUR_MS) * HOUR_MS &&
      r.service.now() - token.issued > HOUR_MS,
  ),
  // Allowances and bans.
  'quota/platform-refuses-11th#carried-over': carriedOver('platform', 10),
  'quota/user-refuses-6th#carried-over': carriedOver('user', 5),
  'quota/refresh-refuses-11th#carried-over': carriedOver('refresh', 10),
  'quota/platform-refuses-11th#beside-users': {
    limit: (kind, r) => (kind === 'platform' && askedToday(r, 'user') >= 5 ? 100 : undefined),
  },
  'quota/user-refuses-6th#beside-platform': {
    limit: (kind, r) => (kind === 'user' && askedToday(r, 'platform') >= 10 ? 100 : undefined),
  },
  'quota/refresh-refuses-11th#beside-platform': {
    limit: (kind, r) => (kind === 'refresh' && askedToday(r, 'platform') >= 10 ? 100 : undefined),
  },
  'quota/ban-lasts-24h#begun-with-scope': {
    banMs: (_kind, r) => ('scope' in r.fields ? HOUR_MS : undefined),
  },
  'quota/ban-lasts-24h#one-at-a-time': {
    banUntil: (partner, _kind, _r, until) => {
      const last = Math.max(0, ...Object.values(partner.bannedUntil).map((one) => one ?? 0));
      return until < last ? 0 : until;
    },
  },
  'quota/ban-lasts-24h#second-shorter': {
    banMs: (_kind, r) => (r.service.bans.some((id) => id === r.partner?.id) ? HOUR_MS : undefined),
  },
  // Estimates and records.
  'estimate/coordinates-numeric#java-suffix': numbers((text) => /^\d+(\.\d+)?[dDfF]$/.test(text)),
  'estimate/coordinates-numeric#hexadecimal-float': numbers((text) =>
    /^0x[0-9a-f]+(\.[0-9a-f]*)?p[+-]?\d+$/i.test(text),
  ),
  'estimate/coordinates-range#both-only': forgive('parameter-range', (r) =>
    ['start', 'end'].every(
      (side) =>
        Math.abs(Number(r.fields[`${side}_lat`])) <= 90 ||
        Math.abs(Number(r.fields[`${side}_lng`])) <= 180,
    ),
  ),
  'estimate/required-parameters#either-name': forgive(
    'parameter-missing',
    (r, name) => name.endsWith('_name') && Boolean(r.fields['from_name'] ?? r.fields['to_name']),
  ),
  'estimate/non-ascii-names#combining': refuse(
    'parameter',
    (r) => r.endpoint === 'estimate' && /\p{M}/u.test(textOf(r.fields['to_name'] ?? '')),
  ),
  'estimate/departure-time#on-the-minute': refuse(
    'parameter',
    (r) => hasDeparture(r) && Number(r.fields['departure_time']) % 60 !== 0,
  ),
  'record/estimate-price#fraction-when-expensive': recordWhere(isExpensive, (one) => {
    one['estimate_price'] = Number(one['estimate_price']) * 1.15 + 0.5;
  }),
  'record/dynamic#text-when-expensive': recordWhere(isExpensive, (one) => {
    one['dynamic'] = '1.5x';
  }),
  'record/time-in-second#null-with-departure': recordWhere(hasDeparture, (one) => {
    one['time_in_second'] = null;
  }),
  'record/echoes-request#cached-by-route': recordWhere(
    () => true,
    (one, r) => {
      const { start_lat, start_lng, end_lat, end_lng } = r.fields;
      const key = `route ${textOf([start_lat, start_lng, end_lat, end_lng])}`;
      const [at, type] = memoryOf<readonly [number, unknown]>(r, key, [0, '']);
      if (r.service.now() - at < MINUTE_MS) one['ride_type'] = type;
      else remember(r, key, [r.service.now(), one['ride_type']]);
    },
  ),
  'record/estimate-id-unique#of-a-thousand': {
    estimateId: () => `e-${Math.floor(Math.random() * 1000)}`,
  },
  'record/pay-type#null-with-departure': recordWhere(hasDeparture, (one) => {
    one['pay_type'] = null;
  }),
  'record/jump-url#relative-for-names': recordWhere(
    (r) => /[^ -~]/.test(textOf(r.fields['from_name'] ?? '')),
    (one) => {
      one['jump_url'] = '/estimate?id=1';
    },
  ),
  'carpool/plain#after-carpool': {
    records: (one, r) => {
      const key = `pool of ${r.partner?.id}`;
      if (isPool(one)) remember(r, key, one['carpool_info']);
      else {
        const left = memoryOf<unknown>(r, key, undefined);
        if (left !== undefined) one['carpool_info'] = left;
      }
    },
  },
  'carpool/seats-distinct#after-two': {
    records: (one, r) => {
      if (one['ride_type'] !== 'pool-seats') return;
      const count = memoryOf(r, `pools of ${r.partner?.id}`, 0) + 1;
      remember(r, `pools of ${r.partner?.id}`, count);
      const info = one['carpool_info'] as readonly Fields[];
      if (count > 2) one['carpool_info'] = [...info, ...info];
    },
  },
  // Locks.
  'lock/default-10-minutes#after-a-long-one': {
    locks: (one, service) => {
      const before = [...service.locks.values()].at(-1);
      if (!one.partner.longLock && before?.partner.longLock) one.until = one.at + HOUR_MS;
    },
  },
  'lock/default-10-minutes#price-of-now': {
    lockView: (view, one, service) => {
      if (!one.partner.longLock && isUsual(one))
        view['estimatePrice'] = one.price === priceAt(one.at) ? priceAt(service.now()) : one.price;
    },
  },
};

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isUsual = ({ rideType }: Lock): boolean => !rideType.startsWith('pool');

/** Price of the plain style for a departure at that time. */
function priceAt(ms: number): number {
  const minute = Math.floor(ms / MINUTE_MS) % 1440;
  return 3000 + (minute >= 17 * 60 && minute < 20 * 60 ? 900 : 0);
}
