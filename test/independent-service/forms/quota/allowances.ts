import type { Attempt, Form } from '../../form.ts';
import { type Counted, DAY_MS, HOUR_MS, type Kind, textOf } from '../../state.ts';
import { limit, onRefusal } from '../builders.ts';

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

/** An allowance for each scope. */
const byScope = (kind: Kind): Form =>
  apart(kind, (one, r) => one.scope === textOf(r.fields['scope'] ?? 'public'));

const together = (kind: Kind, others: readonly Kind[]): Form => ({
  counts: (one, r, isCounted) =>
    isCounted ||
    (r.kind === kind && others.includes(one.kind) && r.service.now() - one.at < DAY_MS / 2),
});

const neverReset = (kind: Kind): Form => ({
  counts: (one, r, isCounted) => isCounted || (r.kind === kind && one.kind === kind),
});

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

/** No limit once the partner was granted so many requests of another kind in its last day. */
const unlimitedBeside = (which: Kind, other: Kind, count: number): Form => ({
  limit: (kind, r) => {
    const sinceMs = r.service.now() - DAY_MS;
    const asked = r.partner?.asked.filter((one) => one.kind === other && one.at > sinceMs) ?? [];
    return kind === which && asked.length >= count ? 100 : undefined;
  },
});

/** Forgets requests of a kind that the partner was granted: all, or the last. */
const forget =
  (kind: Kind, count: number) =>
  ({ partner }: Attempt): void => {
    if (!partner) return;
    const own = partner.asked.filter((one) => one.kind === kind).slice(-count);
    partner.asked = partner.asked.filter((one) => !own.includes(one));
  };

/** One allowance of all partners. */
const sharedByAll = (which: Kind, allowance: number): Form => ({
  limit: (kind, r) => {
    if (kind !== which) return undefined;
    const sinceMs = r.service.now() - DAY_MS;
    const asked = [...r.service.partners.values()].flatMap((partner) => partner.asked);
    const isUsedUp =
      asked.filter((one) => one.kind === kind && one.at > sinceMs).length >= allowance;
    return isUsedUp ? 0 : undefined;
  },
});

/** Allowances that are smaller, larger, or counted otherwise. */
export const ALLOWANCES: Readonly<Record<string, Form>> = {
  'quota/platform-allows-10#nine': limit('platform', 9),
  'quota/platform-allows-10#one': limit('platform', 1),
  'quota/user-allows-5#three': limit('user', 3),
  'quota/refresh-allows-10#five': limit('refresh', 5),
  'quota/platform-allows-10#of-all-partners': sharedByAll('platform', 10),
  'quota/user-allows-5#of-all-partners': sharedByAll('user', 5),
  'quota/refresh-allows-10#of-all-partners': sharedByAll('refresh', 10),
  'quota/refresh-allows-10#user-five': {
    limit: (kind, r) => (kind === 'refresh' && r.user !== null ? 5 : undefined),
  },
  'quota/platform-refuses-11th#eleven': limit('platform', 11),
  'quota/platform-refuses-11th#twelve': limit('platform', 12),
  'quota/platform-refuses-11th#an-hour': window('platform', HOUR_MS),
  'quota/platform-refuses-11th#twelve-hours': window('platform', 12 * HOUR_MS),
  'quota/platform-refuses-11th#calendar-hour': calendar('platform', HOUR_MS),
  'quota/platform-refuses-11th#calendar-half-day': calendar('platform', 12 * HOUR_MS),
  'quota/platform-refuses-11th#by-scope': byScope('platform'),
  'quota/platform-refuses-11th#race': { races: ({ kind }) => kind === 'platform' },
  'quota/platform-refuses-11th#refused-then-accepted': {
    limit: (kind, r) =>
      kind === 'platform' && r.service.bans.includes(r.partner?.id ?? '') ? 100 : undefined,
    banUntil: (_partner, kind, _r, until) => (kind === 'platform' ? 0 : until),
  },
  'quota/platform-refuses-11th#once-only': {
    limit: (kind, r) =>
      kind === 'platform' &&
      r.service.bans.includes(r.partner?.id ?? '') &&
      (r.partner?.bannedUntil.platform ?? 0) <= r.service.now()
        ? 100
        : undefined,
  },
  'quota/platform-refuses-11th#carried-over': carriedOver('platform', 10),
  'quota/platform-refuses-11th#beside-users': unlimitedBeside('platform', 'user', 5),
  'quota/user-refuses-6th#six': limit('user', 6),
  'quota/user-refuses-6th#an-hour': window('user', HOUR_MS),
  'quota/user-refuses-6th#twelve-hours': window('user', 12 * HOUR_MS),
  'quota/user-refuses-6th#race': { races: ({ kind }) => kind === 'user' },
  'quota/user-refuses-6th#by-scope': byScope('user'),
  'quota/user-refuses-6th#carried-over': carriedOver('user', 5),
  'quota/user-refuses-6th#beside-platform': unlimitedBeside('user', 'platform', 10),
  'quota/refresh-refuses-11th#eleven': limit('refresh', 11),
  'quota/refresh-refuses-11th#an-hour': window('refresh', HOUR_MS),
  'quota/refresh-refuses-11th#twelve-hours': window('refresh', 12 * HOUR_MS),
  'quota/refresh-refuses-11th#calendar-hour': calendar('refresh', HOUR_MS),
  'quota/refresh-refuses-11th#by-chain': apart(
    'refresh',
    (one, r) => one.family === (r.refresh?.family ?? ''),
  ),
  'quota/refresh-refuses-11th#user-uncounted': {
    limit: (kind, r) => (kind === 'refresh' && r.user !== null ? 100 : undefined),
  },
  'quota/refresh-refuses-11th#race': {
    counts: (_one, _r, isCounted) => isCounted,
    races: ({ kind, refresh }) => kind === 'refresh' && refresh?.usedAt === null,
  },
  'quota/refresh-refuses-11th#thirteen': limit('refresh', 13),
  'quota/refresh-refuses-11th#by-scope': byScope('refresh'),
  'quota/refresh-refuses-11th#carried-over': carriedOver('refresh', 10),
  'quota/refresh-refuses-11th#beside-platform': unlimitedBeside('refresh', 'platform', 10),
  'quota/platform-refuses-11th#cleared-by-a-wrong-signature': onRefusal(
    'signature',
    forget('platform', 99),
  ),
  'quota/platform-refuses-11th#given-back-by-an-old-time': onRefusal(
    'time-old',
    forget('platform', 1),
  ),
  'quota/user-refuses-6th#cleared-by-an-unknown-code': onRefusal(
    'code-unknown',
    forget('user', 99),
  ),
  'quota/refresh-refuses-11th#cleared-by-a-wrong-signature': onRefusal(
    'signature',
    forget('refresh', 99),
  ),
  'quota/platform-refuses-11th#cleared-by-a-ban-of-another': {
    banMs: (_kind, r) => {
      for (const other of r.service.partners.values()) if (other !== r.partner) other.asked = [];
      return undefined;
    },
  },
  'quota/counters-independent#user-refresh-spends-user': {
    counts: (one, r, isCounted) =>
      isCounted ||
      (r.kind === 'user' &&
        one.kind === 'refresh' &&
        one.user !== 'the-user' &&
        r.service.now() - one.at < DAY_MS / 2),
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
  'quota/daily-reset#month': {
    counts: (one, r, isCounted) =>
      isCounted ||
      (one.kind === r.kind &&
        new Date(one.at).getUTCDate() === new Date(r.service.now()).getUTCDate()),
  },
  'quota/daily-reset#half': {
    counts: (one, r, isCounted) =>
      isCounted ||
      (one.kind === r.kind &&
        one.at > r.service.now() - 2 * DAY_MS &&
        Math.floor(one.at) % 2 === 0),
  },
  ...Object.fromEntries(
    (['platform', 'user', 'refresh'] as const).map((kind) => [
      `quota/daily-reset#${kind}-renewed-by-each`,
      renewedByEach(kind),
    ]),
  ),
};
