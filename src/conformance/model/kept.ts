import {
  ALLOWANCE_KINDS,
  ALLOWANCE_PER_DAY,
  type AllowanceKind,
  BAN_MS,
  DURATION_WORDS,
  LIMITS,
  numberWord,
} from '../../interface/limits.ts';
import { type Asked, groupedBy, isBefore, mayPrecede } from './asked.ts';
import { isLikelyOneDay } from './days.ts';
import { elapsed } from './elapsed.ts';

const DAY_MS = 86_400_000;

/** Time before the end of a ban in which a refusal shows that it lasts, ms. */
const LAST_MS = 31 * 60_000;

/** Time within which another partner's acceptance shows that the target accepts requests, ms. */
const BESIDE_MS = 10 * 60_000;

/** Evidence that a rule was kept. */
export interface Kept {
  /** Action of the service, in words. */
  readonly reason: string;
  readonly exchanges: readonly string[];
}

/** Requests of one partner by kind and outcome, in order. */
interface Own {
  readonly all: readonly Asked[];
  accepted(kind: AllowanceKind): readonly Asked[];
  refused(kind: AllowanceKind): readonly Asked[];
}

const ownOf = (all: readonly Asked[]): Own => ({
  all,
  accepted: (kind) => all.filter((one) => one.kind === kind && one.outcome === 'accepted'),
  refused: (kind) => all.filter((one) => one.kind === kind && one.outcome === 'refused'),
});

/** Requests that used an allowance up within a day, by nearly all ways to count days. */
interface UsedUp {
  readonly first: Asked;
  readonly last: Asked;
}

/** Days on which a partner used an allowance up. */
function usedUp(own: Own, kind: AllowanceKind, isDay = isLikelyOneDay): UsedUp[] {
  const accepted = own.accepted(kind);
  const count = ALLOWANCE_PER_DAY[kind];
  return accepted.flatMap((first, at) => {
    const last = accepted[at + count - 1];
    return last && isDay(first, last) ? [{ first, last }] : [];
  });
}

/** Refusals of the request beyond an allowance. */
function beyond(
  own: Own,
  kind: AllowanceKind,
): { readonly refused: Asked; readonly used: UsedUp }[] {
  const days = usedUp(own, kind);
  return own.refused(kind).flatMap((refused) => {
    const used = days.findLast(
      ({ first, last }) => mayPrecede(last, refused) && isLikelyOneDay(first, refused),
    );
    return used ? [{ refused, used }] : [];
  });
}

const kept = (reason: string, ...shown: readonly Asked[]): Kept => ({
  reason,
  exchanges: shown.map(({ id }) => id),
});

type Partners = readonly Own[];

const allows =
  (kind: AllowanceKind) =>
  (partners: Partners): Kept | undefined => {
    const within24h = (first: Asked, last: Asked): boolean =>
      last.answeredMs - first.sentMs < DAY_MS;
    const [used] = partners.flatMap((own) => usedUp(own, kind, within24h));
    if (!used) return undefined;
    return kept(
      `${ALLOWANCE_PER_DAY[kind]} ${kind} token requests in a day succeeded`,
      used.first,
      used.last,
    );
  };

const refuses =
  (kind: AllowanceKind) =>
  (partners: Partners): Kept | undefined => {
    const [one] = partners.flatMap((own) => beyond(own, kind));
    if (!one) return undefined;
    const { refused, used } = one;
    const count = ALLOWANCE_PER_DAY[kind];
    const words = `number ${count + 1} was refused (status ${refused.status}), number ${count} accepted`;
    return kept(words, used.last, refused);
  };

/** Bans of partners, with the requests of others. */
function bans(partners: Partners): {
  readonly own: Own;
  readonly kind: AllowanceKind;
  readonly refused: Asked;
  readonly used: UsedUp;
  readonly others: readonly Asked[];
}[] {
  return partners.flatMap((own) =>
    ALLOWANCE_KINDS.flatMap((kind) => {
      // Each refusal that follows an acceptance may begin another one.
      const begun = beyond(own, kind).filter(({ used }, at, all) => all[at - 1]?.used !== used);
      const others = partners
        .filter((one) => one !== own)
        .flatMap(({ all }) => all)
        .filter((one) => one.kind !== null && one.outcome === 'accepted');
      return begun.map((one) => ({ own, kind, ...one, others }));
    }),
  );
}

function perPartner(partners: Partners): Kept | undefined {
  for (const { kind, refused, others } of bans(partners)) {
    const alike = others.filter((one) => one.kind === kind);
    const before = alike.findLast((one) => isBefore(one, refused));
    const after = alike.find(
      (one) => isBefore(refused, one) && one.sentMs < refused.sentMs + BAN_MS,
    );
    if (before && after)
      return kept(
        `another partner's ${kind} token request succeeded after the ban`,
        before,
        refused,
        after,
      );
  }
  return undefined;
}

function independent(partners: Partners): Kept | undefined {
  for (const own of partners) {
    const days = ALLOWANCE_KINDS.map((kind) => usedUp(own, kind));
    const together = days[0]?.flatMap((one) => {
      const others = days.slice(1).map((some) => some.find((other) => isOneDay(one, other)));
      return others.every((other) => other !== undefined) ? [[one, ...others]] : [];
    });
    const [found] = together ?? [];
    if (found)
      return kept(
        `${numberWord(LIMITS.platformTokensPerDay)} platform tokens, ${numberWord(LIMITS.userTokensPerDay)} user tokens and ${numberWord(LIMITS.refreshesPerDay)} refreshes of one partner in one day succeeded`,
        ...found.map(({ last }) => last),
      );
  }
  return undefined;
}

function isOneDay(one: UsedUp, other: UsedUp): boolean {
  const [first, last] = [one.first, one.last, other.first, other.last]
    .toSorted((a, b) => a.sentMs - b.sentMs)
    .filter((_one, at) => at === 0 || at === 3) as [Asked, Asked];
  return isLikelyOneDay(first, last);
}

/** An allowance that was used up, but not exceeded, was used up again on another day. */
function reset(partners: Partners): Kept | undefined {
  for (const own of partners) {
    const again = ALLOWANCE_KINDS.flatMap((kind) => {
      const days = usedUp(own, kind);
      const pairs = days.flatMap((one) => {
        const next = days.find(
          (other) =>
            other.first.sentMs - one.last.sentMs >= DAY_MS && isBefore(one.last, other.first),
        );
        const isBanned =
          next && own.refused(kind).some((no) => isBefore(one.last, no) && isBefore(no, next.last));
        return next && !isBanned ? [{ kind, one, next }] : [];
      });
      return pairs.slice(0, 1);
    });
    const [first] = again;
    if (first)
      return kept(
        `the ${again.map(({ kind }) => kind).join(', ')} allowance, used up, was full again a day later`,
        ...again.flatMap(({ one, next }) => [one.last, next.last]),
      );
  }
  return undefined;
}

function lasts(partners: Partners): Kept | undefined {
  for (const { own, kind, refused, used, others } of bans(partners)) {
    const endMs = refused.sentMs + BAN_MS;
    const probe = own
      .refused(kind)
      .findLast(({ sentMs }) => sentMs >= endMs - LAST_MS && sentMs < endMs);
    const beside = probe && others.find((one) => isBeside(one, probe));
    if (!probe || !beside) continue;
    // If the last 24 hours are counted, the allowance is full only once its first use is that old.
    const doubt =
      used.first.answeredMs + DAY_MS < probe.sentMs
        ? ''
        : ' (a service that counts the last 24 hours refuses that anyway; a run that waits probes when it does not)';
    return kept(
      `still refused ${elapsed(endMs - probe.sentMs)} before its ${DURATION_WORDS.ban} were over, a partner that is not banned accepted${doubt}`,
      refused,
      probe,
      beside,
    );
  }
  return undefined;
}

const isBeside = (one: Asked, probe: Asked): boolean =>
  Math.abs(one.sentMs - probe.sentMs) < BESIDE_MS;

function lifts(partners: Partners): Kept | undefined {
  for (const { own, kind, refused } of bans(partners)) {
    const after = own.accepted(kind).find((one) => one.sentMs >= refused.answeredMs + BAN_MS);
    if (!after) continue;
    const since = elapsed(after.sentMs - refused.answeredMs - BAN_MS);
    return kept(`accepted ${since} after its ${DURATION_WORDS.ban} were over`, refused, after);
  }
  return undefined;
}

const KEPT: Readonly<Record<string, (partners: Partners) => Kept | undefined>> = {
  'quota/platform-allows-10': allows('platform'),
  'quota/platform-refuses-11th': refuses('platform'),
  'quota/user-allows-5': allows('user'),
  'quota/user-refuses-6th': refuses('user'),
  'quota/refresh-allows-10': allows('refresh'),
  'quota/refresh-refuses-11th': refuses('refresh'),
  'quota/counters-independent': independent,
  'quota/per-partner': perPartner,
  'quota/daily-reset': reset,
  'quota/ban-lasts-24h': lasts,
  'quota/ban-lifts': lifts,
};

/** Evidence in a log that a rule on allowances was kept; undefined if there is none. */
export function keptIn(log: readonly Asked[], rule: string): Kept | undefined {
  const partners = groupedBy(log, ({ partner }) => partner);
  return KEPT[rule]?.([...partners.values()].map(ownOf));
}
