import {
  ALLOWANCE_KINDS,
  ALLOWANCE_PER_DAY,
  type AllowanceKind,
} from '../../../../interface/limits.ts';
import { inconclusive, type Judgement, pass, untestable, violated } from '../../../verdict.ts';
import type { Caller, Check, CheckContext, Finding, Setting } from '../../contract/check.ts';
import { answered, Inconclusive } from '../../contract/judge.ts';
import { describeAnswer } from '../../contract/messages.ts';
import { checkOf, partOf } from '../../contract/templates.ts';
import { allowanceChecks, meteredAllowanceChecks } from './allowances.ts';
import { banLasts, banLifts, judgeBeyond, probeBans, REFUSES } from './ban.ts';
import { banLastsParts, banLiftsParts } from './ban-kinds.ts';
import {
  CROSSED,
  clearOfMidnight,
  crossedMidnight,
  DAY_MS,
  durationOf,
  exceedAll,
  fieldsOf,
  isUsedUp,
  LONGEST_DAY_MS,
  MARGIN_MS,
  METERED_SEQUENCE_MS,
  requireNoRate,
  requireUsedUp,
  requireWitness,
  SEQUENCE_MS,
  startOfChain,
  type Used,
  use,
  useAll,
  useAllInReverse,
  useUp,
} from './use.ts';

const notReset = (what: string, { accepted, last }: Used): Judgement => ({
  ...violated(
    'an allowance that was used up, but not exceeded, is full the next day',
    `${what} ${accepted + 1} of the next day was refused with status ${last.status}`,
    last.exchange,
  ),
  place: accepted + 1,
});

/** Uses up each allowance of one partner, today and again tomorrow. */
const dailyReset = checkOf({
  rule: 'quota/daily-reset',
  acceptance: 'demanded',
  baseRequest: 'standalone',
  only: 'controlled',
  clock: true,
  // One of the ten platform tokens starts the chain of refreshes.
  spends: { platform: 20, user: 10, refresh: 20, codes: 10 },
  run: async (ctx) => (await judgeReset(ctx)).reset,
});

/** The same where requests are free; once all are used up again, each is exceeded. */
const resetAndExceeded: Check = {
  ...dailyReset,
  rules: [...dailyReset.rules, ...Object.values(REFUSES)],
  bansFresh: true,
  run: async (ctx) => {
    const { reset, used, startMs } = await judgeReset(ctx);
    const exceeded = used ? await judgeAllBeyond(ctx, used, startMs) : NOT_EXCEEDED;
    return { [dailyReset.id]: reset, ...exceeded };
  },
};

/** @returns the last of the allowances of the second day too, if all could be used up */
async function judgeReset(
  ctx: CheckContext,
): Promise<{ readonly reset: Judgement; readonly used?: Used; readonly startMs: number }> {
  await clearOfMidnight(ctx, SEQUENCE_MS);
  const today = await useAll(ctx);
  requireUsedUp(today);
  await ctx.reach(ctx.now() + DAY_MS + MARGIN_MS);
  await clearOfMidnight(ctx, SEQUENCE_MS);
  const startMs = ctx.now();
  const tomorrow = await useAll(ctx, today.refreshToken);
  if (isUsedUp(tomorrow)) {
    const reset = pass('all three used-up allowances were full again 24 hours later');
    return { reset, used: tomorrow, startMs };
  }
  const { kind, accepted } = tomorrow;
  answered(tomorrow.last);
  const fresh = await useUp(await ctx.freshPartner(), kind);
  if (fresh.accepted <= accepted) {
    const why = describeAnswer(fresh.last);
    throw new Inconclusive(`refused the next day, but so was a fresh partner (${why})`);
  }
  await requireNoRate(ctx, tomorrow);
  return { reset: notReset(`${kind} token request`, tomorrow), startMs };
}

const HOUR_MS = 3_600_000;

/** Parts of an allowance that are used 13 hours apart: of three, no two days have more than it. */
const HALVES = { platform: [5, 5, 5], user: [2, 3, 2], refresh: [5, 5, 5] } as const;
const APART_MS = 13 * HOUR_MS;

/**
 * Uses a part of an allowance every 13 hours. A day, whenever it begins, has two of them at most; a
 * service that counts until nothing is asked for a day has all three.
 */
async function judgeHalves(ctx: CheckContext, kind: AllowanceKind): Promise<Judgement> {
  let chain = kind === 'refresh' ? await startOfChain(ctx) : null;
  const startMs = ctx.now();
  for (const [at, count] of HALVES[kind].entries()) {
    await ctx.reach(startMs + at * APART_MS);
    const used = await use(ctx, kind, count, { startFrom: chain });
    chain = used.refreshToken;
    if (used.accepted === count) continue;
    const { status, exchange } = answered(used.last);
    if (at < 2)
      throw new Inconclusive(`${count} were not granted at once (${describeAnswer(used.last)})`);
    const ofOneDay = HALVES[kind][1] + used.accepted + 1;
    const fresh = await useUp(await ctx.freshPartner(), kind);
    if (fresh.accepted < ofOneDay) {
      const why = describeAnswer(fresh.last);
      throw new Inconclusive(
        `number ${ofOneDay} of a day was refused, but so was a fresh partner's number ${fresh.accepted + 1} (${why})`,
      );
    }
    await requireNoRate(ctx, used);
    const broken = violated(
      'an allowance that was used up, but not exceeded, is full the next day',
      `${kind} token request ${used.accepted + 1} was refused with status ${status} 26 hours after the first of ${count}, with ${HALVES[kind][1]} in between`,
      exchange,
    );
    return { ...broken, place: used.accepted + 1 };
  }
  return pass(`${HALVES[kind].join(', ')} ${kind} token requests succeeded 13 hours apart`);
}

const dailyResetInHalves = (['platform', 'user', 'refresh'] as const).map((kind) =>
  partOf({
    rule: dailyReset.id,
    name: `halves-${kind}`,
    circumstance: `${kind} token requests every 13 hours`,
    clock: true,
    run: (ctx) => judgeHalves(ctx, kind),
  }),
);

const COUNT = ALLOWANCE_PER_DAY.refresh;

/**
 * Uses up the refreshes of a day, and again the next day, without exceeding them: any partner is
 * suitable. Using the other allowances up twice would take too much from other checks.
 */
const meteredDailyReset = checkOf({
  rule: 'quota/daily-reset',
  acceptance: 'demanded',
  baseRequest: 'standalone',
  only: 'metered',
  clock: true,
  spansDays: true,
  needs: { otherPartner: true },
  // The verdict on a ban's end depends on it.
  priority: 1,
  spends: { platform: 1, refresh: COUNT },
  spendsLater: { platform: 1, refresh: COUNT },
  run: async (ctx) => {
    const today = await useDay(ctx);
    requireUsedUp(today.used);
    if (crossedMidnight(today.startMs, today.endMs)) throw new Inconclusive(CROSSED);
    await ctx.reach(today.endMs + LONGEST_DAY_MS + MARGIN_MS);
    const tomorrow = await useDay(ctx);
    if (isUsedUp(tomorrow.used)) {
      const later = durationOf(tomorrow.startMs - today.endMs);
      return pass(`the ${COUNT} refreshes of a day, used up, were granted again ${later} later`);
    }
    answered(tomorrow.used.last);
    await requireWitness(ctx, 'another partner');
    return notReset('refresh', tomorrow.used);
  },
});

/** A chain of refreshes from a new token. */
async function useDay(ctx: CheckContext): Promise<{ startMs: number; endMs: number; used: Used }> {
  await clearOfMidnight(ctx, METERED_SEQUENCE_MS);
  const startMs = ctx.now();
  const used = await useUp(ctx, 'refresh');
  return { startMs, endMs: ctx.now(), used };
}

/** Uses up all three allowances of one partner; if one falls short, tries it by itself. */
const countersIndependent = checkOf({
  rule: 'quota/counters-independent',
  acceptance: 'demanded',
  baseRequest: 'standalone',
  needs: { control: true },
  spends: { platform: 10, user: 5, refresh: 10, codes: 5 },
  run: async (ctx) => {
    await clearOfMidnight(ctx, SEQUENCE_MS);
    return (await judgeIndependent(ctx, useAll)).independent;
  },
});

/** The same where requests are free; once all are used up, each is exceeded. */
const countedAndExceeded = (
  part: { readonly id?: string; readonly setting?: Setting },
  useEach: (caller: Caller) => Promise<Used>,
): Check => ({
  ...countersIndependent,
  ...part,
  rules: [...countersIndependent.rules, ...Object.values(REFUSES), BAN_LASTS],
  bansFresh: true,
  run: async (ctx) => {
    await clearOfMidnight(ctx, SEQUENCE_MS);
    const startMs = ctx.now();
    const { independent, used } = await judgeIndependent(ctx, useEach);
    const exceeded = used ? await judgeAllBeyond(ctx, used, startMs) : NOT_EXCEEDED;
    return { 'quota/counters-independent': independent, ...exceeded };
  },
});

const BAN_LASTS = 'quota/ban-lasts-24h';

const NOT_EXCEEDED: Readonly<Record<string, Judgement>> = Object.fromEntries(
  [...Object.values(REFUSES), BAN_LASTS].map((rule) => [
    rule,
    untestable('not all allowances were used up'),
  ]),
);

/** Exceeds allowances that were used up, and judges each and its ban. */
async function judgeAllBeyond(
  ctx: CheckContext,
  used: Used,
  startMs: number,
): Promise<Readonly<Record<string, Finding>>> {
  const answers = await exceedAll(ctx, used);
  const crossed = crossedMidnight(startMs, ctx.now());
  return {
    ...Object.fromEntries(
      ALLOWANCE_KINDS.map((kind) => [
        REFUSES[kind],
        crossed ? inconclusive(CROSSED) : judgeBeyond(kind, answers[kind]),
      ]),
    ),
    [BAN_LASTS]: () =>
      probeBans(
        ctx,
        ALLOWANCE_KINDS.map((kind) => ({
          kind,
          beyond: crossed ? null : answers[kind],
          fields: () => fieldsOf(ctx, kind, used.refreshToken),
        })),
      ),
  };
}

/** @returns the last of the allowances too, if all could be used up within one day */
async function judgeIndependent(
  ctx: CheckContext,
  useEach: (caller: Caller) => Promise<Used>,
): Promise<{ readonly independent: Judgement; readonly used?: Used }> {
  const startMs = ctx.now();
  const used = await useEach(ctx);
  if (isUsedUp(used)) {
    const independent = pass(
      'ten platform tokens, five user tokens and ten refreshes of one partner in one day succeeded',
    );
    return { independent, used };
  }
  if (crossedMidnight(startMs, ctx.now())) throw new Inconclusive(CROSSED);
  const { kind, accepted } = used;
  const { status, exchange } = answered(used.last);
  const byItself = await useUp(await ctx.freshPartner(), kind);
  if (byItself.accepted <= accepted)
    throw new Inconclusive(`the allowance of ${kind} token requests falls short by itself`);
  await requireNoRate(ctx, used);
  const independent = violated(
    'the three allowances are counted apart',
    `${kind} token request ${accepted + 1} was refused with status ${status} after the other allowances were used, accepted without`,
    exchange,
  );
  return { independent: { ...independent, place: accepted + 1 } };
}

/** A check of a platform ban that judges the request beyond the allowance as well. */
const alsoRefuses = (check: Check): Check => ({
  ...check,
  rules: [...check.rules, REFUSES.platform],
});

/** Checks of the area `quota` (interface.md, "Limits"). */
export const quotaChecks: readonly Check[] = [
  ...allowanceChecks,
  {
    ...countersIndependent,
    whereFree: () => [
      countedAndExceeded({}, useAll),
      // With refreshes first and platform tokens last.
      countedAndExceeded(
        { id: `${countersIndependent.id}@reverse`, setting: { circumstance: 'in reverse order' } },
        useAllInReverse,
      ),
    ],
  },
  { ...banLasts, whereFree: () => [alsoRefuses(banLasts), ...banLastsParts] },
  { ...banLifts, whereFree: () => [alsoRefuses(banLifts), ...banLiftsParts] },
  { ...dailyReset, whereFree: () => [resetAndExceeded, ...dailyResetInHalves] },
  meteredDailyReset,
  ...meteredAllowanceChecks,
];
