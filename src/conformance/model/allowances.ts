import {
  ALLOWANCE_KINDS,
  ALLOWANCE_PER_DAY,
  type AllowanceKind,
  LIMITS,
} from '../../interface/limits.ts';
import { type Asked, groupedBy, isBefore, mayPrecede } from './asked.ts';
import type { Breach } from './breach.ts';
import { elapsed } from './elapsed.ts';
import { Rates, wentAway } from './rates.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const BAN_MS = LIMITS.banSeconds * 1000;

/** Most by which the clocks of both sides may disagree at a midnight, ms. */
const SKEW_MS = 2_000;
/** Wall time after which no limit of the rate refuses a request again, ms. */
const REST_MS = 60_000;

/** Token request. */
type Request = Asked & { readonly kind: AllowanceKind };

/** One answer to each gap of the interface about allowances, for a whole log. */
interface Reading {
  /** Requests that are surely, or possibly, counted on the day of another. */
  readonly day: Day;
  readonly countsRefused: boolean;
  readonly banReach: 'kind' | 'tokens';
}

interface Day {
  readonly isSure: (earlier: Asked, later: Asked, counted: readonly Asked[]) => boolean;
  readonly isPossible: (earlier: Asked, later: Asked) => boolean;
  /** Text that is the same for days on which some times lie alike; in seconds. */
  readonly placesOf: (seconds: readonly number[]) => string;
}

const within24h = (earlier: Asked, later: Asked): boolean =>
  later.sentMs - earlier.answeredMs <= DAY_MS;

/** A calendar day; clocks may be set forward or back by an hour within the time of a log. */
function calendarDay(midnightMs: number): Day {
  const number = (ms: number): number => Math.floor((ms - midnightMs) / DAY_MS);
  const isSame = (aMs: number, bMs: number, shiftMs: number): boolean =>
    number(aMs - shiftMs) === number(bMs - shiftMs);
  const shifts = [0, HOUR_MS];
  return {
    isSure: (earlier, later) =>
      shifts.every((ms) => isSame(earlier.sentMs - SKEW_MS, later.answeredMs + SKEW_MS, ms)),
    isPossible: (earlier, later) =>
      shifts.some((ms) => isSame(earlier.answeredMs + SKEW_MS, later.sentMs - SKEW_MS, ms)) ||
      earlier.answeredMs + 2 * SKEW_MS > later.sentMs,
    placesOf: (seconds) => {
      const numbers = seconds.flatMap((one) =>
        shifts.flatMap((ms) => [-SKEW_MS, SKEW_MS].map((skew) => number(one * 1000 - ms + skew))),
      );
      return numbers.map((one) => one - numbers[0]!).join();
    },
  };
}

const DAYS: readonly Day[] = [
  ...Array.from({ length: 96 }, (_, quarter) => calendarDay(quarter * 15 * MINUTE_MS)),
  {
    // The last 24 hours.
    isSure: (earlier, later) => later.answeredMs - earlier.sentMs < DAY_MS,
    isPossible: within24h,
    placesOf: () => 'rolling',
  },
  {
    // 24 hours from the first request.
    isSure: (earlier, later, counted) => {
      let start = Number.NEGATIVE_INFINITY;
      for (const one of counted) {
        if (one.sentMs > earlier.sentMs) break;
        if (one.sentMs - start >= DAY_MS) start = one.sentMs;
      }
      return later.answeredMs - start < DAY_MS;
    },
    isPossible: within24h,
    placesOf: () => 'from the first',
  },
];

/** Checks whether two times lie on one day however days are counted; ms. */
export function isSurelyOneDay(earlier: Asked, later: Asked): boolean {
  return DAYS.every((day) => day.isSure(earlier, later, [earlier]));
}

const READINGS: readonly Reading[] = [false, true].flatMap((countsRefused) =>
  (['kind', 'tokens'] as const).flatMap((banReach) =>
    DAYS.map((day) => ({ day, countsRefused, banReach })),
  ),
);

/** A request that no reading explains, before a rule is found for it. */
interface Odd {
  readonly asked: Request;
  readonly how: 'accepted beyond' | 'accepted while banned' | 'refused within';
  /** Requests of its kind, partner and day that were surely accepted before it. */
  readonly counted: readonly Request[];
  /** Refused request that began the ban. */
  readonly ban?: Request;
}

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
      ? causeOf(odd, requests, least.reading, grantedOf(odd.asked.kind))
      : null;
    const breach = breachOf(odd, cause);
    return breach ? [{ ...breach, isLasting: lasts(odd) }] : [];
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

interface Ban {
  readonly by: Request;
  /** Surely in force before, and possibly up to; ms. */
  readonly sureUntilMs: number;
  readonly possibleUntilMs: number;
  readonly isSure: boolean;
}

/** Explains the requests of one partner; readings in which they lie on the same days need it once. */
function remembered(
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
    // One refusal may have another cause; the next one, or a rest before it, shows that it began a ban.
    const first = own.find(
      (one) =>
        one.kind === kind &&
        one.outcome === 'refused' &&
        isBefore(one, asked) &&
        sure.every((other) => isBefore(other, one)),
    );
    const begin = first ?? (isLastingBan(asked, asked) ? asked : undefined);
    if (
      isExceeded &&
      begin &&
      !mayBeLockedOut(begin, own) &&
      !bans.some(({ by, isSure }) => isSure && by.kind === kind && sentMs < by.answeredMs + BAN_MS)
    )
      bans.push(banBy(begin, true));
    // Any refusal may begin a ban, or extend one.
    if (mayBeExceeded || asked.isRight) bans.push(banBy(asked, false));
  }
  return odd;
}

/** Fewest refusals after which a service locks a partner out, and the longest time for that, ms. */
const LOCK_OUT_AFTER = 3;
const LOCK_OUT_MS = HOUR_MS;

/**
 * Checks whether a refusal follows several of other kinds, with none accepted between them: a service may lock out a
 * partner that it refused often, for a while, and then this one began no ban.
 */
function mayBeLockedOut(refused: Request, own: readonly Request[]): boolean {
  const before = own.filter((one) => isBefore(one, refused));
  const since = before.slice(before.findLastIndex(({ outcome }) => outcome === 'accepted') + 1);
  const others = since.filter(
    ({ kind, answeredMs }) => kind !== refused.kind && refused.sentMs - answeredMs < LOCK_OUT_MS,
  );
  return others.length >= LOCK_OUT_AFTER;
}

const banBy = (by: Request, isSure: boolean): Ban => ({
  by,
  isSure,
  sureUntilMs: by.sentMs + BAN_MS,
  possibleUntilMs: by.answeredMs + BAN_MS + 1_000,
});

/** Checks whether a refusal went away by itself, while what an allowance or a ban refuses stays refused. */
function isTransient(asked: Request, own: readonly Request[], day: Day): boolean {
  if (asked.status === 503 || (asked.retryAfterS ?? Infinity) <= 3_600) return true;
  return own.some(
    (one) =>
      one.kind === asked.kind &&
      one.outcome === 'accepted' &&
      isBefore(asked, one) &&
      day.isSure(asked, one, [asked]),
  );
}

/** Most requests of a partner, and of all, in the minute before one that no limit of the rate refuses. */
const FEW_OF_PARTNER = 2;
const FEW = 8;

/** Checks whether a minute of the wall clock lies between two requests. */
function isRested(earlier: Asked, later: Asked): boolean {
  return later.wallMs - earlier.wallMs >= REST_MS;
}

/**
 * Checks whether a refusal was none for the rate: few requests were sent in the minute before it, another
 * request was accepted that followed at least as many, or the next of its kind was refused as well, a minute
 * later and after few others.
 */
function isLasting(asked: Request, log: readonly Asked[], rates: Rates, until?: Asked): boolean {
  const before = (one: Asked): Asked[] =>
    log.filter((other) => isBefore(other, one) && !isRested(other, one));
  if (before(asked).length <= FEW_OF_PARTNER || rates.isGranted(asked)) return true;
  const own = log.filter((one) => one.partner === asked.partner && isBefore(asked, one));
  // What follows the refusal of another kind may be due to the ban that this began.
  const end =
    until ??
    own.find(({ kind, outcome }) => kind !== null && kind !== asked.kind && outcome === 'refused');
  const later = own.filter((one) => one.kind === asked.kind && (!end || isBefore(one, end)));
  const ends = later.findIndex(({ outcome }) => outcome === 'accepted');
  return later.slice(0, ends === -1 ? undefined : ends).some((one) => {
    const others = before(one);
    const ofPartner = others.filter(({ partner }) => partner === one.partner);
    const isRare = others.length <= FEW && ofPartner.length <= FEW_OF_PARTNER;
    return one.outcome === 'refused' && isRested(asked, one) && isRare;
  });
}

const ALLOWS = {
  platform: 'quota/platform-allows-10',
  user: 'quota/user-allows-5',
  refresh: 'quota/refresh-allows-10',
} as const;

const REFUSES = {
  platform: 'quota/platform-refuses-11th',
  user: 'quota/user-refuses-6th',
  refresh: 'quota/refresh-refuses-11th',
} as const;

/** Cause of what the best reading does not explain: a rule, and what else shows it. */
interface Cause {
  readonly rule: string;
  readonly words: string;
  readonly others: readonly Asked[];
}

/** Finds the rule of a request that the best reading does not explain; null where nothing can be said. */
function breachOf(
  { asked, counted, how, ban }: Odd,
  cause: Cause | null,
): Omit<Breach, 'isLasting'> | null {
  const { kind, status, id, sentMs } = asked;
  const place = counted.length + 1;
  const breach = (
    rule: string,
    reason: string,
    others: readonly Asked[],
  ): Omit<Breach, 'isLasting'> => {
    const shown = others.slice(-12).map((one) => one.id);
    return { rule, reason: `the service ${reason}`, key: id, place, exchanges: [...shown, id] };
  };
  if (how === 'accepted beyond')
    return breach(REFUSES[kind], `accepted ${kind} token request ${place} of a day`, counted);
  if (ban) {
    const since = `${elapsed(sentMs - ban.sentMs)} after it refused one beyond the allowance`;
    return breach('quota/ban-lasts-24h', `accepted a ${kind} token request ${since}`, [ban]);
  }
  if (!cause) return null;
  const refused = `refused ${kind} token request ${place} of a day with status ${status}`;
  return breach(cause.rule, `${refused}${cause.words}`, cause.others);
}

/** Finds why a request within its allowance was refused; null where no partner was granted any. */
function causeOf(
  { asked, counted }: Odd,
  requests: readonly Request[],
  reading: Reading,
  granted: number,
): Cause | null {
  const { kind, partner, sentMs } = asked;
  const most = ALLOWANCE_PER_DAY[kind];
  const before = requests.filter((one) => isBefore(one, asked));
  const own = before.filter((one) => one.partner === partner);
  const accepted = own.filter(({ outcome }) => outcome === 'accepted');
  const allows: Cause = { rule: ALLOWS[kind], words: '', others: counted };
  if (granted === 0) return null;
  if (counted.length >= granted)
    return isRefusedAnyway(asked, requests, counted.length) ? null : allows;
  const ban = bansOf(own, reading).findLast(
    (one) => one.kind === kind || reading.banReach === 'tokens',
  );
  if (ban) {
    const since = `${elapsed(sentMs - ban.sentMs)} after the request that began its ban`;
    return { rule: 'quota/ban-lifts', words: `, ${since}`, others: [ban] };
  }
  const earlier = accepted.filter((one) => one.kind === kind && !counted.includes(one));
  if (earlier.length + counted.length >= most) {
    const words = `, with ${earlier.length} of an earlier day`;
    return { rule: 'quota/daily-reset', words, others: earlier };
  }
  const apart = accepted.filter((one) => one.kind !== kind && reading.day.isPossible(one, asked));
  const foreign = before.filter(
    (one) => one.partner !== partner && sentMs - one.answeredMs < 2 * BAN_MS,
  );
  const [bannedOther] = [...groupedBy(foreign, (one) => one.partner).values()].flatMap((some) =>
    bansOf(some, reading),
  );
  // One that was accepted beyond what they come to together shows that they are counted apart.
  const isApart = (others: readonly Request[]): boolean =>
    counted.some((one) => {
      const until = [...others, ...counted].filter((other) => isBefore(other, one));
      return until.length >= most;
    });
  const isDisproved =
    isApart(apart) && [...groupedBy(apart, (one) => one.kind).values()].every(isApart);
  if (bannedOther && (isDisproved || apart.length + counted.length < most)) {
    const words = ' once another one was banned';
    return { rule: 'quota/per-partner', words, others: [bannedOther] };
  }
  // Where nothing was granted yet, no allowance is used up.
  const isOther = accepted.length === 0 || isRefusedAnyway(asked, requests, counted.length);
  if (apart.length === 0) return isOther ? null : allows;
  if (isRefusedAnyway(asked, requests, most)) return null;
  const words = `, with ${apart.length} of other kinds`;
  return { rule: 'quota/counters-independent', words, others: apart };
}

/** Checks whether a request like a refused one was refused to a partner that had been granted fewer than a number. */
function isRefusedAnyway(asked: Request, requests: readonly Request[], few: number): boolean {
  return requests.some(
    (one) =>
      one.isRight &&
      one.outcome === 'refused' &&
      one.kind === asked.kind &&
      one.status === asked.status &&
      one.partner !== asked.partner &&
      requests.filter(
        (other) =>
          other.partner === one.partner && other.outcome === 'accepted' && isBefore(other, one),
      ).length < few,
  );
}

/** Refused requests of a partner that surely exceeded an allowance. */
function bansOf(own: readonly Request[], { day }: Reading): Request[] {
  return own.filter((asked) => {
    if (asked.outcome !== 'refused') return false;
    const counted = own.filter((one) => one.kind === asked.kind && one.outcome === 'accepted');
    const sure = counted.filter((one) => isBefore(one, asked) && day.isSure(one, asked, counted));
    return sure.length >= ALLOWANCE_PER_DAY[asked.kind];
  });
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
