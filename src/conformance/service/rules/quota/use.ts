import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../../interface/limits.ts';
import type { Caller, CheckContext } from '../../contract/check.ts';
import { Inconclusive } from '../../contract/judge.ts';
import { requireLasting } from '../../contract/lasting.ts';
import {
  describeAnswer,
  type Fields,
  type Rest,
  type TokenAnswer,
} from '../../contract/messages.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const QUARTER_MS = 15 * MINUTE_MS;

/** 24 hours, in ms. */
export const DAY_MS: number = 24 * 60 * MINUTE_MS;

/** Maximum length of a day, when clocks are set back; ms. */
export const LONGEST_DAY_MS: number = 25 * 60 * MINUTE_MS;

/** Time after the end of a ban or a day at which it is probed, in ms. */
export const MARGIN_MS: number = 10 * SECOND_MS;

/** Time that a sequence of requests may take, ms: none is started so shortly before a midnight. */
export const SEQUENCE_MS = 60_000;

/** The same if the clock cannot be moved, and the wait for the midnight is real. */
export const METERED_SEQUENCE_MS = 20_000;

/** Time by which a sequence of a repeated check is longer: its bans rest before they count as begun. */
const REST_MS = 2 * MINUTE_MS;

/** Reason why a sequence that should lie within one day proves nothing. */
export const CROSSED =
  "the target's clock passed a quarter of an hour meanwhile, on which a day may end";

/**
 * Waits until the target's clock is far enough from a quarter of an hour: the midnights of all time
 * zones are at these, and a sequence across one would be counted on two days.
 */
export async function clearOfMidnight(ctx: CheckContext, neededMs: number): Promise<void> {
  // From here on, requests are new if an earlier part of the run had not reached them.
  if (!ctx.facts.hasControl) await ctx.reach(ctx.now());
  const next = Math.ceil(ctx.now() / QUARTER_MS) * QUARTER_MS;
  const restMs = ctx.isRepeated ? REST_MS : 0;
  if (next - ctx.now() < neededMs + restMs) await ctx.reach(next + 2 * SECOND_MS);
}

/** True if a quarter of an hour, and so perhaps a midnight, lies between two times. */
export function crossedMidnight(fromMs: number, toMs: number): boolean {
  return Math.floor(fromMs / QUARTER_MS) !== Math.floor(toMs / QUARTER_MS);
}

/**
 * True if two times may lie on one calendar day: a day of 25 hours, when clocks are set back,
 * contains times that are 24 hours apart.
 *
 * @param fromMs since the epoch
 * @param toMs since the epoch
 */
export function mayBeOneDay(fromMs: number, toMs: number): boolean {
  return Intl.supportedValuesOf('timeZone').some((timeZone) => {
    const day = new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short' });
    return day.format(fromMs) === day.format(toMs);
  });
}

/** A time in ms for a reader: `25 s`, `12 min` or `3 h`. */
export function durationOf(ms: number): string {
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`;
  if (ms < 120 * MINUTE_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  return `${Math.round(ms / MINUTE_MS / 60)} h`;
}

/** Answers to successive requests of one kind, until one is not accepted. */
export interface Used {
  readonly kind: AllowanceKind;
  readonly accepted: number;
  readonly first: TokenAnswer;
  readonly last: TokenAnswer;
  /** The newest refresh_token of the chain, for the next request. */
  readonly refreshToken: string | null;
}

/** Options of {@link use}. */
export interface UseOptions {
  /** The refresh_token that refreshes start from. */
  readonly startFrom?: string | null;
  /** True if a target that keeps the rules may refuse one of them. */
  readonly mayBeRefused?: boolean;
}

/**
 * Sends up to `count` requests of one kind; a refresh needs a token to start from.
 *
 * @throws Inconclusive if a refresh brought no token for the next one
 */
export async function use(
  caller: Caller,
  kind: AllowanceKind,
  count: number,
  { startFrom = null, mayBeRefused = false }: UseOptions = {},
): Promise<Used> {
  let refreshToken = startFrom;
  let first: TokenAnswer | null = null;
  for (let number = 1; ; number++) {
    const words = `${kind} token request ${number} of ${count}`;
    const purpose = mayBeRefused ? `${words}, which may be refused` : words;
    const fields = await fieldsOf(caller, kind, refreshToken);
    const last = await caller.token({ purpose, fields, wellFormed: !mayBeRefused });
    first ??= last;
    const isAccepted = last.outcome === 'accepted';
    if (isAccepted)
      refreshToken = kind === 'refresh' ? last.refreshToken : (last.refreshToken ?? refreshToken);
    if (!isAccepted || number === count)
      return { kind, accepted: isAccepted ? number : number - 1, first, last, refreshToken };
  }
}

/**
 * Sends one more request, a minute after one within the allowance was refused.
 *
 * @param fields body of that request
 * @throws Inconclusive if it is accepted
 */
export function requireNoRate(
  caller: Caller,
  { kind, last, refreshToken }: Pick<Used, 'kind' | 'last' | 'refreshToken'>,
  fields: () => Fields | Promise<Fields> = () => fieldsOf(caller, kind, refreshToken),
): Promise<void> {
  return requireLasting(`a ${kind} token request`, last, 'minute', async (again) =>
    caller.token({ ...again, fields: await fields() }),
  );
}

/**
 * Refreshes another token, once the second refresh of a chain was refused: a target may refuse each
 * refresh of a refreshed token, which another rule judges.
 *
 * @param otherToken an unused refresh_token that no refresh yielded
 * @throws Inconclusive if that is accepted
 */
export async function requireChain(caller: Caller, otherToken: string): Promise<void> {
  const purpose = 'the refresh of another token that was not refreshed, which may be refused';
  const { outcome } = await caller.token({ purpose, fields: caller.refresh(otherToken) });
  if (outcome === 'accepted')
    throw new Inconclusive(
      'the refresh of a refreshed token was refused, and then that of a new token accepted (see token/grant-refresh-token)',
    );
}

/**
 * Body of one more request of a kind.
 *
 * @throws Inconclusive if a refresh has no token to start from
 */
export async function fieldsOf(
  caller: Caller,
  kind: AllowanceKind,
  refreshToken: string | null,
): Promise<Fields> {
  if (kind === 'platform') return caller.platform();
  if (kind === 'user') return caller.exchange(await caller.authCode());
  if (refreshToken === null) throw new Inconclusive('no refresh_token was issued');
  return caller.refresh(refreshToken);
}

/**
 * Obtains a token from which a chain of refreshes can start.
 *
 * @throws Inconclusive if none was issued
 */
export async function startOfChain(caller: Caller): Promise<string> {
  return (await caller.refreshable('a token whose refreshes are counted')).refreshToken;
}

/** Uses an allowance up without exceeding it. */
export async function useUp(
  caller: Caller,
  kind: AllowanceKind,
  options: UseOptions = {},
): Promise<Used> {
  const chain = kind === 'refresh' ? await startOfChain(caller) : null;
  return use(caller, kind, ALLOWANCE_PER_DAY[kind], { ...options, startFrom: chain });
}

/** True if a whole allowance was granted. */
export function isUsedUp({ kind, accepted }: Used): boolean {
  return accepted === ALLOWANCE_PER_DAY[kind];
}

/** @throws Inconclusive if an allowance was not granted as a whole */
export function requireUsedUp(used: Used): void {
  if (isUsedUp(used)) return;
  const why = `${used.kind}: ${describeAnswer(used.last)}`;
  throw new Inconclusive(`an allowance could not be used up to begin with (${why})`);
}

/**
 * Uses up all three allowances of a partner, in the order in which one could use up another, until
 * one falls short; returns the last one used. The refreshes start from a platform token: those of a
 * user's token are judged by other rules.
 */
export async function useAll(caller: Caller, startFrom: string | null = null): Promise<Used> {
  const platform = await use(caller, 'platform', ALLOWANCE_PER_DAY.platform, { startFrom });
  if (!isUsedUp(platform)) return platform;
  const user = await use(caller, 'user', ALLOWANCE_PER_DAY.user);
  if (!isUsedUp(user)) return user;
  const { refreshToken } = platform;
  return use(caller, 'refresh', ALLOWANCE_PER_DAY.refresh, { startFrom: refreshToken });
}

/** The same, with refreshes first and platform tokens last; one of these starts the refreshes. */
export async function useAllInReverse(caller: Caller): Promise<Used> {
  const startFrom = await startOfChain(caller);
  let used = await use(caller, 'refresh', ALLOWANCE_PER_DAY.refresh, { startFrom });
  if (isUsedUp(used)) used = await use(caller, 'user', ALLOWANCE_PER_DAY.user);
  if (!isUsedUp(used)) return used;
  const platform = await use(caller, 'platform', ALLOWANCE_PER_DAY.platform - 1);
  return { ...platform, accepted: platform.accepted + 1 };
}

/** Sends the one request beyond the allowance, after a rest if one is named. */
export async function exceed(caller: Caller, used: Used, rest?: Rest): Promise<TokenAnswer> {
  const number = ALLOWANCE_PER_DAY[used.kind] + 1;
  const purpose = `negative: ${used.kind} token request ${number} of a day`;
  const fields = await fieldsOf(caller, used.kind, used.refreshToken);
  return caller.token({ purpose, expects: 'refused', fields, rest });
}

/** Exceeds each of the allowances that {@link useAll} used up. */
export async function exceedAll(
  caller: Caller,
  used: Used,
): Promise<Readonly<Record<AllowanceKind, TokenAnswer>>> {
  return {
    platform: await exceed(caller, { ...used, kind: 'platform' }),
    user: await exceed(caller, { ...used, kind: 'user' }),
    refresh: await exceed(caller, { ...used, kind: 'refresh' }),
  };
}

/** An allowance that was used up, and the one request beyond it. */
export interface Exceeded {
  readonly used: Used;
  /** Null if the allowance could not be used up. */
  readonly beyond: TokenAnswer | null;
  /** True if a midnight may lie in between. */
  readonly crossed: boolean;
}

/** Options of {@link useUpAndExceed}. */
export interface ExceedOptions {
  /** The refresh_token that a chain of refreshes starts from. */
  readonly chain?: string;
  /** Least time to the next midnight, in ms. */
  readonly neededMs?: number;
  /** Between the last request allowed and the one beyond, in ms. */
  readonly pauseMs?: number;
  /** Rest before the one beyond: its refusal for the rate would begin no ban. */
  readonly rest?: Rest | undefined;
}

/** Uses an allowance up within one day, and exceeds it by one request. */
export async function useUpAndExceed(
  ctx: CheckContext,
  kind: AllowanceKind,
  { chain, neededMs = SEQUENCE_MS, pauseMs = 0, rest }: ExceedOptions = {},
): Promise<Exceeded> {
  await clearOfMidnight(ctx, neededMs + pauseMs);
  const startMs = ctx.now();
  const used = await use(ctx, kind, ALLOWANCE_PER_DAY[kind], chain ? { startFrom: chain } : {});
  if (isUsedUp(used) && pauseMs > 0) await ctx.reach(ctx.now() + pauseMs);
  const beyond = isUsedUp(used) ? await exceed(ctx, used, rest) : null;
  return { used, beyond, crossed: crossedMidnight(startMs, ctx.now()) };
}

/** Another partner, to compare with a banned one; null if the profile has none. */
export function witnessOf(ctx: CheckContext): Promise<Caller | null> {
  return ctx.facts.hasControl ? ctx.freshPartner() : ctx.otherPartner();
}

/** Sends a platform request of a partner that only has to be known, or not banned. */
export function askWitness(witness: Caller, purpose: string): Promise<TokenAnswer> {
  return witness.token({ purpose, expects: 'accepted', fields: witness.platform() });
}

/**
 * Sends a request of another partner, which must be accepted for a refusal of this one to prove
 * anything.
 *
 * @param who such as `a partner that is not banned`
 * @throws Inconclusive if it is not accepted
 */
export async function requireWitness(ctx: CheckContext, who: string): Promise<void> {
  const witness = await witnessOf(ctx);
  if (!witness) throw new Inconclusive('refused, but there is no second partner to compare with');
  const answer = await askWitness(witness, `baseline: ${who}`);
  if (answer.outcome === 'accepted') return;
  throw new Inconclusive(`refused, but so was ${who} (${describeAnswer(answer)})`);
}
