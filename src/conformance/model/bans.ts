import { ALLOWANCE_PER_DAY, BAN_MS } from '../../interface/limits.ts';
import type { Reading, Request } from './allowance-reading.ts';
import { type Asked, isBefore } from './asked.ts';
import type { Day } from './days.ts';
import type { Rates } from './rates.ts';

/** Wall time after which no rate limit refuses a request again, ms. */
export const REST_MS = 60_000;

/** Ban that a refused request may have begun. */
export interface Ban {
  readonly by: Request;
  /** Surely in force before, and possibly up to; ms. */
  readonly sureUntilMs: number;
  readonly possibleUntilMs: number;
  readonly isSure: boolean;
}

/** Fewest refusals after which a service locks a partner out. */
export const LOCK_OUT_AFTER = 3;

/** Longest time for which a service locks a partner out, ms. */
const LOCK_OUT_MS = 3_600_000;

/**
 * Checks whether a refusal follows several of other kinds, with none accepted between them: a service may lock out a
 * partner that it refused often, for a while, and then this one began no ban.
 */
export function mayBeLockedOut(refused: Request, own: readonly Request[]): boolean {
  const before = own.filter((one) => isBefore(one, refused));
  const others = refusedInRow(before, refused.sentMs).filter(({ kind }) => kind !== refused.kind);
  return others.length >= LOCK_OUT_AFTER;
}

/** Checks whether a refusal has another cause than an allowance, such as a token or a code that was used before. */
export function hasOtherCause(refused: Request, own: readonly Request[]): boolean {
  const { refreshToken, authCode } = refused.sent;
  const isOfSame = ({ sent }: Request): boolean =>
    (refreshToken !== null && sent.refreshToken === refreshToken) ||
    (authCode !== null && sent.authCode === authCode);
  return (
    refused.hasOtherCause === true ||
    own.some((one) => one.outcome === 'accepted' && isBefore(one, refused) && isOfSame(one))
  );
}

/** Requests of a partner that were refused one after the other, lately enough for a lock-out. */
export function refusedInRow<T extends Asked>(own: readonly T[], atMs: number): T[] {
  const since = own.slice(own.findLastIndex(({ outcome }) => outcome === 'accepted') + 1);
  return since.filter(({ answeredMs }) => atMs - answeredMs < LOCK_OUT_MS);
}

/** Ban that a refused request began. */
export const banBy = (by: Request, isSure: boolean): Ban => ({
  by,
  isSure,
  sureUntilMs: by.sentMs + BAN_MS,
  possibleUntilMs: by.answeredMs + BAN_MS + 1_000,
});

/** Checks whether a refusal went away by itself, while what an allowance or a ban refuses stays refused. */
export function isTransient(asked: Request, own: readonly Request[], day: Day): boolean {
  if (asked.status === 503 || (asked.retryAfterS ?? Infinity) <= 3_600) return true;
  return own.some(
    (one) =>
      one.kind === asked.kind &&
      one.outcome === 'accepted' &&
      isBefore(asked, one) &&
      day.isSure(asked, one, [asked]),
  );
}

/** Most requests of a partner, and of all, in the minute before one that no rate limit refuses. */
const FEW_OF_PARTNER = 2;
const FEW = 8;

/** Checks whether a minute of the wall clock lies between two requests. */
export function isRested(earlier: Asked, later: Asked): boolean {
  return later.wallMs - earlier.wallMs >= REST_MS;
}

/**
 * Checks whether a refusal was none for the rate: few requests were sent in the minute before it, another
 * request was accepted that followed at least as many, or the next of its kind was refused as well, a minute
 * later and after few others.
 */
export function isLasting(
  asked: Request,
  log: readonly Asked[],
  rates: Rates,
  until?: Asked,
): boolean {
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

/** Refused requests of a partner that surely exceeded an allowance. */
export function bansOf(own: readonly Request[], { day }: Reading): Request[] {
  return own.filter((asked) => {
    if (asked.outcome !== 'refused') return false;
    const counted = own.filter((one) => one.kind === asked.kind && one.outcome === 'accepted');
    const sure = counted.filter((one) => isBefore(one, asked) && day.isSure(one, asked, counted));
    return sure.length >= ALLOWANCE_PER_DAY[asked.kind];
  });
}
