import { ALLOWANCE_PER_DAY, type AllowanceKind, LIMITS } from '../../../../interface/limits.ts';
import { inconclusive, type Judgement, pass, untestable, violated } from '../../../verdict.ts';
import type { Caller, Check, CheckContext } from '../../contract/check.ts';
import { accepted, answered, Inconclusive, Undecided, Untestable } from '../../contract/judge.ts';
import type { Fields, TokenAnswer } from '../../contract/messages.ts';
import { checkOf } from '../../contract/templates.ts';
import { isLimitStatus } from '../../wire/rate-limit.ts';
import {
  askWitness,
  CROSSED,
  clearOfMidnight,
  crossedMidnight,
  DAY_MS,
  durationOf,
  type Exceeded,
  LONGEST_DAY_MS,
  MARGIN_MS,
  mayBeOneDay,
  requireNoRate,
  requireUsedUp,
  requireWitness,
  SEQUENCE_MS,
  type Used,
  useUp,
} from './use.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const BAN_MS = LIMITS.banSeconds * SECOND_MS;

/**
 * Time between the last allowed request and the one too many, ms: if allowances are counted over
 * the last 24 hours, they are full again before the ban ends, so that only the ban can refuse.
 */
export const PAUSE_MS: number = 5 * MINUTE_MS;

/**
 * Time before a ban's end in which a resumed run may probe it, ms; a run that waits probes it
 * {@link MARGIN_MS} before the end.
 */
const WINDOW_MS = 30 * MINUTE_MS;

/** Time after a day's end by which the check of quota/daily-reset has ended, in ms. */
const RESET_KNOWN_MS = 10 * MINUTE_MS;

/** Time around a ban's end in which the clocks of both sides may disagree, ms. */
const LAST_MOMENT_MS = 2 * SECOND_MS;

/** Rule on the request beyond the allowance, by kind. */
export const REFUSES = {
  platform: 'quota/platform-refuses-11th',
  user: 'quota/user-refuses-6th',
  refresh: 'quota/refresh-refuses-11th',
} as const;

/** Judgement of a ban that did not begin. */
export const NO_BAN: Judgement = inconclusive(
  'no ban to watch: the request beyond the allowance was not refused',
);

const REFUSED_FOR_A_DAY = 'a refusal until 24 hours have passed';

/** Judges the one request beyond the allowance. */
export function judgeBeyond(
  kind: AllowanceKind,
  { outcome, status, exchange, failure }: TokenAnswer,
): Judgement {
  const number = ALLOWANCE_PER_DAY[kind] + 1;
  if (outcome === 'broken') return inconclusive(`no answer to number ${number}: ${failure}`);
  if (outcome === 'refused')
    return pass(`number ${number} was refused (status ${status}), number ${number - 1} accepted`);
  return violated(
    `a refusal of ${kind} token request ${number} of a day`,
    `number ${number} was accepted with status ${status}`,
    exchange,
  );
}

/**
 * Sends one more request at once: a request beyond the allowance that was refused for another reason, such as the
 * load of the target, has begun no ban. Where that may have been refused for the rate, sends another.
 *
 * @param beyond the request beyond the allowance, which was refused
 * @param isRested true to send it after a minute's rest, by which no limit of the rate refuses it
 * @throws Undecided with a violation if it is accepted after that rest
 */
export async function hasBegun(
  ctx: CheckContext,
  kind: AllowanceKind,
  beyond: TokenAnswer,
  fields: () => Fields | Promise<Fields>,
  isRested: boolean = ctx.isRepeated,
): Promise<boolean> {
  const purpose = `one more ${kind} token request of a banned partner, which may be refused`;
  const rest = isRested ? 'full-minute' : ctx.mayLimitRate ? 'second' : undefined;
  const more = await ctx.token({ purpose, fields: await fields(), rest });
  const isOfOneDay = !crossedMidnight(beyond.sentAtMs, more.answeredAtMs);
  if (isRested && more.outcome === 'accepted' && isOfOneDay) {
    const got = `accepted ${durationOf(more.sentAtMs - beyond.sentAtMs)} after the request beyond the allowance was refused`;
    throw new Undecided(violated(REFUSED_FOR_A_DAY, got, more.exchange));
  }
  if (isRested || !isLimitStatus(more.status)) return more.outcome === 'refused';
  const rested = 'the same after a rest, which may be refused';
  const last = await ctx.token({ purpose: rested, fields: await fields(), rest: 'second' });
  return last.outcome === 'refused';
}

/** A ban to probe: its kind, the request beyond the allowance, and the body of one more. */
export interface ProbedBan {
  readonly kind: AllowanceKind;
  readonly beyond: TokenAnswer | null;
  readonly fields: () => Fields | Promise<Fields>;
}

/**
 * Sends one more request of each kind shortly before its ban ends. Nothing is compared with it, so only
 * its acceptance shows something.
 */
export async function probeBans(ctx: CheckContext, bans: readonly ProbedBan[]): Promise<Judgement> {
  if (!ctx.facts.asked('quota/ban-lasts-24h')) return untestable('not asked for');
  const begun: ProbedBan[] = [];
  let isRested = ctx.isRepeated;
  for (const ban of bans) {
    const { kind, beyond, fields } = ban;
    if (beyond?.outcome !== 'refused') continue;
    if (await hasBegun(ctx, kind, beyond, fields, isRested)) begun.push(ban);
    // One rest is enough for all of them.
    isRested = false;
  }
  // The first ban may be that of all kinds.
  const startsMs = bans.flatMap(({ beyond }) => (beyond ? [beyond.sentAtMs] : []));
  const endsMs = Math.min(...startsMs) + BAN_MS;
  for (const { kind, fields } of begun) {
    await ctx.reach(endsMs - MARGIN_MS);
    const purpose = `a ${kind} token request before the ban is over, which may be refused`;
    const probe = await ctx.token({ purpose, fields: await fields() });
    if (probe.outcome !== 'accepted' || probe.answeredAtMs >= endsMs) continue;
    const got = `accepted ${durationOf(endsMs - probe.sentAtMs)} before that`;
    return violated(REFUSED_FOR_A_DAY, got, probe.exchange);
  }
  return untestable('judged by checks that compare it with a partner that is not banned');
}

/** A partner that was banned. */
interface Ban {
  readonly used: Used;
  /** The refused request that began the ban. */
  readonly beyond: TokenAnswer;
}

/** @throws Inconclusive if the request beyond the allowance was not refused */
function banOf({ used, beyond }: Exceeded): Ban {
  if (beyond?.outcome === 'refused') return { used, beyond };
  throw new Inconclusive(NO_BAN.reason);
}

/**
 * Judges quota/ban-lasts-24h.
 *
 * @throws Inconclusive or Untestable if it cannot be judged, PendingUntil if the end of the ban is
 *   far off
 */
export async function judgeBanLasts(ctx: CheckContext, exceeded: Exceeded): Promise<Judgement> {
  const { used, beyond } = banOf(exceeded);
  if (!ctx.facts.asked('quota/ban-lasts-24h')) throw new Untestable('not asked for');
  const { hasControl, waits } = ctx.facts;
  const endsMs = beyond.sentAtMs + BAN_MS;
  await ctx.reach(endsMs - (hasControl || waits ? MARGIN_MS : WINDOW_MS));
  if (!hasControl && ctx.now() > endsMs - LAST_MOMENT_MS) {
    throw new Untestable(
      `its 24 hours were over at ${new Date(endsMs).toISOString().slice(0, 19)}Z, before it was probed again`,
      'a new run that is resumed in time, or that waits',
    );
  }
  const purpose = "negative: a request before the ban's 24 hours are over";
  const probe = answered(await ctx.token({ purpose, expects: 'refused', fields: ctx.platform() }));
  const left = durationOf(endsMs - probe.sentAtMs);
  if (probe.outcome === 'accepted') {
    if (probe.answeredAtMs >= endsMs)
      throw new Inconclusive("the probe came too late: the ban's end had passed");
    const got = `accepted ${left} before that`;
    return violated(REFUSED_FOR_A_DAY, got, probe.exchange);
  }
  await requireWitness(ctx, 'a partner that is not banned');
  // If the last 24 hours are counted, the allowance is full only once its first use is that old.
  const doubt =
    used.first.answeredAtMs + DAY_MS < probe.sentAtMs
      ? ''
      : ' (a service that counts the last 24 hours refuses that anyway; a run that waits probes when it does not)';
  return pass(
    `still refused ${left} before its 24 hours were over, a partner that is not banned accepted${doubt}`,
  );
}

/**
 * Judges quota/ban-lifts with a refresh_token that was kept. Nothing was sent since the ban began,
 * so a service that extends a ban on refused requests did not extend it.
 *
 * @param spare the token; null if the rule is not selected
 * @throws Inconclusive or Untestable if it cannot be judged, PendingUntil if the end of the ban is
 *   far off
 */
export async function judgeBanLifts(
  ctx: CheckContext,
  exceeded: Exceeded,
  spare: TokenAnswer | null,
): Promise<Judgement> {
  const { used, beyond } = banOf(exceeded);
  if (!spare) throw new Untestable('not asked for');
  if (spare.refreshToken === null)
    throw new Inconclusive('no refresh_token was left to try it with');
  await ctx.reach(beyond.answeredAtMs + BAN_MS + MARGIN_MS);
  const purpose = "positive: a refresh after the ban's 24 hours are over";
  const probe = answered(await ctx.sendRefresh(spare.refreshToken, purpose));
  const since = durationOf(probe.sentAtMs - beyond.answeredAtMs - BAN_MS);
  if (probe.outcome === 'accepted') return pass(`accepted ${since} after its 24 hours were over`);
  if (mayBeOneDay(used.first.sentAtMs, probe.sentAtMs))
    throw new Inconclusive('refused, but in some time zone it is still the day of the ban');
  await requireWitness(ctx, 'a partner that was not banned');
  // A refresh_token that expired meanwhile would be refused too; a new one shows the difference.
  const renewed = await ctx.sendPlatform('a new token of the partner that was banned');
  const again =
    renewed.refreshToken === null
      ? null
      : await ctx.sendRefresh(renewed.refreshToken, 'the refresh of that new token');
  if (again?.outcome === 'accepted')
    return pass(`a refresh was accepted ${since} after its 24 hours were over`);
  if (renewed.outcome === 'broken' || again?.outcome === 'broken')
    throw new Inconclusive('refused, and no answer to the request that was to tell why');
  // An allowance that is never renewed would refuse it as well: quota/daily-reset is judged by
  // then.
  await ctx.reach(beyond.answeredAtMs + LONGEST_DAY_MS + RESET_KNOWN_MS);
  const got = `status ${probe.status} ${since} after that`;
  return violated('status 200 once 24 hours have passed', got, probe.exchange);
}

/** A partner banned at a known time. */
interface Watched extends Exceeded {
  readonly beyond: TokenAnswer;
  /** Partner that used its allowance up at the same time, without exceeding it. */
  readonly abstinent: Caller;
}

/** @throws Inconclusive if no partner could be banned within a day */
async function banPartner(ctx: CheckContext): Promise<Watched> {
  await clearOfMidnight(ctx, PAUSE_MS + SEQUENCE_MS);
  const startMs = ctx.now();
  const abstinent = await ctx.freshPartner();
  requireUsedUp(await useUp(abstinent, 'platform'));
  const used = await useUp(ctx, 'platform');
  requireUsedUp(used);
  await ctx.reach(ctx.now() + PAUSE_MS);
  const purpose = 'the request beyond the allowance, which bans';
  const beyond = await ctx.token({ purpose, expects: 'refused', fields: ctx.platform() });
  const crossed = crossedMidnight(startMs, ctx.now());
  if (crossed) throw new Inconclusive(CROSSED);
  const isRefused = beyond.outcome === 'refused';
  if (isRefused && !(await hasBegun(ctx, 'platform', beyond, () => ctx.platform())))
    throw new Inconclusive(NO_BAN.reason);
  return { used, beyond, crossed, abstinent };
}

const ban = (
  options: Pick<Check, 'refusedAs' | 'acceptance'> & {
    readonly rule: string;
    readonly judge: (ctx: CheckContext, watched: Watched) => Promise<Judgement>;
  },
): Check =>
  checkOf({
    rule: options.rule,
    baseRequest: 'standalone',
    refusedAs: options.refusedAs,
    acceptance: options.acceptance,
    only: 'controlled',
    clock: true,
    bansFresh: true,
    spends: { platform: LIMITS.platformTokensPerDay + 1 },
    run: async (ctx) => {
      const watched = await banPartner(ctx);
      return {
        [options.rule]: () => options.judge(ctx, watched),
        [REFUSES.platform]: () => judgeBeyond('platform', watched.beyond),
      };
    },
  });

/** Check of the end of a ban where the clock can be moved (interface.md, "Limits"). */
export const banLifts: Check = ban({
  rule: 'quota/ban-lifts',
  acceptance: 'demanded',
  judge: async (ctx, watched) => {
    const { beyond } = banOf(watched);
    await ctx.reach(beyond.answeredAtMs + BAN_MS + MARGIN_MS);
    const purpose = "positive: a request 10 s after the ban's 24 hours are over";
    const probe = answered(
      await ctx.token({ purpose, expects: 'accepted', fields: ctx.platform() }),
    );
    if (probe.outcome === 'accepted') return pass('accepted 10 s after its 24 hours were over');
    accepted(
      await askWitness(
        watched.abstinent,
        'baseline: a partner that had used its allowance up, unbanned',
      ),
      'refused, but so was a partner that had merely used its allowance up',
    );
    await requireNoRate(ctx, { kind: 'platform', last: probe, refreshToken: null });
    const got = `status ${probe.status} 10 s after that`;
    return violated('status 200 once 24 hours have passed', got, probe.exchange);
  },
});

/** Check of the length of a ban where the clock can be moved (interface.md, "Limits"). */
export const banLasts: Check = ban({
  rule: 'quota/ban-lasts-24h',
  refusedAs: 'banned',
  judge: judgeBanLasts,
});
