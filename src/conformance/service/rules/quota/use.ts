import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../../interface/limits.ts';
import type { TokenAnswer } from '../../contract/answer.ts';
import type { Caller, CheckContext } from '../../contract/context.ts';

const QUARTER_MS = 15 * 60_000;

/** Why a sequence that was to lie within one day says nothing. */
export const CROSSED =
  "the target's clock passed a quarter of an hour meanwhile, on which a day may end";

/** What a sequence of requests may take, in ms: that long before a midnight none is started. */
export const SEQUENCE_MS = 60_000;

/** The same where the clock cannot be moved, and the wait for the midnight is a real one. */
export const METERED_SEQUENCE_MS = 20_000;

/** Answers to requests of one kind, one after another, until one is not accepted. */
export interface Used {
  readonly kind: AllowanceKind;
  readonly accepted: number;
  readonly first: TokenAnswer;
  readonly last: TokenAnswer;
  /** To go on with: the newest refresh_token of the chain. */
  readonly refreshToken: string | null;
}

/** Sends up to `count` requests of one kind; a refresh needs a token to start from. */
export async function use(
  caller: Caller,
  kind: AllowanceKind,
  count: number,
  refreshToken: string | null = null,
): Promise<Used> {
  let chain = refreshToken;
  let first: TokenAnswer | null = null;
  let last: TokenAnswer | null = null;
  for (let at = 1; at <= count; at++) {
    const purpose = `${kind} token request ${at} of ${count}`;
    last = await caller.token({
      purpose,
      fields: await fieldsOf(caller, kind, chain),
      wellFormed: true,
    });
    first ??= last;
    if (last.outcome !== 'accepted')
      return { kind, accepted: at - 1, first, last, refreshToken: chain };
    chain = last.refreshToken ?? chain;
  }
  if (!first || !last) throw new Error('no request was to be sent');
  return { kind, accepted: count, first, last, refreshToken: chain };
}

async function fieldsOf(
  caller: Caller,
  kind: AllowanceKind,
  refreshToken: string | null,
): Promise<Readonly<Record<string, unknown>>> {
  if (kind === 'platform') return caller.platform();
  if (kind === 'user') return caller.exchange(await caller.authCode());
  if (refreshToken === null) throw new Error('no refresh_token could be had');
  return caller.refresh(refreshToken);
}

/** A token from which a chain of refreshes can start; null where none came. */
export async function startOfChain(caller: Caller, kind: AllowanceKind): Promise<string | null> {
  if (kind !== 'refresh') return null;
  const purpose = 'a token whose refreshes are counted';
  return (await caller.token({ purpose, fields: caller.platform(), wellFormed: true }))
    .refreshToken;
}

/** Uses an allowance up, and not beyond it. */
export async function useUp(caller: Caller, kind: AllowanceKind): Promise<Used> {
  return use(caller, kind, ALLOWANCE_PER_DAY[kind], await startOfChain(caller, kind));
}

/** Sends the one request too many. */
export async function exceed(caller: Caller, used: Used): Promise<TokenAnswer> {
  const number = ALLOWANCE_PER_DAY[used.kind] + 1;
  const purpose = `negative: ${used.kind} token request ${number} of a day`;
  return caller.token({ purpose, fields: await fieldsOf(caller, used.kind, used.refreshToken) });
}

/**
 * Waits until the target's clock is far enough from a quarter of an hour: the midnights of all time
 * zones lie on these, and a sequence that crosses one would be counted on two days.
 */
export async function clearOfMidnight(ctx: CheckContext, neededMs: number): Promise<void> {
  // What a check does from here on is new where an earlier part of the run had come no further.
  if (!ctx.facts.hasControl) await ctx.reach(ctx.now());
  const next = Math.ceil(ctx.now() / QUARTER_MS) * QUARTER_MS;
  if (next - ctx.now() < neededMs) await ctx.reach(next + 2_000);
}

/** Whether a quarter of an hour, and so perhaps a midnight, lies between two times. */
export function crossedMidnight(fromMs: number, toMs: number): boolean {
  return Math.floor(fromMs / QUARTER_MS) !== Math.floor(toMs / QUARTER_MS);
}

/** A platform request of a partner that only has to be known, or not to be banned. */
export function askWitness(witness: Caller, purpose: string): Promise<TokenAnswer> {
  return witness.token({ purpose, fields: witness.platform() });
}

/** An allowance that was used up, and the one request beyond it. */
export interface Exceeded {
  readonly used: Used;
  /** Null where the allowance could not be used up. */
  readonly beyond: TokenAnswer | null;
  /** Whether a midnight may lie in between. */
  readonly crossed: boolean;
}

/** What a sequence that exceeds an allowance may be given. */
export interface ExceedOptions {
  /** The refresh_token that a chain of refreshes starts from. */
  readonly chain?: string | null;
  /** How far from a midnight it has to stay, in ms. */
  readonly neededMs?: number;
  /** Between the last request allowed and the one beyond, in ms. */
  readonly pauseMs?: number;
}

/** Uses an allowance up within one day, and goes one request beyond it. */
export async function useUpAndExceed(
  ctx: CheckContext,
  kind: AllowanceKind,
  { chain = null, neededMs = SEQUENCE_MS, pauseMs = 0 }: ExceedOptions = {},
): Promise<Exceeded> {
  await clearOfMidnight(ctx, neededMs + pauseMs);
  const startMs = ctx.now();
  const used = await use(ctx, kind, ALLOWANCE_PER_DAY[kind], chain);
  const isUsedUp = used.accepted === ALLOWANCE_PER_DAY[kind];
  if (isUsedUp && pauseMs > 0) await ctx.reach(ctx.now() + pauseMs);
  const beyond = isUsedUp ? await exceed(ctx, used) : null;
  return { used, beyond, crossed: crossedMidnight(startMs, ctx.now()) };
}
