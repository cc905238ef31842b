import { LIMITS } from '../../../../interface/limits.ts';
import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { TokenAnswer } from '../../contract/answer.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check } from '../../contract/check.ts';
import type { Caller, CheckContext } from '../../contract/context.ts';
import {
  askWitness,
  CROSSED,
  clearOfMidnight,
  crossedMidnight,
  SEQUENCE_MS,
  useUp,
} from './use.ts';

const MARGIN_MS = 10_000;

/**
 * Between the last request allowed and the one too many lie some minutes: where allowances are
 * counted over the last 24 hours, they are whole again before the ban ends, and only the ban is left
 * to refuse.
 */
const BEFORE_EXCEEDING_MS = 5 * 60_000;

/** A partner banned at a known time. */
interface Banned {
  readonly beyond: TokenAnswer;
  /** Partner that used its allowance up at the same time, and did not exceed it. */
  readonly abstinent: Caller;
}

async function banOne(ctx: CheckContext): Promise<Banned | Judgement> {
  await clearOfMidnight(ctx, BEFORE_EXCEEDING_MS + SEQUENCE_MS);
  const startMs = ctx.now();
  const abstinent = await ctx.freshPartner();
  for (const caller of [abstinent, ctx]) {
    const used = await useUp(caller, 'platform');
    if (used.accepted < LIMITS.platformTokensPerDay) {
      return inconclusive(`the allowance could not be used up (${describeAnswer(used.last)})`);
    }
  }
  await ctx.reach(ctx.now() + BEFORE_EXCEEDING_MS);
  const fields = ctx.platform();
  const beyond = await ctx.token({ purpose: 'the request too many, which bans', fields });
  if (crossedMidnight(startMs, ctx.now())) return inconclusive(CROSSED);
  if (beyond.outcome === 'refused') return { beyond, abstinent };
  return inconclusive('no ban to watch: the eleventh request was not refused');
}

const ban = (
  rule: string,
  watch: (ctx: CheckContext, banned: Banned) => Promise<Judgement>,
): Check => ({
  id: rule,
  rules: [rule],
  baseRequest: 'standalone',
  only: 'controlled',
  clock: true,
  bansFresh: true,
  spends: () => ({ platform: LIMITS.platformTokensPerDay + 1 }),
  run: async (ctx) => {
    const banned = await banOne(ctx);
    return 'verdict' in banned ? banned : watch(ctx, banned);
  },
});

const BAN_MS = LIMITS.banSeconds * 1000;

const banLasts = ban('quota/ban-lasts-24h', async (ctx, { beyond }) => {
  const endsMs = beyond.sentAtMs + BAN_MS;
  await ctx.reach(endsMs - MARGIN_MS);
  const purpose = "negative: a request 10 s before the ban's 24 hours are over";
  const probe = await ctx.token({ purpose, fields: ctx.platform() });
  if (probe.outcome === 'broken') return inconclusive(`no answer: ${probe.failure}`);
  if (probe.outcome === 'accepted') {
    if (probe.answeredAtMs >= endsMs)
      return inconclusive("the probe came too late: the ban's end had passed");
    return violated(
      'a refusal until 24 hours have passed',
      'accepted 10 s before that',
      probe.exchange,
    );
  }
  const control = await askWitness(
    await ctx.freshPartner(),
    'baseline: a partner that is not banned',
  );
  if (control.outcome === 'accepted') {
    return pass(
      'still refused 10 s before its 24 hours were over, a partner that is not banned accepted',
    );
  }
  return inconclusive(
    `refused, but so was a partner that is not banned (${describeAnswer(control)})`,
  );
});

/** Nothing was sent since the ban began: where a refused request extends it, none did. */
const banLifts = ban('quota/ban-lifts', async (ctx, { beyond, abstinent }) => {
  await ctx.reach(beyond.answeredAtMs + BAN_MS + MARGIN_MS);
  const purpose = "positive: a request 10 s after the ban's 24 hours are over";
  const probe = await ctx.token({ purpose, fields: ctx.platform() });
  if (probe.outcome === 'accepted') return pass('accepted 10 s after its 24 hours were over');
  if (probe.outcome === 'broken') return inconclusive(`no answer: ${probe.failure}`);
  const control = await askWitness(
    abstinent,
    'baseline: a partner that had used its allowance up, unbanned',
  );
  if (control.outcome === 'accepted') {
    return violated(
      'status 200 once 24 hours have passed',
      `status ${probe.status} 10 s after that`,
      probe.exchange,
    );
  }
  return inconclusive(
    `refused, but so was a partner that had merely used its allowance up (${describeAnswer(control)})`,
  );
});

/** Checks of the ban's length (interface.md, "Limits"). */
export const banChecks: readonly Check[] = [banLasts, banLifts];
