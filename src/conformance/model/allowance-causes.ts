import { ALLOWANCE_PER_DAY, BAN_MS, ordinalWord } from '../../interface/limits.ts';
import type { Odd, Reading, Request } from './allowance-reading.ts';
import { type Asked, groupedBy, isBefore } from './asked.ts';
import { bansOf } from './bans.ts';
import { beyondCause } from './beyond-causes.ts';
import type { Breach } from './breach.ts';
import { countedTogether } from './counted-together.ts';
import type { Day } from './days.ts';
import { elapsed } from './elapsed.ts';

/** Rules on what an allowance covers. */
export const ALLOWS = {
  platform: 'quota/platform-allows-10',
  user: 'quota/user-allows-5',
  refresh: 'quota/refresh-allows-10',
} as const;

/** Rules on what is refused beyond an allowance. */
export const REFUSES = {
  platform: 'quota/platform-refuses-11th',
  user: 'quota/user-refuses-6th',
  refresh: 'quota/refresh-refuses-11th',
} as const;

/** Cause of what the best reading does not explain: a rule, and what else shows it. */
export interface Cause {
  readonly rule: string;
  readonly words: string;
  readonly others: readonly Asked[];
  readonly isOfAll?: true;
}

/** Finds the rule of a request that the best reading does not explain; null where nothing can be said. */
export function breachOf(
  { asked, counted, how, ban }: Odd,
  cause: Cause | null,
  requests: readonly Request[],
  reading: Reading,
): Omit<Breach, 'isLasting'> | null {
  const { kind, status, id, sentMs } = asked;
  const place = counted.length + 1;
  const which = `${ordinalWord(place)} ${kind} token request`;
  const breach = (
    rule: string,
    reason: string,
    others: readonly Asked[],
  ): Omit<Breach, 'isLasting'> => {
    const shown = others.slice(-12).map((one) => one.id);
    return { rule, reason: `the service ${reason}`, key: id, place, exchanges: [...shown, id] };
  };
  if (how === 'accepted beyond')
    return breach(
      REFUSES[kind],
      `${asked.got.accessToken === null ? 'answered with status 200, and no access_token,' : 'accepted'} the ${which} of the day${beyondCause(asked, counted, requests, reading)}`,
      counted,
    );
  if (ban) {
    const since = `${elapsed(sentMs - ban.sentMs)} after it refused one beyond the allowance`;
    const lifted = liftedBy(asked, ban, requests);
    const once = lifted ? `, once it had accepted a ${lifted.kind} token request` : '';
    const during = duringBan(asked, ban, requests);
    const last = during.findLast((one) => one.kind === kind && one.outcome === 'refused');
    const lastMs = last ? last.sentMs - ban.sentMs : 0;
    const until = lastMs < MINUTE_MS ? '' : `, and refused another ${elapsed(lastMs)} after it`;
    const others = [ban, last, lifted].filter((one) => one !== undefined);
    const sinceMs = sentMs - ban.sentMs;
    const what = `accepted a ${kind} token request ${since}${until}${once}`;
    return { ...breach('quota/ban-lasts-24h', what, others), sinceMs };
  }
  if (!cause) return null;
  const refused = `refused the ${which} of the day with status ${status}`;
  const found = breach(cause.rule, `${refused}${cause.words}`, cause.others);
  return { ...found, isOfAll: cause.isOfAll };
}

const MINUTE_MS = 60_000;

/** Requests of a partner between the refusal that began a ban and a later one. */
const duringBan = (asked: Request, ban: Request, requests: readonly Request[]): Request[] =>
  requests.filter(
    (one) => one.partner === asked.partner && isBefore(ban, one) && isBefore(one, asked),
  );

/** The request of another kind that was accepted after the last refusal of a ban; undefined for none. */
function liftedBy(asked: Request, ban: Request, requests: readonly Request[]): Request | undefined {
  const { kind } = asked;
  const during = duringBan(asked, ban, requests);
  const last = during.findLastIndex((one) => one.kind === kind && one.outcome === 'refused');
  const since = last === -1 ? [] : during.slice(last);
  return since.find((one) => one.kind !== kind && one.outcome === 'accepted');
}

/** Facts of a whole log about a refused request. */
interface Facts {
  /** Most requests of its kind that a partner was granted on one day. */
  readonly granted: number;
  /** True if a rate limit for all partners may have refused it. */
  readonly isOfRate: boolean;
  /** Ways to count days that explain the log alike. */
  readonly days: readonly Day[];
}

/** Finds why a request within its allowance was refused; null where no partner was granted any. */
export function causeOf(
  { asked, counted }: Odd,
  requests: readonly Request[],
  reading: Reading,
  { granted, isOfRate, days }: Facts,
): Cause | null {
  const { kind, partner, sentMs } = asked;
  const most = ALLOWANCE_PER_DAY[kind];
  const before = requests.filter((one) => isBefore(one, asked));
  const own = before.filter((one) => one.partner === partner);
  const accepted = own.filter(({ outcome }) => outcome === 'accepted');
  const allows: Cause = { rule: ALLOWS[kind], words: '', others: counted };
  const shared = isOfRate ? [] : grantedToAll(asked, requests, reading);
  if (shared.length > 0) {
    const words = `, once ${most} of all partners had been accepted that day`;
    return { rule: ALLOWS[kind], words, others: shared, isOfAll: true };
  }
  if (granted === 0) return null;
  const together = (): Cause | null => {
    const found = countedTogether(asked, requests, days);
    return found && { rule: 'quota/counters-independent', ...found };
  };
  if (counted.length >= granted)
    return isRefusedAnyway(asked, requests, counted.length) ? together() : allows;
  const ban = bansOf(own, reading).findLast(
    (one) => one.kind === kind || reading.banReach === 'tokens',
  );
  if (ban) {
    const since = `${elapsed(sentMs - ban.sentMs)} after the request that began its ban`;
    return { rule: 'quota/ban-lifts', words: `, ${since}`, others: [ban] };
  }
  const earlier = accepted.filter((one) => one.kind === kind && !counted.includes(one));
  if (earlier.length + counted.length >= most) {
    const full = earlier.find((one, at) => {
      const last = earlier[at + most - 1];
      return last !== undefined && last.sentMs - one.sentMs < BAN_MS;
    });
    const words = full
      ? `, ${elapsed(sentMs - full.sentMs)} after the first of ${most} of an earlier day`
      : `, with ${earlier.length} of earlier days`;
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
  if (apart.length === 0) return isOther ? together() : allows;
  if (isRefusedAnyway(asked, requests, most)) return together();
  const words = `, with ${apart.length} of other kinds`;
  return { rule: 'quota/counters-independent', words, others: apart };
}

/** Days with a whole allowance of all partners, from which that is none of a rate limit. */
const FULL_DAYS = 2;

/**
 * Requests that used up the allowance of a day by which a service counts those of all partners together; empty unless
 * no day has more, others have as many, and several partners are refused then.
 */
function grantedToAll(asked: Request, requests: readonly Request[], { day }: Reading): Request[] {
  const accepted = requests.filter(
    ({ kind, outcome }) => kind === asked.kind && outcome === 'accepted',
  );
  const ofDay = (one: Request): Request[] =>
    accepted.filter((other) => isBefore(other, one) && day.isSure(other, one, accepted));
  const most = ALLOWANCE_PER_DAY[asked.kind];
  const own = ofDay(asked);
  if (own.length !== most || own.every(({ partner }) => partner === asked.partner)) return [];
  const days = accepted.map((one) => [...ofDay(one), one]);
  if (days.some(({ length }) => length > most)) return [];
  const full = days.filter(
    (some) => some.length === most && some.some(({ partner }) => partner !== some[0]!.partner),
  );
  const refused = requests.filter(
    (one) => one.kind === asked.kind && one.outcome === 'refused' && one.isRight,
  );
  const beyond = refused.filter((one) => ofDay(one).length === most);
  const partners = new Set(beyond.map(({ partner }) => partner));
  return full.length >= FULL_DAYS && partners.size > 1 ? own : [];
}

/** Checks whether a like request was refused to another partner that had sent fewer token requests in two days. */
function isRefusedAnyway(asked: Request, requests: readonly Request[], few: number): boolean {
  return requests.some(
    (one) =>
      one.isRight &&
      one.outcome === 'refused' &&
      one.kind === asked.kind &&
      one.status === asked.status &&
      one.partner !== asked.partner &&
      // Refused requests may count too, and against any allowance; a ban lasts into the next day.
      requests.filter(
        (other) =>
          other.partner === one.partner &&
          other.outcome !== 'broken' &&
          isBefore(other, one) &&
          one.sentMs - other.sentMs < 2 * BAN_MS,
      ).length < few,
  );
}
