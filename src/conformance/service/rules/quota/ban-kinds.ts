import { ALLOWANCE_PER_DAY, type AllowanceKind, LIMITS } from '../../../../interface/limits.ts';
import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { Caller, Check, CheckContext, Findings } from '../../contract/check.ts';
import {
  accepted,
  answered,
  Inconclusive,
  judgeRefusals,
  type Negative,
} from '../../contract/judge.ts';
import type { Fields, TokenAnswer } from '../../contract/messages.ts';
import { partOf } from '../../contract/templates.ts';
import { hasBegun, judgeBeyond, NO_BAN, PAUSE_MS, REFUSES } from './ban.ts';
import {
  askWitness,
  CROSSED,
  clearOfMidnight,
  crossedMidnight,
  exceed,
  fieldsOf,
  MARGIN_MS,
  requireNoRate,
  requireUsedUp,
  SEQUENCE_MS,
  type Used,
  use,
} from './use.ts';

const HOUR_MS = 3_600_000;
const BAN_MS = LIMITS.banSeconds * 1000;

/** Refresh_tokens of a partner that are kept for probes of its refreshes. */
type Kept = string[];

/** A partner whose allowance of one kind was exceeded. */
interface Banned {
  /** The request beyond the allowance; it bans where it is refused. */
  readonly beyond: TokenAnswer;
  readonly kept: Kept;
}

/** Refresh_tokens for one chain and some probes; none for other kinds. */
async function keepTokens(caller: Caller, kind: AllowanceKind, probes: number): Promise<Kept> {
  const kept: Kept = [];
  const count = kind === 'refresh' ? probes + 1 : 0;
  while (kept.length < count)
    kept.push((await caller.refreshable('a token whose refresh_token is kept')).refreshToken);
  return kept;
}

/** @throws Inconclusive if no partner could be banned within a day */
async function banFor(
  ctx: CheckContext,
  kind: AllowanceKind,
  probes: number,
  alike: readonly Caller[] = [],
): Promise<Banned> {
  await clearOfMidnight(ctx, PAUSE_MS + SEQUENCE_MS);
  const startMs = ctx.now();
  for (const caller of alike) {
    const [startFrom = null] = await keepTokens(caller, kind, 0);
    requireUsedUp(await use(caller, kind, ALLOWANCE_PER_DAY[kind], { startFrom }));
  }
  const kept = await keepTokens(ctx, kind, probes);
  const used = await use(ctx, kind, ALLOWANCE_PER_DAY[kind], {
    startFrom: kept.shift() ?? null,
  });
  requireUsedUp(used);
  await ctx.reach(ctx.now() + PAUSE_MS);
  const beyond = answered(await exceed(ctx, used));
  if (crossedMidnight(startMs, ctx.now())) throw new Inconclusive(CROSSED);
  const again = (): Promise<Fields> => fieldsOf(ctx, kind, used.refreshToken);
  if (beyond.outcome === 'refused' && !(await hasBegun(ctx, kind, beyond, again)))
    throw new Inconclusive(NO_BAN.reason);
  return { beyond, kept };
}

/** Hours of a ban after which it is probed; the last probe is just before its end. */
const SINGLE: readonly number[] = [];
const MANY: readonly number[] = [1, 12];

async function judgeLasts(
  ctx: CheckContext,
  kind: AllowanceKind,
  hours: readonly number[],
): Promise<Findings> {
  const witness = await ctx.freshPartner();
  const tokens = await keepTokens(witness, kind, 2);
  const before = await askAlike(witness, kind, tokens, 'baseline: another partner before the ban');
  const { beyond, kept } = await banFor(ctx, kind, 2 * (hours.length + 1));
  const refuses = judgeBeyond(kind, beyond);
  const findings = (lasts: Judgement, perPartner: Judgement): Findings => ({
    'quota/ban-lasts-24h': lasts,
    'quota/per-partner': perPartner,
    [REFUSES[kind]]: refuses,
  });
  if (beyond.outcome === 'accepted') return findings(NO_BAN, NO_BAN);
  const perPartner = await judgePerPartner(witness, kind, tokens, before);
  const negatives: Negative[] = [];
  const endMs = beyond.sentAtMs + BAN_MS - MARGIN_MS;
  for (const atMs of [...hours.map((one) => beyond.sentAtMs + one * HOUR_MS), endMs]) {
    await ctx.reach(atMs);
    const when =
      atMs === endMs
        ? 'before its 24 hours are over'
        : `${(atMs - beyond.sentAtMs) / HOUR_MS} h later`;
    for (const changes of [{}, { scope: 'public' }]) {
      const wrong = `a ${kind} token request of a banned partner, ${when}${'scope' in changes ? ', naming scope public' : ''}`;
      const fields = { ...(await fieldsOf(ctx, kind, kept.shift() ?? null)), ...changes };
      const answer = await ctx.token({ expects: 'refused', purpose: `negative: ${wrong}`, fields });
      negatives.push({ wrong, answer });
      if (answer.answeredAtMs >= beyond.sentAtMs + BAN_MS)
        throw new Inconclusive("the probe came too late: the ban's end had passed");
      if (answer.outcome === 'accepted')
        return findings(judgeRefusals(negatives, { opening: beyond, closing: null }), perPartner);
    }
  }
  const closing = await askWitness(
    await ctx.freshPartner(),
    'baseline: a partner that is not banned',
  );
  return findings(judgeRefusals(negatives, { opening: null, closing }), perPartner);
}

/** Sends a request of another partner, and of another user, of that kind. */
async function askAlike(
  caller: Caller,
  kind: AllowanceKind,
  tokens: Kept,
  purpose: string,
): Promise<TokenAnswer> {
  const fields =
    kind === 'user'
      ? caller.exchange(await caller.authCode('user-2'))
      : await fieldsOf(caller, kind, tokens.shift() ?? null);
  return caller.token({ purpose, expects: 'accepted', fields });
}

async function judgePerPartner(
  witness: Caller,
  kind: AllowanceKind,
  tokens: Kept,
  before: TokenAnswer,
): Promise<Judgement> {
  if (before.outcome !== 'accepted')
    return inconclusive('the other partner was refused before the ban too');
  const purpose = `another partner's ${kind} token request after the ban`;
  const after = await askAlike(witness, kind, tokens, purpose);
  const again =
    after.outcome === 'accepted' ? after : await askAlike(witness, kind, tokens, purpose);
  if (again.outcome === 'broken') return inconclusive(`no answer to it: ${again.failure}`);
  if (again.outcome === 'accepted')
    return pass(`another partner's ${kind} token request succeeded after the ban`);
  return violated(
    "status 200 for another partner's request",
    `status ${again.status} for a ${kind} token request once the first partner was banned`,
    again.exchange,
  );
}

/** Uses the whole allowance after the ban, beside a partner that was not banned. */
async function judgeLifts(
  ctx: CheckContext,
  kind: AllowanceKind,
): Promise<{ readonly lifts: Judgement; readonly refuses: Judgement }> {
  const abstinent = await ctx.freshPartner();
  const { beyond, kept } = await banFor(ctx, kind, 1, [abstinent]);
  if (beyond.outcome === 'accepted') return { lifts: NO_BAN, refuses: judgeBeyond(kind, beyond) };
  await ctx.reach(beyond.answeredAtMs + BAN_MS + MARGIN_MS);
  const count = ALLOWANCE_PER_DAY[kind];
  // A refresh_token of before the ban serves where the ban reaches platform requests too.
  const renewed = kind === 'refresh' ? await ctx.sendPlatform('a token after the ban') : null;
  const startFrom = renewed?.refreshToken ?? kept.shift() ?? null;
  const used = await use(ctx, kind, count, { startFrom });
  if (used.accepted === count)
    return {
      lifts: pass(`${count} ${kind} token requests succeeded ${MARGIN_MS / 1000} s after the ban`),
      refuses: await judgeAgain(ctx, used),
    };
  const { status, exchange } = answered(used.last);
  const [chain = null] = await keepTokens(abstinent, kind, 0);
  const other = await use(abstinent, kind, used.accepted + 1, { startFrom: chain });
  accepted(other.last, 'refused, but so was a partner that had merely used its allowance up');
  await requireNoRate(ctx, used);
  const number = used.accepted + 1;
  const lifts = violated(
    'status 200 once 24 hours have passed',
    `status ${status} for ${kind} token request ${number} ${MARGIN_MS / 1000} s after that, which a partner without a ban was granted`,
    exchange,
  );
  return { lifts, refuses: inconclusive('the allowance after the ban fell short') };
}

/** Judges if an allowance is exceeded a second time, once its first ban is over. */
async function judgeAgain(ctx: CheckContext, used: Used): Promise<Judgement> {
  const beyond = answered(await exceed(ctx, used));
  if (crossedMidnight(used.first.sentAtMs, ctx.now())) return inconclusive(CROSSED);
  return judgeBeyond(used.kind, beyond);
}

const OPTIONS = { refusedAs: 'banned', clock: true, bansFresh: true } as const;

const lasts = (kind: AllowanceKind, name: string, hours: readonly number[]): Check => ({
  ...partOf({
    ...OPTIONS,
    rule: 'quota/ban-lasts-24h',
    name,
    circumstance: `of ${kind} token requests${hours.length > 0 ? ', probed often' : ''}`,
    run: (ctx) => judgeLasts(ctx, kind, hours),
  }),
  rules: ['quota/ban-lasts-24h', 'quota/per-partner', REFUSES[kind]],
});

/** The length of bans of each kind. */
export const banLastsParts: readonly Check[] = [
  lasts('platform', 'platform-often', MANY),
  lasts('user', 'user', SINGLE),
  lasts('refresh', 'refresh', SINGLE),
];

/** End of the bans of each kind, and the allowances after it. */
export const banLiftsParts: readonly Check[] = (['platform', 'user', 'refresh'] as const).map(
  (kind) => ({
    ...partOf({
      ...OPTIONS,
      rule: 'quota/ban-lifts',
      name: kind,
      circumstance: `of ${kind} token requests, with the whole allowance`,
      run: async (ctx) => {
        const { lifts, refuses } = await judgeLifts(ctx, kind);
        return { 'quota/ban-lifts': lifts, [REFUSES[kind]]: refuses };
      },
    }),
    rules: ['quota/ban-lifts', REFUSES[kind]],
  }),
);
