import { ALLOWANCE_PER_DAY, type AllowanceKind, BAN_MS } from '../../interface/limits.ts';
import { REFUSES } from './allowance-causes.ts';
import type { Odd, Request } from './allowance-reading.ts';
import { READINGS, remembered } from './allowances.ts';
import { type Asked, SKEW_MS } from './asked.ts';
import { DAY_MS, HOUR_MS } from './days.ts';

/** Rule that an acceptance would break, undefined where it breaks none; and whether a refusal would be right. */
export interface AllowanceOutlook {
  readonly refusedBy: string | undefined;
  readonly mayBeRefused: boolean;
}

/** Longest time that a request may count by any reading of the day, ms. */
const COUNTED_MS = DAY_MS + 2 * HOUR_MS;

/** Checks whether a partner may be banned at a time, by any reach of a ban, and though any refusal may extend it. */
export function mayBeBanned(own: readonly Asked[], atMs: number): boolean {
  let untilMs = Number.NEGATIVE_INFINITY;
  for (const [at, one] of own.entries()) {
    if (one.outcome !== 'refused' || one.kind === null) continue;
    const before = countedBefore(own.slice(0, at), one.kind, one.sentMs);
    if (before.length >= ALLOWANCE_PER_DAY[one.kind] || one.sentMs <= untilMs)
      untilMs = one.answeredMs + BAN_MS + SKEW_MS;
  }
  return atMs <= untilMs;
}

const countedBefore = (own: readonly Asked[], kind: AllowanceKind, atMs: number): Asked[] =>
  own.filter((one) => one.kind === kind && atMs - one.answeredMs <= COUNTED_MS);

/**
 * Outlook of a token request after a log, by each reading of the gaps that explains the log. User tokens may be
 * counted by the partner or by the user.
 */
export function allowanceOutlook(asked: Request, log: readonly Asked[]): AllowanceOutlook {
  const { kind, sentMs } = asked;
  const own = log.filter(
    (one): one is Request =>
      one.kind !== null && one.partner === asked.partner && sentMs - one.sentMs < 4 * DAY_MS,
  );
  const counted = countedBefore(own, kind, sentMs);
  const most = ALLOWANCE_PER_DAY[kind];
  const isBanned = mayBeBanned(own, sentMs);
  const isExceeded = (before: readonly Asked[]): boolean =>
    before.filter(({ outcome }) => outcome === 'accepted').length >= most;
  const mayHaveBegunBan = own.some(
    (one, at) =>
      one.kind === kind &&
      one.outcome === 'refused' &&
      isExceeded(countedBefore(own.slice(0, at), kind, one.sentMs)),
  );
  // Most requests need no reading: they are surely within the allowance, or refused ones may count.
  if (!isExceeded(counted) && !mayHaveBegunBan)
    return { refusedBy: undefined, mayBeRefused: isBanned || counted.length >= most };
  const ofUser = own.filter((one) => one.kind !== 'user' || one.user === asked.user);
  const isOdd = (outcome: Asked['outcome'], of: readonly Request[]): (Odd | undefined)[] => {
    const one = { ...asked, outcome };
    const before = remembered(of, () => false);
    const oddBy = remembered([...of, one], () => false);
    const explaining = READINGS.filter((reading) => before(reading).length === 0);
    return (explaining.length > 0 ? explaining : READINGS).map((reading) =>
      oddBy(reading).find((odd) => odd.asked === one),
    );
  };
  const sides = kind === 'user' && ofUser.length < own.length ? [own, ofUser] : [own];
  const accepted = sides.flatMap((of) => isOdd('accepted', of));
  const [first] = accepted;
  const isBeyond = first !== undefined && accepted.every((odd) => odd !== undefined);
  const refusedBy = first?.ban ? 'quota/ban-lasts-24h' : REFUSES[kind];
  return {
    refusedBy: isBeyond ? refusedBy : undefined,
    mayBeRefused: isBanned || isOdd('refused', own).some((odd) => odd === undefined),
  };
}
