import { type Attempt, type Fields, type Form, only } from '../../form.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type RefreshToken } from '../../state.ts';
import { BASE } from '../base.ts';
import { answer, early, forgive, isUsers, refuse } from '../builders.ts';
import { memoryOf, remember } from '../memory.ts';

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

/** Refresh_tokens that the partner was issued after a time. */
const issuedSince = (r: Attempt, atMs: number): RefreshToken[] =>
  [...r.service.refreshes.values()].filter(
    ({ partner, issued }) => partner === r.partner && issued > atMs,
  );

const answersOf = new WeakMap<object, Fields>();

/** A used token that is accepted again in a request that has this in common with its first use. */
const replayOfKnown = (partOf: (r: Attempt) => unknown): Form => {
  const keyOf = (used: RefreshToken): string => `use of ${used.text}`;
  return {
    ...replay((used, _now, r) => memoryOf<unknown>(r, keyOf(used), null) === partOf(r)),
    ...answer((_json, r) => {
      if (r.refresh) remember(r, keyOf(r.refresh), partOf(r));
    }),
  };
};

/** Refresh_tokens that are accepted twice, expire, or do not rotate. */
export const REFRESH_TOKENS: Readonly<Record<string, Form>> = {
  'lifecycle/expired-replaced-by-refresh#sixth-in-a-row': refuse(
    'refresh',
    ({ refresh }) => refresh !== null && refresh.generation >= 5,
  ),
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
      issuedSince(r, r.refresh.usedAt ?? 0).some(({ family }) => family !== r.refresh?.family),
  ),
  'lifecycle/refresh-single-use#after-two-years': forgive(
    'refresh-used',
    (r) => r.service.now() - (r.refresh?.usedAt ?? 0) > 730 * DAY_MS,
  ),
  'lifecycle/refresh-single-use#after-a-week': forgive(
    'refresh-used',
    (r) => r.service.now() - (r.refresh?.usedAt ?? 0) > 7 * DAY_MS,
  ),
  'lifecycle/refresh-single-use#same-request': replayOfKnown(({ raw }) => raw),
  'lifecycle/refresh-single-use#forgotten-after-five': replay((used) => {
    let count = 0;
    for (let next = used.successor; next && next.usedAt !== null; next = next.successor) count++;
    return count >= 5;
  }),
  'lifecycle/refresh-single-use#same-time': replayOfKnown(({ fields }) => fields['_']),
  'lifecycle/refresh-single-use-concurrent#user': { races: ({ refresh }) => refresh?.user != null },
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
      issuedSince(r, issued).some((one) => one.user === null && one.family !== family),
  ),
  'lifecycle/refresh-never-expires#unused-access-token': agedRefresh(
    (ageMs, { access }) => access.usedAt === null && ageMs > 30 * DAY_MS,
  ),
  'lifecycle/refresh-never-expires#three-kept': agedRefresh(
    (_ageMs, { issued, user }, r) =>
      user === null && issuedSince(r, issued).filter((one) => one.user === null).length >= 3,
  ),
  'lifecycle/refresh-never-expires#user-login': agedRefresh(
    (_ageMs, { issued, user }, r) => user === null && issuedSince(r, issued).some(isUsers),
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
};
