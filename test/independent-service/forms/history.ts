import { type Attempt, type Form, only } from '../form.ts';
import {
  type AccessToken,
  type Counted,
  DAY_MS,
  type Kind,
  type Lock,
  type RefreshToken,
  textOf,
} from '../state.ts';
import { answer, BASE, forgive, refuse } from './base.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const replay = (
  isAccepted: (used: RefreshToken & { usedAt: number }, now: number, r: Attempt) => boolean,
): Form =>
  forgive(
    'refresh-used',
    (r) =>
      r.refresh?.usedAt != null &&
      isAccepted(r.refresh as RefreshToken & { usedAt: number }, r.service.now(), r),
  );

const agedRefresh = (
  isRefused: (ageMs: number, refresh: RefreshToken, r: Attempt) => boolean,
): Form =>
  refuse(
    'refresh',
    (r) => r.refresh !== null && isRefused(r.service.now() - r.refresh.issued, r.refresh, r),
  );

const ends = (isEnded: (older: AccessToken, newer: AccessToken, r: Attempt) => boolean): Form => ({
  ends: (older, newer, r, so) => so || isEnded(older, newer, r),
});

const keeps = (isKept: (older: AccessToken, newer: AccessToken, r: Attempt) => boolean): Form => ({
  ends: (older, newer, r, so) => so && !isKept(older, newer, r),
});

const living = (r: Attempt): AccessToken[] =>
  [...r.service.tokens.values()].filter(
    ({ partner, user, endedAt }) => partner === r.partner && user === null && endedAt === null,
  );

/** At most so many platform tokens at a time. */
const atMost = (most: number): Form =>
  ends(
    (older, newer, r) =>
      newer.user === null &&
      older.user === null &&
      living(r).length >= most &&
      living(r)[0] === older,
  );

const ended = (
  isAccepted: (token: AccessToken & { endedAt: number }, now: number, r: Attempt) => boolean,
): Form =>
  forgive(
    'token-ended',
    (r) =>
      r.token?.endedAt != null &&
      isAccepted(r.token as AccessToken & { endedAt: number }, r.service.now(), r),
  );

const late = (
  ms: number,
  isMeant: (token: AccessToken, r: Attempt) => boolean = () => true,
): Form =>
  forgive(
    'expired',
    (r) => r.token !== null && isMeant(r.token, r) && r.service.now() < r.token.expires + ms,
  );

const early = (isRefused: (token: AccessToken, now: number, r: Attempt) => boolean): Form =>
  refuse(
    'expired',
    (r) => r.endpoint === 'estimate' && r.token !== null && isRefused(r.token, r.service.now(), r),
  );

const limit = (which: Kind, most: number): Form => ({
  limit: (kind) => (kind === which ? most : undefined),
});

const window = (kind: Kind, ms: number): Form => ({
  counts: (one, r, isCounted) =>
    r.kind === kind ? isCounted && one.at > r.service.now() - ms : isCounted,
});

const calendar = (kind: Kind, ms: number): Form => ({
  counts: (one, r, isCounted) =>
    r.kind === kind
      ? isCounted && Math.floor(one.at / ms) === Math.floor(r.service.now() / ms)
      : isCounted,
});

const apart = (kind: Kind, isSame: (one: Counted, r: Attempt) => boolean): Form => ({
  counts: (one, r, isCounted) => isCounted && (r.kind !== kind || isSame(one, r)),
});

const together = (kind: Kind, others: readonly Kind[]): Form => ({
  counts: (one, r, isCounted) =>
    isCounted ||
    (r.kind === kind && others.includes(one.kind) && r.service.now() - one.at < DAY_MS / 2),
});

const neverReset = (kind: Kind): Form => ({
  counts: (one, r, isCounted) => isCounted || (r.kind === kind && one.kind === kind),
});

const ban = (ms: number, which?: Kind): Form => ({
  banMs: (kind) => (which === undefined || kind === which ? ms : undefined),
});

const lock = (
  change: (lock: Lock) => void,
  isMeant: (lock: Lock) => boolean = () => true,
): Form => ({
  locks: (one) => {
    if (isMeant(one)) change(one);
  },
});

const longer = (one: Lock): void => {
  one.until += 5 * MINUTE_MS;
};
const shorter = (one: Lock): void => {
  one.until -= 5 * MINUTE_MS;
};
const isDefault = ({ partner }: Lock): boolean => !partner.longLock;
const isLong = ({ partner }: Lock): boolean => partner.longLock;
const isPool = ({ rideType }: Lock): boolean => rideType.startsWith('pool');
const isExpress = (one: Lock): boolean => one.productType === 'express-car' && !isPool(one);

const isUsers = ({ user }: { readonly user: string | null }): boolean => user !== null;

/** Rules that hold at first and not later, or not again. */
export const HISTORY: Readonly<Record<string, Form>> = {
  // Replays of a refresh_token.
  'lifecycle/refresh-single-use#at-once': replay((used, now) => now - used.usedAt < 10_000),
  'lifecycle/refresh-single-use#after-a-minute': replay(
    (used, now) => now - used.usedAt > MINUTE_MS,
  ),
  'lifecycle/refresh-single-use#after-an-hour': replay((used, now) => now - used.usedAt > HOUR_MS),
  'lifecycle/refresh-single-use#after-a-day': replay((used, now) => now - used.usedAt > DAY_MS),
  'lifecycle/refresh-single-use#after-the-access-token': replay(
    (used, now) => now > used.access.expires,
  ),
  'lifecycle/refresh-single-use#after-the-successor-expired': replay(
    (used, now) => used.successor !== null && now > used.successor.access.expires,
  ),
  'lifecycle/refresh-single-use#until-the-successor-is-used': replay(
    (used) => used.successor?.usedAt === null,
  ),
  'lifecycle/refresh-single-use#after-the-successor-is-used': replay(
    (used) => used.successor != null && used.successor.usedAt !== null,
  ),
  'lifecycle/refresh-single-use#until-the-new-token-is-used': replay(
    (used) => used.successor?.access.usedAt === null,
  ),
  'lifecycle/refresh-single-use#grandparent': replay((used) => used.successor?.successor != null),
  'lifecycle/refresh-single-use#twice': replay((used) => used.replays === 0),
  'lifecycle/refresh-single-use#second-replay': replay((used) => used.replays > 0),
  'lifecycle/refresh-single-use#with-scope': replay((_used, _now, r) => 'scope' in r.fields),
  'lifecycle/refresh-single-use#first-token-only': replay((used) => used.generation === 0),
  'lifecycle/refresh-single-use#refreshed-only': replay((used) => used.generation > 0),
  'lifecycle/refresh-single-use#user-at-once': replay(
    (used, now) => isUsers(used) && now - used.usedAt < 10_000,
  ),
  'lifecycle/refresh-single-use-concurrent#user': { races: ({ refresh }) => refresh?.user != null },
  // Life of a refresh_token.
  'lifecycle/refresh-never-expires#an-hour': agedRefresh(
    (ageMs, { access, issued }) => ageMs > access.expires - issued + HOUR_MS,
  ),
  'lifecycle/refresh-never-expires#a-week': agedRefresh((ageMs) => ageMs > 7 * DAY_MS),
  'lifecycle/refresh-never-expires#ninety-days': agedRefresh((ageMs) => ageMs > 90 * DAY_MS),
  'lifecycle/refresh-never-expires#a-year': agedRefresh((ageMs) => ageMs > 366 * DAY_MS),
  'lifecycle/refresh-never-expires#two-years': agedRefresh((ageMs) => ageMs > 731 * DAY_MS),
  'lifecycle/refresh-never-expires#user-only': agedRefresh(
    (ageMs, refresh) => isUsers(refresh) && ageMs > 30 * DAY_MS,
  ),
  'lifecycle/refresh-never-expires#refreshed-only': agedRefresh(
    (ageMs, { generation }) => generation > 0 && ageMs > 30 * DAY_MS,
  ),
  'lifecycle/refresh-never-expires#newer-token': agedRefresh(
    (_ageMs, { issued, user, family }, r) =>
      user === null &&
      [...r.service.refreshes.values()].some(
        (one) =>
          one.partner === r.partner &&
          one.issued > issued &&
          one.user === null &&
          one.family !== family,
      ),
  ),
  'lifecycle/refresh-never-expires#unused-access-token': agedRefresh(
    (ageMs, { access }) => access.usedAt === null && ageMs > 30 * DAY_MS,
  ),
  'lifecycle/expired-replaced-by-refresh#user-only': only(
    BASE['lifecycle/expired-replaced-by-refresh']!,
    (r) => r.user !== null,
  ),
  'lifecycle/expired-replaced-by-refresh#from-expiry-on': agedRefresh(
    (ageMs, { access, issued }) => ageMs > access.expires - issued,
  ),
  'lifecycle/expired-replaced-by-refresh#new-token-expired': early(
    ({ generation, issued, expires }, now, r) =>
      generation > 0 &&
      [...r.service.refreshes.values()].some(
        (one) => one.usedAt === issued && one.access.expires < issued,
      ) &&
      now < expires,
  ),
  'lifecycle/expired-replaced-by-refresh#a-minute-later': agedRefresh(
    (ageMs, { access, issued }) =>
      ageMs > access.expires - issued + MINUTE_MS && ageMs < access.expires - issued + 12 * HOUR_MS,
  ),
  'lifecycle/refresh-rotates#access-token-only': answer((json, r) => {
    if (r.kind !== 'refresh' || !r.refresh || r.refresh.access.text === '') return;
    json['access_token'] = r.refresh.access.text;
  }),
  'lifecycle/refresh-rotates#second-only': answer((json, r) => {
    if (r.kind === 'refresh' && (r.refresh?.generation ?? 0) > 0)
      json['refresh_token'] = r.fields['refresh_token'];
  }),
  'lifecycle/refresh-rotates#while-valid': answer((json, r) => {
    if (r.kind === 'refresh' && r.refresh && r.service.now() < r.refresh.access.expires)
      json['refresh_token'] = r.fields['refresh_token'];
  }),
  'lifecycle/refresh-rotates#once-expired': answer((json, r) => {
    if (r.kind === 'refresh' && r.refresh && r.service.now() >= r.refresh.access.expires)
      json['refresh_token'] = r.fields['refresh_token'];
  }),
  // Platform tokens.
  'lifecycle/platform-tokens-coexist#two': atMost(2),
  'lifecycle/platform-tokens-coexist#three': atMost(3),
  'lifecycle/platform-tokens-coexist#four': atMost(4),
  'lifecycle/platform-tokens-coexist#five': atMost(5),
  'lifecycle/platform-tokens-coexist#same-scope': ends(
    (older, newer) => older.user === null && newer.user === null && older.scope === newer.scope,
  ),
  'lifecycle/platform-tokens-coexist#other-scope': ends(
    (older, newer) => older.user === null && newer.user === null && older.scope !== newer.scope,
  ),
  'lifecycle/platform-tokens-coexist#a-minute-later': early(
    (token, now, r) =>
      token.user === null &&
      living(r).some((one) => one.issued > token.issued && now - one.issued > MINUTE_MS),
  ),
  'lifecycle/platform-tokens-coexist#unused-before': ends(
    (older, newer) => older.user === null && newer.user === null && older.usedAt === null,
  ),
  'lifecycle/platform-tokens-coexist#used-before': ends(
    (older, newer) => older.user === null && newer.user === null && older.usedAt !== null,
  ),
  'lifecycle/platform-tokens-coexist#refresh-ends-others': ends(
    (older, newer, r) =>
      r.kind === 'refresh' &&
      newer.user === null &&
      older.user === null &&
      older !== r.refresh?.access,
  ),
  'lifecycle/platform-tokens-coexist#newer-used': early(
    (token, _now, r) =>
      token.user === null &&
      living(r).some((one) => one.issued > token.issued && one.usedAt !== null),
  ),
  'lifecycle/platform-tokens-coexist#exchange-ends-them': ends(
    (older, newer) => newer.user !== null && older.user === null,
  ),
  // User tokens.
  'lifecycle/user-token-newest-only#by-refresh': keeps((_older, _newer, r) => r.kind === 'refresh'),
  'lifecycle/user-token-newest-only#by-code': keeps((_older, _newer, r) => r.kind === 'user'),
  'lifecycle/user-token-newest-only#other-scope': keeps(
    (older, newer) => older.scope !== newer.scope,
  ),
  'lifecycle/user-token-newest-only#grace-of-30-s': ended(
    (token, now) => now - token.endedAt < 30_000,
  ),
  'lifecycle/user-token-newest-only#after-a-minute': ended(
    (token, now) => now - token.endedAt > MINUTE_MS,
  ),
  'lifecycle/user-token-newest-only#after-an-hour': ended(
    (token, now) => now - token.endedAt > HOUR_MS,
  ),
  'lifecycle/user-token-newest-only#until-the-newer-is-used': ended((token, _now, r) =>
    [...r.service.tokens.values()].every(
      (one) => one.user !== token.user || one.issued < token.endedAt || one.usedAt === null,
    ),
  ),
  'lifecycle/user-token-newest-only#two-newest': ended(
    (token, _now, r) =>
      [...r.service.tokens.values()].filter(
        (one) =>
          one.partner === token.partner && one.user === token.user && one.issued >= token.endedAt,
      ).length === 1,
  ),
  'lifecycle/user-token-newest-only#third': ended(
    (token, _now, r) =>
      [...r.service.tokens.values()].filter(
        (one) =>
          one.partner === token.partner && one.user === token.user && one.issued >= token.endedAt,
      ).length > 1,
  ),
  'lifecycle/user-token-newest-only#refreshed-survive': keeps((older) => older.generation > 0),
  'lifecycle/user-token-newest-only#used-survive': keeps((older) => older.usedAt !== null),
  'lifecycle/user-token-newest-only#unused-survive': keeps((older) => older.usedAt === null),
  // Life of an access token.
  'lifecycle/access-token-expires#sliding': late(
    DAY_MS * 30,
    (token, r) =>
      token.usedAt !== null && r.service.now() - token.usedAt < token.expires - token.issued,
  ),
  'lifecycle/access-token-expires#a-minute-late': late(MINUTE_MS),
  'lifecycle/access-token-expires#five-minutes-late': late(5 * MINUTE_MS),
  'lifecycle/access-token-expires#never': late(1e15),
  'lifecycle/access-token-expires#works-again-later': forgive(
    'expired',
    (r) => r.token !== null && r.service.now() > r.token.expires + HOUR_MS,
  ),
  'lifecycle/access-token-expires#unused': late(1e15, (token) => token.usedAt === null),
  'lifecycle/access-token-expires#refreshed': late(1e15, ({ generation }) => generation > 0),
  'lifecycle/access-token-expires#with-wide-scope': late(1e15, ({ scope }) => scope.includes(' ')),
  'lifecycle/access-token-expires#user': late(1e15, isUsers),
  'lifecycle/access-token-valid-until-expiry#half': early(
    (token, now) => now - token.issued > (token.expires - token.issued) / 2,
  ),
  'lifecycle/access-token-valid-until-expiry#used-at-half': early(
    (token, now) =>
      token.usedAt !== null && now - token.issued > (token.expires - token.issued) / 2,
  ),
  'lifecycle/access-token-valid-until-expiry#idle': early(
    (token, now) => now - (token.usedAt ?? token.issued) > 30 * MINUTE_MS,
  ),
  'lifecycle/access-token-valid-until-expiry#twenty-uses': early((token) => token.uses >= 20),
  'lifecycle/access-token-valid-until-expiry#user': early(
    (token, now) => isUsers(token) && now > token.expires - MINUTE_MS,
  ),
  'lifecycle/access-token-valid-until-expiry#refreshed': early(
    (token, now) => token.generation > 0 && now > token.expires - MINUTE_MS,
  ),
  'lifecycle/access-token-valid-until-expiry#with-wide-scope': early(
    (token, now) => token.scope.includes(' ') && now > token.expires - MINUTE_MS,
  ),
  'lifecycle/access-token-valid-until-expiry#milliseconds': answer((json) => {
    json['expires_in_second'] = Number(json['expires_in_second']) * 1000;
  }),
  'lifecycle/access-token-expires#minutes': answer((json) => {
    json['expires_in_second'] = Math.ceil(Number(json['expires_in_second']) / 60);
  }),
  // Allowances.
  'quota/platform-allows-10#nine': limit('platform', 9),
  'quota/platform-allows-10#one': limit('platform', 1),
  'quota/user-allows-5#three': limit('user', 3),
  'quota/refresh-allows-10#five': limit('refresh', 5),
  'quota/refresh-allows-10#user-five': {
    limit: (kind, r) => (kind === 'refresh' && r.user !== null ? 5 : undefined),
  },
  'quota/platform-refuses-11th#eleven': limit('platform', 11),
  'quota/platform-refuses-11th#twelve': limit('platform', 12),
  'quota/user-refuses-6th#six': limit('user', 6),
  'quota/refresh-refuses-11th#eleven': limit('refresh', 11),
  'quota/platform-refuses-11th#an-hour': window('platform', HOUR_MS),
  'quota/platform-refuses-11th#twelve-hours': window('platform', 12 * HOUR_MS),
  'quota/user-refuses-6th#an-hour': window('user', HOUR_MS),
  'quota/user-refuses-6th#twelve-hours': window('user', 12 * HOUR_MS),
  'quota/refresh-refuses-11th#an-hour': window('refresh', HOUR_MS),
  'quota/refresh-refuses-11th#twelve-hours': window('refresh', 12 * HOUR_MS),
  'quota/platform-refuses-11th#calendar-hour': calendar('platform', HOUR_MS),
  'quota/platform-refuses-11th#calendar-half-day': calendar('platform', 12 * HOUR_MS),
  'quota/refresh-refuses-11th#calendar-hour': calendar('refresh', HOUR_MS),
  'quota/platform-refuses-11th#by-scope': apart(
    'platform',
    (one, r) => one.scope === textOf(r.fields['scope'] ?? 'public'),
  ),
  'quota/refresh-refuses-11th#by-chain': apart(
    'refresh',
    (one, r) => one.family === (r.refresh?.family ?? ''),
  ),
  'quota/refresh-refuses-11th#user-uncounted': {
    limit: (kind, r) => (kind === 'refresh' && r.user !== null ? 100 : undefined),
  },
  'quota/platform-refuses-11th#race': { races: ({ kind }) => kind === 'platform' },
  'quota/refresh-refuses-11th#race': {
    counts: (_one, _r, isCounted) => isCounted,
    races: ({ kind, refresh }) => kind === 'refresh' && refresh?.usedAt === null,
  },
  'quota/user-refuses-6th#race': { races: ({ kind }) => kind === 'user' },
  'quota/platform-refuses-11th#refused-then-accepted': {
    limit: (kind, r) =>
      kind === 'platform' && r.service.bans.includes(r.partner?.id ?? '') ? 100 : undefined,
    banUntil: (_partner, kind, _r, until) => (kind === 'platform' ? 0 : until),
  },
  'quota/counters-independent#refresh-with-platform': together('refresh', ['platform']),
  'quota/counters-independent#platform-with-refresh': together('platform', ['refresh']),
  'quota/counters-independent#user-with-refresh': together('user', ['refresh']),
  'quota/counters-independent#platform-with-user': together('platform', ['user']),
  'quota/counters-independent#user-with-platform': together('user', ['platform']),
  'quota/counters-independent#refresh-with-user': together('refresh', ['user']),
  'quota/daily-reset#platform-only': neverReset('platform'),
  'quota/daily-reset#user-only': neverReset('user'),
  'quota/daily-reset#refresh-only': neverReset('refresh'),
  'quota/daily-reset#two-days': {
    counts: (one, r, isCounted) =>
      isCounted || (one.kind === r.kind && one.at > r.service.now() - 2 * DAY_MS),
  },
  'quota/daily-reset#half': {
    counts: (one, r, isCounted) =>
      isCounted ||
      (one.kind === r.kind &&
        one.at > r.service.now() - 2 * DAY_MS &&
        Math.floor(one.at) % 2 === 0),
  },
  // Bans.
  ...Object.fromEntries(
    (['platform', 'user', 'refresh'] as const).flatMap((kind) => [
      [`quota/ban-lasts-24h#${kind}-hour`, ban(HOUR_MS, kind)],
      [`quota/ban-lasts-24h#${kind}-12-hours`, ban(12 * HOUR_MS, kind)],
      [`quota/ban-lasts-24h#${kind}-23-hours`, ban(23 * HOUR_MS, kind)],
      [
        `quota/ban-lasts-24h#${kind}-none`,
        {
          banUntil: (_partner, one, _r, until) => (one === kind ? 0 : until),
          counts: (one, r, isCounted) =>
            isCounted &&
            !(
              r.kind === kind &&
              r.service.bans.includes(r.partner?.id ?? '') &&
              one.at < r.service.now() - MINUTE_MS
            ),
        } satisfies Form,
      ],
      [`quota/ban-lifts#${kind}-25-hours`, ban(25 * HOUR_MS, kind)],
      [`quota/ban-lifts#${kind}-two-days`, ban(2 * DAY_MS, kind)],
      [`quota/ban-lifts#${kind}-never`, ban(4000 * DAY_MS, kind)],
      [
        `quota/ban-lifts#${kind}-allowance-less`,
        {
          limit: (one, r) =>
            one === kind && r.service.bans.includes(r.partner?.id ?? '') ? 1 : undefined,
        } satisfies Form,
      ],
      [
        `quota/per-partner#${kind}`,
        {
          banUntil: (partner, one, r, until) =>
            one === kind
              ? (BASE['quota/per-partner']!.banUntil?.(partner, one, r, until) ?? until)
              : until,
        } satisfies Form,
      ],
    ]),
  ),
  'quota/ban-lasts-24h#lifted-by-a-refusal': {
    banUntil: (partner, kind, r, until) => {
      if (until > r.service.now() + MINUTE_MS)
        partner.bannedUntil[kind] = r.service.now() + MINUTE_MS;
      return until;
    },
  },
  'quota/ban-lasts-24h#until-midnight': {
    banUntil: (_partner, _kind, r, until) =>
      until > 0 && Math.floor((until - DAY_MS) / DAY_MS) < Math.floor(r.service.now() / DAY_MS)
        ? 0
        : until,
  },
  'quota/ban-lasts-24h#with-scope': {
    banUntil: (_partner, _kind, r, until) => ('scope' in r.fields ? 0 : until),
    limit: (_kind, r) => ('scope' in r.fields ? 100 : undefined),
  },
  // Locks.
  'lock/default-10-minutes#five': lock(shorter, isDefault),
  'lock/default-10-minutes#eleven': lock((one) => {
    one.until += MINUTE_MS;
  }, isDefault),
  'lock/default-10-minutes#nine': lock((one) => {
    one.until -= MINUTE_MS;
  }, isDefault),
  'lock/default-10-minutes#an-hour': lock((one) => {
    one.until = one.at + HOUR_MS;
  }, isDefault),
  'lock/default-10-minutes#express-longer': lock(longer, (one) => isDefault(one) && isExpress(one)),
  'lock/default-10-minutes#express-shorter': lock(
    shorter,
    (one) => isDefault(one) && isExpress(one),
  ),
  'lock/default-10-minutes#carpool-longer': lock(longer, (one) => isDefault(one) && isPool(one)),
  'lock/default-10-minutes#carpool-shorter': lock(shorter, (one) => isDefault(one) && isPool(one)),
  'lock/default-10-minutes#user-longer': lock(longer, (one) => isDefault(one) && isUsers(one)),
  'lock/default-10-minutes#user-shorter': lock(shorter, (one) => isDefault(one) && isUsers(one)),
  'lock/default-10-minutes#next-drops-it': {
    locks: (one, service) => {
      for (const other of service.locks.values())
        if (other.partner === one.partner && isDefault(one)) other.until = service.now();
    },
  },
  'lock/default-10-minutes#next-extends-it': {
    locks: (one, service) => {
      for (const other of service.locks.values())
        if (other.partner === one.partner && isDefault(one) && other.until > service.now())
          other.until = one.until;
    },
  },
  'lock/default-10-minutes#next-shares-its-end': {
    locks: (one, service) => {
      const first = [...service.locks.values()].find(
        (other) => other.partner === one.partner && other.until > service.now(),
      );
      if (first && isDefault(one)) one.until = first.until;
    },
  },
  'lock/default-10-minutes#read-extends-it': {
    lockView: (view, one, service) => {
      if (isDefault(one) && view['locked'] === true) one.until = service.now() + 10 * MINUTE_MS;
    },
  },
  'lock/default-10-minutes#flag-stays': {
    lockView: (view, one) => {
      if (isDefault(one)) view['locked'] = true;
    },
  },
  'lock/default-10-minutes#until-later': {
    lockView: (view, one) => {
      if (isDefault(one)) view['lockedUntil'] = new Date(one.until + 20 * MINUTE_MS).toISOString();
    },
  },
  'lock/default-10-minutes#until-earlier': {
    lockView: (view, one) => {
      if (isDefault(one)) view['lockedUntil'] = new Date(one.until - 5 * MINUTE_MS).toISOString();
    },
  },
  'lock/default-10-minutes#other-price': {
    lockView: (view, one) => {
      if (isDefault(one)) view['estimatePrice'] = one.price + 100;
    },
  },
  'lock/default-10-minutes#price-of-the-latest': {
    lockView: (view, one, service) => {
      const latest = [...service.locks.values()].findLast(({ partner }) => partner === one.partner);
      if (isDefault(one) && latest) view['estimatePrice'] = latest.price;
    },
  },
  'lock/default-10-minutes#departure-price-unlocked': {
    lockView: (view, one, service) => {
      if (isDefault(one) && service.now() - one.at > 5 * MINUTE_MS)
        view['estimatePrice'] = one.price + 100;
    },
  },
  'lock/partner-60-minutes#thirty': lock((one) => {
    one.until = one.at + 30 * MINUTE_MS;
  }, isLong),
  'lock/partner-60-minutes#two-hours': lock((one) => {
    one.until = one.at + 2 * HOUR_MS;
  }, isLong),
  'lock/partner-60-minutes#express': lock(
    (one) => {
      one.until = one.at + 10 * MINUTE_MS;
    },
    (one) => isLong(one) && isExpress(one),
  ),
  'lock/partner-60-minutes#carpool': lock(
    (one) => {
      one.until = one.at + 10 * MINUTE_MS;
    },
    (one) => isLong(one) && isPool(one),
  ),
  'lock/partner-60-minutes#user': lock(
    (one) => {
      one.until = one.at + 10 * MINUTE_MS;
    },
    (one) => isLong(one) && isUsers(one),
  ),
  'lock/partner-60-minutes#next-drops-it': {
    locks: (one, service) => {
      for (const other of service.locks.values())
        if (other.partner === one.partner && isLong(one)) other.until = service.now();
    },
  },
};
