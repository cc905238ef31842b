import { ALLOWANCE_PER_DAY, type AllowanceKind, LIMITS } from '../../../../interface/limits.ts';
import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check, Findings } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import { banChecks } from './ban.ts';
import { meteredQuotaChecks } from './metered.ts';
import {
  askWitness,
  CROSSED,
  clearOfMidnight,
  crossedMidnight,
  SEQUENCE_MS,
  startOfChain,
  type Used,
  use,
  useUp,
  useUpAndExceed,
} from './use.ts';
import { judgeAllows, judgeRefuses, judgeWitness } from './verdicts.ts';

const DAY_MS = 86_400_000;
const MARGIN_MS = 10_000;

/** One partner goes past its platform allowance; another, known before, is asked after that. */
const platformAllowance: Check = {
  id: 'quota/platform-allows-10',
  rules: ['quota/platform-allows-10', 'quota/platform-refuses-11th', 'quota/per-partner'],
  baseRequest: 'standalone',
  only: 'controlled',
  bansFresh: true,
  beforeOtherBans: true,
  spends: () => ({ platform: LIMITS.platformTokensPerDay + 1 }),
  run: async (ctx) => {
    const witness = await ctx.freshPartner();
    const known = await askWitness(witness, 'baseline: another partner before the ban');
    const { used, beyond, crossed } = await useUpAndExceed(ctx, 'platform');
    const after = await askWitness(witness, 'another partner after the ban');
    return {
      'quota/platform-allows-10': judgeAllows(used, crossed),
      'quota/platform-refuses-11th': judgeRefuses(used, beyond, crossed),
      'quota/per-partner': judgeWitness(beyond, known, after),
    };
  },
};

const userAllowance: Check = {
  id: 'quota/user-allows-5',
  rules: ['quota/user-allows-5', 'quota/user-refuses-6th'],
  baseRequest: 'standalone',
  // Behind those that tell of a ban's end too, where partners are short.
  priority: 6,
  bansFresh: true,
  needs: { ban: true },
  spends: () => ({ user: LIMITS.userTokensPerDay + 1, codes: LIMITS.userTokensPerDay + 1 }),
  run: async (ctx) => {
    const { used, beyond, crossed } = await useUpAndExceed(ctx, 'user');
    return {
      'quota/user-allows-5': judgeAllows(used, crossed),
      'quota/user-refuses-6th': judgeRefuses(used, beyond, crossed),
    };
  },
};

/**
 * With a clock that moves the token that starts the chain comes from the day before: where the
 * allowances were counted together, it would take one of the ten.
 */
const refreshAllowance: Check = {
  id: 'quota/refresh-allows-10',
  rules: ['quota/refresh-allows-10', 'quota/refresh-refuses-11th'],
  baseRequest: 'standalone',
  only: 'controlled',
  bansFresh: true,
  spends: () => ({ platform: 1, refresh: LIMITS.refreshesPerDay + 1 }),
  run: async (ctx) => {
    const chain = await startOfChain(ctx, 'refresh');
    await ctx.reach(ctx.now() + DAY_MS + MARGIN_MS);
    const { used, beyond, crossed } = await useUpAndExceed(ctx, 'refresh', { chain });
    return {
      'quota/refresh-allows-10': judgeAllows(used, crossed),
      'quota/refresh-refuses-11th': judgeRefuses(used, beyond, crossed),
    };
  },
};

/** The three in the order in which each could use up another's. */
const ORDER: readonly AllowanceKind[] = ['platform', 'user', 'refresh'];

/** All three used up by one partner; where one falls short, the same alone tells why. */
const countersIndependent: Check = {
  id: 'quota/counters-independent',
  rules: ['quota/counters-independent'],
  baseRequest: 'standalone',
  needs: { control: true },
  spends: () => ({ platform: 10, user: 5, refresh: 10, codes: 5 }),
  run: async (ctx) => {
    await clearOfMidnight(ctx, SEQUENCE_MS);
    const startMs = ctx.now();
    let chain: string | null = null;
    for (const kind of ORDER) {
      const used: Used = await use(ctx, kind, ALLOWANCE_PER_DAY[kind], chain);
      chain = used.refreshToken;
      if (used.accepted === ALLOWANCE_PER_DAY[kind]) continue;
      if (crossedMidnight(startMs, ctx.now())) return inconclusive(CROSSED);
      return explainShortfall(ctx, used);
    }
    return pass(
      'ten platform tokens, five user tokens and ten refreshes of one partner in one day succeeded',
    );
  },
};

async function explainShortfall(ctx: CheckContext, used: Used): Promise<Judgement> {
  const { kind, accepted, last } = used;
  if (last.outcome === 'broken') return inconclusive(`no answer: ${last.failure}`);
  const alone = await useUp(await ctx.freshPartner(), kind);
  if (kind === 'platform' || alone.accepted <= accepted) {
    return inconclusive(`the allowance of ${kind} token requests falls short by itself`);
  }
  return violated(
    'the three allowances are counted apart',
    `${kind} token request ${accepted + 1} was refused with status ${last.status} after the other allowances were used, accepted without`,
    last.exchange,
  );
}

/** Used up today, and tomorrow again: each allowance of one partner. */
const dailyReset: Check = {
  id: 'quota/daily-reset',
  rules: ['quota/daily-reset'],
  baseRequest: 'standalone',
  only: 'controlled',
  clock: true,
  // Of the ten platform tokens one starts the chain of refreshes.
  spends: () => ({ platform: 20, user: 10, refresh: 20, codes: 10 }),
  run: async (ctx): Promise<Findings> => {
    await clearOfMidnight(ctx, SEQUENCE_MS);
    const first = await useAll(ctx, null);
    if ('short' in first) {
      return inconclusive(
        `an allowance could not be used up to begin with (${first.short.kind}: ${describeAnswer(first.short.last)})`,
      );
    }
    await ctx.reach(first.endMs + DAY_MS + MARGIN_MS);
    await clearOfMidnight(ctx, SEQUENCE_MS);
    const second = await useAll(ctx, first.refreshToken);
    if (!('short' in second))
      return pass('all three allowances, used up, were whole again 24 hours later');
    const { kind, accepted, last } = second.short;
    if (last.outcome === 'broken') return inconclusive(`no answer: ${last.failure}`);
    const control = await useUp(await ctx.freshPartner(), kind);
    if (control.accepted <= accepted) {
      return inconclusive(
        `refused the next day, but so was a fresh partner (${describeAnswer(control.last)})`,
      );
    }
    return violated(
      'an allowance that was used up, and not exceeded, is whole the next day',
      `${kind} token request ${accepted + 1} of the next day was refused with status ${last.status}`,
      last.exchange,
    );
  },
};

async function useAll(
  ctx: CheckContext,
  refreshToken: string | null,
): Promise<
  { readonly short: Used } | { readonly endMs: number; readonly refreshToken: string | null }
> {
  let chain = refreshToken;
  for (const kind of ORDER) {
    const used = await use(ctx, kind, ALLOWANCE_PER_DAY[kind], chain);
    if (used.accepted < ALLOWANCE_PER_DAY[kind]) return { short: used };
    chain = used.refreshToken;
  }
  return { endMs: ctx.now(), refreshToken: chain };
}

/** Checks of the area `quota` (interface.md, "Limits"). */
export const quotaChecks: readonly Check[] = [
  platformAllowance,
  userAllowance,
  refreshAllowance,
  countersIndependent,
  ...banChecks,
  dailyReset,
  ...meteredQuotaChecks,
];
