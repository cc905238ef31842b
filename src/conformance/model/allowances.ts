import {
  ALLOWANCE_KINDS,
  ALLOWANCE_PER_DAY,
  type AllowanceKind,
  BAN_MS,
} from '../../interface/limits.ts';
import { breachOf, causeOf } from './allowance-causes.ts';
import type { Odd, Reading, Request } from './allowance-reading.ts';
import { type Asked, groupedBy, isBefore, mayPrecede } from './asked.ts';
import {
  type Ban,
  banBy,
  hasOtherCause,
  isLasting,
  isRested,
  isTransient,
  mayBeLockedOut,
  REST_MS,
} from './bans.ts';
import type { Breach } from './breach.ts';
import { DAYS, type Day } from './days.ts';
import { Rates, wentAway } from './rates.ts';

/** Readings of what the interface leaves open: the day, the reach of a ban, and whether refused requests count. */
export const READINGS: readonly Reading[] = [false, true].flatMap((countsRefused) =>
  (['kind', 'tokens'] as const).flatMap((banReach) =>
    DAYS.map((day) => ({ day, countsRefused, banReach })),
  ),
);

/**
 * Breaches of the rules on allowances and bans in a log, by the reading of the gaps that excuses most.
 *
 * @param of partners whose requests are judged; left out, all: the others show what the target grants
 */
export function allowanceBreaches(log: readonly Asked[], of?: ReadonlySet<string>): Breach[] {
  const requests = log.filter((one): one is Request => one.kind !== null);
  const partners = groupedBy(requests, ({ partner }) => partner);
  const rates = new Rates(log);
  // Others can break nothing by any reading.
  const used = [...partners.values()].filter(
    (own) => own.length > 4 || own.some(({ outcome }) => outcome === 'refused'),
  );
  const lasting = new Map<string, boolean>();
  const isLastingUntil = (asked: Request, until?: Request): boolean => {
    const key = `${asked.id} ${until?.id}`;
    const found = lasting.get(key) ?? isLasting(asked, log, rates, until);
    lasting.set(key, found);
    return found;
  };
  // A target that refuses at random does so with a status that no limit has.
  const atRandom = new Set(log.filter((one) => wentAway(one, log)).map(({ status }) => status));
  const lasts = ({ asked, how, ban, counted }: Odd): boolean => {
    if (how === 'accepted beyond') return true;
    if (how === 'refused within' && atRandom.has(asked.status) && asked.status !== 429)
      return false;
    if (ban && counted.length >= ALLOWANCE_PER_DAY[asked.kind]) return true;
    return ban ? isLastingUntil(ban, asked) : isLastingUntil(asked);
  };
  const judged = used.filter(([first]) => of?.has(first?.partner ?? '') ?? true);
  const explaining = judged.map((own) => remembered(own, isLastingUntil));
  const explained = READINGS.map((reading) => {
    const odd = explaining.flatMap((oddBy) => oddBy(reading));
    return { reading, odd, cost: costOf(odd.filter(lasts)) + costOf(odd) / 1e6 };
  });
  const least = explained.reduce((a, b) => (b.cost < a.cost ? b : a));
  const alike = explained.filter(({ cost }) => cost === least.cost);
  const days = new Set(alike.map(({ reading }) => reading.day));
  const granted = new Map<AllowanceKind, number>();
  const grantedOf = (kind: AllowanceKind): number => {
    const known = granted.get(kind);
    const most = known ?? Math.min(...[...days].map((day) => mostGranted(kind, used, day)));
    granted.set(kind, most);
    return most;
  };
  const breaches = least.odd.flatMap((odd): Breach[] => {
    const isRefused = odd.how === 'refused within';
    const cause = isRefused
      ? causeOf(odd, requests, least.reading, {
          granted: grantedOf(odd.asked.kind),
          isOfRate: !rates.isGrantedToAll(odd.asked),
          days: [...days],
        })
      : null;
    const breach = breachOf(odd, cause, requests, least.reading);
    return breach ? [{ ...breach, isLasting: breach.isOfAll || lasts(odd) }] : [];
  });
  // An allowance that is never full again refuses what comes after a ban as well.
  const isReset = !breaches.some(({ rule }) => rule === 'quota/daily-reset');
  return breaches.filter(({ rule }) => isReset || rule !== 'quota/ban-lifts');
}

/** Weighs what a reading leaves unexplained: by the number of its kinds, and then by its own. */
function costOf(odd: readonly Odd[]): number {
  const kinds = new Set(
    odd.map(({ how, asked }) => (how === 'accepted beyond' ? asked.kind : how)),
  );
  return kinds.size * 1000 + Math.min(odd.length, 999);
}

/** Explains the requests of one partner; readings in which they lie on the same days need it once. */
export function remembered(
  own: readonly Request[],
  isLastingBan: (ban: Request, until: Request) => boolean,
): (reading: Reading) => readonly Odd[] {
  const found = new Map<string, readonly Odd[]>();
  const times = own.flatMap(({ sentMs, answeredMs }) => [sentMs, answeredMs]);
  const seconds = [...new Set(times.map((ms) => Math.floor(ms / 1000)))];
  const isRefused = own.some(({ outcome }) => outcome === 'refused');
  const places = new Map(DAYS.map((day) => [day, day.placesOf(seconds)]));
  return (reading) => {
    const { day, countsRefused, banReach } = reading;
    const gaps = isRefused ? [countsRefused, banReach] : [];
    const key = [places.get(day), ...gaps].join(' ');
    const odd = found.get(key) ?? oddIn(own, reading, isLastingBan);
    found.set(key, odd);
    return odd;
  };
}

/** Requests of one partner that a reading of the gaps does not explain. */
function oddIn(
  own: readonly Request[],
  reading: Reading,
  isLastingBan: (ban: Request, until: Request) => boolean,
): Odd[] {
  const { day, countsRefused, banReach } = reading;
  const odd: Odd[] = [];
  const accepted = new Map(
    ALLOWANCE_KINDS.map((kind) => [
      kind,
      own.filter((one) => one.kind === kind && one.outcome === 'accepted'),
    ]),
  );
  let bans: Ban[] = [];
  for (const asked of own) {
    if (asked.outcome === 'broken') continue;
    const { kind, sentMs, answeredMs } = asked;
    const counted = accepted.get(kind) ?? [];
    const sure = counted.filter(
      (one) => one !== asked && isBefore(one, asked) && day.isSure(one, asked, counted),
    );
    const reaching = bans.filter(({ by }) => banReach === 'tokens' || by.kind === kind);
    if (asked.outcome === 'accepted') {
      const ban = reaching.find((one) => one.isSure && answeredMs < one.sureUntilMs);
      const isBeyond = sure.length >= ALLOWANCE_PER_DAY[kind];
      const isEarly =
        ban !== undefined && (!isBeyond || isRested(ban.by, asked) || isLastingBan(ban.by, asked));
      // Accepted right after the refusal, both are broken: one too many, and no ban.
      if (isBeyond && !(isEarly && asked.sentMs - ban.by.sentMs >= REST_MS))
        odd.push({ asked, how: 'accepted beyond', counted: sure });
      if (isEarly) {
        odd.push({ asked, how: 'accepted while banned', counted: sure, ban: ban.by });
        // One breach of a ban is enough.
        bans = bans.filter((one) => one !== ban);
      }
      // An acceptance ends what may have been a ban.
      bans = bans.filter(({ isSure, by }) => isSure || by.kind !== kind);
      continue;
    }
    const possible = own.filter(
      (one) =>
        one !== asked &&
        one.kind === kind &&
        mayPrecede(one, asked) &&
        (countsRefused ? true : one.outcome !== 'refused') &&
        day.isPossible(one, asked),
    );
    const isBanned = reaching.some(({ possibleUntilMs }) => sentMs <= possibleUntilMs);
    const isExceeded = sure.length >= ALLOWANCE_PER_DAY[kind];
    const mayBeExceeded = possible.length >= ALLOWANCE_PER_DAY[kind];
    if (asked.isRight && !isBanned && !mayBeExceeded && !isTransient(asked, own, day))
      odd.push({ asked, how: 'refused within', counted: sure });
    // One refusal may have another cause; the next one, or a rest before it, shows that a ban began, with the first.
    const refused = own.filter(
      (one) =>
        one.kind === kind &&
        one.outcome === 'refused' &&
        isBefore(one, asked) &&
        sure.every((other) => isBefore(other, one)),
    );
    const isProven = refused.some((one) => !hasOtherCause(one, own)) || isLastingBan(asked, asked);
    const begin = isProven ? (refused[0] ?? asked) : undefined;
    // A ban of another kind that reaches it may have refused it.
    const isOfOther = reaching.some(
      ({ by, possibleUntilMs }) => by.kind !== kind && begin && begin.sentMs <= possibleUntilMs,
    );
    if (
      isExceeded &&
      begin &&
      !hasOtherCause(asked, own) &&
      !isOfOther &&
      !mayBeLockedOut(begin, own) &&
      !bans.some(({ by, isSure }) => isSure && by.kind === kind && sentMs < by.answeredMs + BAN_MS)
    )
      bans.push(banBy(begin, true));
    // Any refusal may begin a ban, or extend one.
    if (mayBeExceeded || asked.isRight) bans.push(banBy(asked, false));
  }
  return odd;
}

/** Most requests of a kind that a partner was granted on one day. */
function mostGranted(
  kind: AllowanceKind,
  partners: readonly (readonly Request[])[],
  day: Day,
): number {
  let most = 0;
  for (const own of partners) {
    const accepted = own.filter((one) => one.kind === kind && one.outcome === 'accepted');
    for (let last = most; last < accepted.length; last++) {
      let first = last;
      while (first > 0 && day.isSure(accepted[first - 1]!, accepted[last]!, accepted)) first--;
      most = Math.max(most, last - first + 1);
    }
  }
  return most;
}
