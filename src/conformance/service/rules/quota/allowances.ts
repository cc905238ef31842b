import { ALLOWANCE_PER_DAY, LIMITS } from '../../../../interface/limits.ts';
import { type Judgement, pass, violated } from '../../../verdict.ts';
import type { Check, CheckContext, Finding } from '../../contract/check.ts';
import { accepted, answered, Inconclusive } from '../../contract/judge.ts';
import { describeAnswer, type TokenAnswer } from '../../contract/messages.ts';
import type { Facts } from '../../contract/target.ts';
import { REST_MS } from '../../wire/rate-limit.ts';
import { judgeBanLasts, judgeBanLifts, PAUSE_MS, probeBans } from './ban.ts';
import { banLastsParts } from './ban-kinds.ts';
import { EDGE_PARTS } from './edges.ts';
import {
  askWitness,
  CROSSED,
  DAY_MS,
  type Exceeded,
  type ExceedOptions,
  fieldsOf,
  isUsedUp,
  MARGIN_MS,
  METERED_SEQUENCE_MS,
  requireChain,
  requireNoRate,
  startOfChain,
  useUpAndExceed,
  witnessOf,
} from './use.ts';
import { windowOf } from './windows.ts';

/**
 * Judges if the whole allowance was granted.
 *
 * @throws Inconclusive if it cannot be judged
 */
async function judgeAllows(ctx: CheckContext, { used, crossed }: Exceeded): Promise<Judgement> {
  const { kind, last } = used;
  const count = ALLOWANCE_PER_DAY[kind];
  if (isUsedUp(used)) return pass(`${count} ${kind} token requests in a day succeeded`);
  answered(last);
  if (used.accepted === 0)
    throw new Inconclusive(`the first was not accepted either (${describeAnswer(last)})`);
  if (crossed) throw new Inconclusive(CROSSED);
  await requireNoRate(ctx, used);
  const got = `number ${used.accepted + 1} was refused with status ${last.status}`;
  return violated(`${count} ${kind} token requests in a day succeed`, got, last.exchange);
}

/**
 * Judges if the one request beyond the allowance was refused.
 *
 * @throws Inconclusive if it cannot be judged
 */
function judgeRefuses({ used, beyond, crossed }: Exceeded): Judgement {
  const count = ALLOWANCE_PER_DAY[used.kind];
  if (!beyond) {
    const why = describeAnswer(used.last);
    throw new Inconclusive(`the allowance of ${count} could not be used up (${why})`);
  }
  const { outcome, status, exchange } = answered(beyond);
  if (crossed) throw new Inconclusive(CROSSED);
  if (outcome === 'refused')
    return pass(`number ${count + 1} was refused (status ${status}), number ${count} accepted`);
  return violated(
    `a refusal of ${used.kind} token request ${count + 1} of a day`,
    `number ${count + 1} was accepted with status ${status}`,
    exchange,
  );
}

/**
 * Judges if a ban leaves another partner unaffected.
 *
 * @param before that partner's answer before the ban; null if there is no such partner
 * @param after that partner's answer after the ban
 * @throws Inconclusive if it cannot be judged
 */
function judgePerPartner(
  { beyond }: Exceeded,
  before: TokenAnswer | null,
  after: TokenAnswer | null,
): Judgement {
  if (!before || !after) throw new Inconclusive('there is no second partner to ask');
  if (beyond?.outcome !== 'refused')
    throw new Inconclusive('no partner was banned: its eleventh request was not refused');
  accepted(before, 'the other partner was refused before the ban too');
  const { outcome, status, exchange } = answered(after);
  if (outcome === 'accepted') return pass("another partner's request succeeded after the ban");
  return violated(
    "status 200 for another partner's request",
    `status ${status} once the first partner was banned`,
    exchange,
  );
}

/** Exceeds the platform allowance, and then sends a request of another partner. */
async function exceedPlatform(
  ctx: CheckContext,
  options: ExceedOptions = {},
): Promise<{ readonly exceeded: Exceeded; readonly findings: Readonly<Record<string, Finding>> }> {
  const witness = await witnessOf(ctx);
  const before = witness && (await askWitness(witness, 'baseline: another partner before the ban'));
  const exceeded = await useUpAndExceed(ctx, 'platform', options);
  const after = witness && (await askWitness(witness, 'another partner after the ban'));
  const findings = {
    'quota/platform-allows-10': () => judgeAllows(ctx, exceeded),
    'quota/platform-refuses-11th': () => judgeRefuses(exceeded),
    'quota/per-partner': () => judgePerPartner(exceeded, before, after),
  };
  return { exceeded, findings };
}

/** Judges by one more request if a ban lasts; for checks of that rule only, see {@link probed}. */
const banProbe = (
  ctx: CheckContext,
  { used, beyond, crossed }: Exceeded,
): Readonly<Record<string, Finding>> => ({
  [BAN_LASTS]: () =>
    probeBans(ctx, [
      {
        kind: used.kind,
        beyond: crossed ? null : beyond,
        fields: () => fieldsOf(ctx, used.kind, used.refreshToken),
      },
    ]),
});

const BAN_LASTS = 'quota/ban-lasts-24h';

/** A check that leaves a partner banned, and probes its ban too. */
const probed = (check: Check): Check => ({ ...check, rules: [...check.rules, BAN_LASTS] });

const platformAllowance: Check = {
  id: 'quota/platform-allows-10',
  rules: ['quota/platform-allows-10', 'quota/platform-refuses-11th', 'quota/per-partner'],
  acceptance: { 'quota/platform-allows-10': 'demanded', 'quota/per-partner': 'demanded' },
  baseRequest: 'standalone',
  refusedAs: 'quota-exceeded',
  only: 'controlled',
  bansFresh: true,
  beforeOtherBans: true,
  spends: () => ({ platform: LIMITS.platformTokensPerDay + 1 }),
  run: async (ctx) => {
    const { exceeded, findings } = await exceedPlatform(ctx);
    return { ...findings, ...banProbe(ctx, exceeded) };
  },
};

/** The same, with another probe before the ban ends, for which no other partner is available. */
const meteredPlatformAllowance: Check = {
  id: 'quota/platform-allows-10',
  rules: [...platformAllowance.rules, 'quota/ban-lasts-24h'],
  acceptance: platformAllowance.acceptance,
  baseRequest: 'standalone',
  refusedAs: 'quota-exceeded',
  only: 'metered',
  clock: true,
  needs: { ban: true },
  spends: () => ({ platform: LIMITS.platformTokensPerDay + 1 }),
  spendsLater: { platform: 1 },
  run: async (ctx) => {
    const { asked, waits } = ctx.facts;
    // Where a limit by the minute refuses the request beyond the allowance, no ban begins that could last.
    const watchedPauseMs = waits ? PAUSE_MS : REST_MS.minute;
    const pauseMs = asked('quota/ban-lasts-24h') ? watchedPauseMs : 0;
    const options = { neededMs: METERED_SEQUENCE_MS, pauseMs, rest: 'second' } as const;
    const { exceeded, findings } = await exceedPlatform(ctx, options);
    return { ...findings, 'quota/ban-lasts-24h': () => judgeBanLasts(ctx, exceeded) };
  },
};

const userAllowance: Check = {
  id: 'quota/user-allows-5',
  rules: ['quota/user-allows-5', 'quota/user-refuses-6th'],
  acceptance: { 'quota/user-allows-5': 'demanded' },
  baseRequest: 'standalone',
  refusedAs: 'quota-exceeded',
  // Planned after those that also judge the end of a ban, if partners are short.
  priority: 6,
  bansFresh: true,
  needs: { ban: true },
  spends: () => ({ user: LIMITS.userTokensPerDay + 1, codes: LIMITS.userTokensPerDay + 1 }),
  run: async (ctx) => {
    const exceeded = await useUpAndExceed(ctx, 'user');
    return {
      'quota/user-allows-5': () => judgeAllows(ctx, exceeded),
      'quota/user-refuses-6th': () => judgeRefuses(exceeded),
      ...banProbe(ctx, exceeded),
    };
  },
};

const refreshFindings = (
  ctx: CheckContext,
  exceeded: Exceeded,
): Readonly<Record<string, Finding>> => ({
  'quota/refresh-allows-10': () => judgeAllows(ctx, exceeded),
  'quota/refresh-refuses-11th': () => judgeRefuses(exceeded),
});

/**
 * If the clock can be moved, the token that starts the chain comes from the day before: if the
 * allowances were counted together, it would take one of the ten.
 */
const refreshAllowance: Check = {
  id: 'quota/refresh-allows-10',
  rules: ['quota/refresh-allows-10', 'quota/refresh-refuses-11th'],
  acceptance: { 'quota/refresh-allows-10': 'demanded' },
  baseRequest: 'standalone',
  refusedAs: 'quota-exceeded',
  only: 'controlled',
  bansFresh: true,
  spends: () => ({ platform: 1, refresh: LIMITS.refreshesPerDay + 1 }),
  run: async (ctx) => {
    const chain = await startOfChain(ctx);
    await ctx.reach(ctx.now() + DAY_MS + MARGIN_MS);
    const exceeded = await useUpAndExceed(ctx, 'refresh', { chain });
    if (exceeded.used.accepted === 1) await requireChain(ctx, await startOfChain(ctx));
    return { ...refreshFindings(ctx, exceeded), ...banProbe(ctx, exceeded) };
  },
};

/** The same, with one more refresh after the ban. */
const meteredRefreshAllowance: Check = {
  id: 'quota/refresh-allows-10',
  rules: [...refreshAllowance.rules, 'quota/ban-lifts'],
  acceptance: { 'quota/refresh-allows-10': 'demanded', 'quota/ban-lifts': 'demanded' },
  dependsOn: { 'quota/ban-lifts': 'quota/daily-reset' },
  baseRequest: 'standalone',
  refusedAs: 'quota-exceeded',
  only: 'metered',
  clock: true,
  needs: { ban: true },
  spends: () => ({ platform: 2, refresh: LIMITS.refreshesPerDay + 1 }),
  spendsLater: { platform: 1, refresh: 2 },
  run: async (ctx) => {
    const spare = ctx.facts.asked('quota/ban-lifts')
      ? await ctx.sendPlatform('a token whose refresh_token is kept until the ban is over')
      : null;
    const chain = await startOfChain(ctx);
    const options = { chain, neededMs: METERED_SEQUENCE_MS, rest: 'second' } as const;
    const exceeded = await useUpAndExceed(ctx, 'refresh', options);
    if (exceeded.used.accepted === 1 && spare?.refreshToken)
      await requireChain(ctx, spare.refreshToken);
    return {
      ...refreshFindings(ctx, exceeded),
      'quota/ban-lifts': () => judgeBanLifts(ctx, exceeded, spare),
    };
  },
};

/** Bans of each kind show whether they reach other partners, also where their length is not asked for. */
const bansFor = ({ asked }: Facts): readonly Check[] =>
  asked('quota/per-partner') && !asked(BAN_LASTS) ? banLastsParts : [];

/** Checks that exceed an allowance (interface.md, "Limits"). */
export const allowanceChecks: readonly Check[] = [
  {
    ...platformAllowance,
    whereFree: (facts) => [
      probed(platformAllowance),
      windowOf('quota/platform-refuses-11th', 'platform'),
      ...EDGE_PARTS.platform,
      ...bansFor(facts),
    ],
  },
  {
    ...userAllowance,
    whereFree: () => [
      probed(userAllowance),
      windowOf('quota/user-refuses-6th', 'user'),
      ...EDGE_PARTS.user,
    ],
  },
  {
    ...refreshAllowance,
    whereFree: () => [
      probed(refreshAllowance),
      windowOf('quota/refresh-refuses-11th', 'refresh'),
      ...EDGE_PARTS.refresh,
    ],
  },
];

/**
 * The same for a target whose clock cannot be moved; each banned partner is watched to the end of
 * its ban.
 */
export const meteredAllowanceChecks: readonly Check[] = [
  meteredPlatformAllowance,
  meteredRefreshAllowance,
];
