import { LIMITS } from '../../../interface/limits.ts';
import { type Judgement, pass, violated } from '../../verdict.ts';
import type { Caller, Check, CheckContext } from '../contract/check.ts';
import { Inconclusive } from '../contract/judge.ts';
import { describeAnswer, type EstimateAnswer, type TokenAnswer } from '../contract/messages.ts';
import type { LockState, Shape } from '../contract/target.ts';
import { checkOf, partOf, withParts } from '../contract/templates.ts';
import { MIDNIGHT_ZONES, nextMidnight } from './days.ts';
import { expiryOf } from './lifecycle/lineage.ts';

export const MARGIN_SECONDS = 10;

/** Time between two estimates whose locks are watched one after the other, in seconds. */
const APART_SECONDS = 60;

/** Difference up to which a time that the control API names may be rounded, in seconds. */
const ROUNDED_SECONDS = 60;

/** An estimate whose lock is watched. */
interface Watched {
  /** Such as `a user estimate, shape express`. */
  readonly what: string;
  readonly estimate: EstimateAnswer;
  readonly id: string;
  /** Price that is locked, in fen; undefined if the answer or its shape leaves it open. */
  readonly price: unknown;
}

/** Lock whose length is judged. */
interface Lock {
  readonly callerId: string;
  readonly seconds: number;
}

const expectedOf = ({ seconds }: Lock): string =>
  `locked for ${seconds / 60} minutes, and no longer`;

/**
 * Judges a lock just before its end; null if it is as it should be.
 *
 * @throws Inconclusive if the control API does not show it
 */
export function judgeBefore(
  lock: Lock,
  { what, estimate, price }: Watched,
  before: (LockState & { readonly readAtMs: number }) | null,
): Judgement | null {
  if (!before)
    throw new Inconclusive('the control API knows no such estimate before its lock should end');
  if (before.partnerId !== null && before.partnerId !== lock.callerId) {
    throw new Inconclusive(
      "the control API knows this estimate_id as another partner's (see record/estimate-id-unique)",
    );
  }
  const lockMs = lock.seconds * 1000;
  if (before.readAtMs >= estimate.sentAtMs + lockMs) {
    throw new Inconclusive(
      "the probe came too late: the target's clock had passed the end of the lock",
    );
  }
  const accuse = (got: string): Judgement =>
    violated(expectedOf(lock), `${what}: ${got}`, estimate.exchange);
  if (!before.locked) return accuse(`not locked any more ${MARGIN_SECONDS} s before that`);
  const untilMs = before.lockedUntilMs;
  const isLate = untilMs > estimate.answeredAtMs + lockMs + ROUNDED_SECONDS * 1000;
  const isEarly = untilMs < estimate.sentAtMs + lockMs - ROUNDED_SECONDS * 1000;
  if (isLate || isEarly) {
    const afterS = Math.round((untilMs - estimate.answeredAtMs) / 1000);
    return accuse(`the control API names an end ${afterS} s after the estimate as lockedUntil`);
  }
  const { estimatePrice } = before;
  // A price that is no integer, or below 0, breaks another rule; a lock may hold another one.
  const isPrice = Number.isInteger(price) && Number(price) >= 0;
  if (isPrice && estimatePrice !== null && estimatePrice !== price)
    return accuse(`its price was ${Number(price)}, and the locked price is ${estimatePrice}`);
  return null;
}

export function judgeAfter(
  lock: Lock,
  { what, estimate }: Watched,
  after: LockState | null,
): Judgement | null {
  // An estimate that the target has forgotten counts as not locked.
  if (!after?.locked) return null;
  const got = `${what}: still locked ${MARGIN_SECONDS} s after that`;
  return violated(expectedOf(lock), got, estimate.exchange);
}

/** Number of locks after which other requests are sent in between. */
const EVERY = 3;

/** Watches locks one after the other, in the order in which they end. */
async function judgeLocks(
  ctx: CheckContext,
  lock: Lock,
  watched: readonly Watched[],
  between: () => Promise<unknown> = async () => {},
): Promise<Judgement> {
  for (const [at, one] of watched.entries()) {
    if (at % EVERY === 0) await between();
    const { answeredAtMs } = one.estimate;
    await ctx.reach(answeredAtMs + (lock.seconds - MARGIN_SECONDS) * 1000);
    const wrong = judgeBefore(lock, one, await ctx.readLock(one.id));
    if (wrong) return wrong;
    await ctx.reach(answeredAtMs + (lock.seconds + MARGIN_SECONDS) * 1000);
    const longer = judgeAfter(lock, one, await ctx.readLock(one.id));
    if (longer) return longer;
  }
  const minutes = lock.seconds / 60;
  return pass(
    `locked ${MARGIN_SECONDS} s before ${minutes} minutes, not locked ${MARGIN_SECONDS} s after`,
  );
}

/** @param at which of its records, 0 for the first, -1 for the last */
function watchedOf(
  estimate: EstimateAnswer,
  what: string,
  isPriced: boolean,
  at: 0 | -1 = 0,
): Watched {
  const { estimate_id: id, estimate_price: price } = estimate.records.at(at) ?? {};
  if (typeof id !== 'string')
    throw new Inconclusive(`no estimate_id was returned (${describeAnswer(estimate)})`);
  return { what, estimate, id, price: isPriced ? price : undefined };
}

/** Which price a carpool's lock is of, the interface does not say. */
export const isPriced = (shape: Shape | undefined): boolean => !shape?.startsWith('carpool');

/** Hours ahead of the departures that are tried for another price. */
const HOURS_AHEAD = [3, 6, 9, 12, 15, 18, 21] as const;

/** Asks for a further estimate, with a departure some hours ahead. */
function askDeparture(
  ctx: CheckContext,
  caller: Caller,
  accessToken: string,
  hours: number,
): Promise<EstimateAnswer> {
  const departure = Math.floor(ctx.now() / 1000) + hours * 3600;
  const query = ctx.query({ departure_time: String(departure) });
  const purpose = 'a further estimate, of another departure';
  return caller.estimate({ purpose, query, accessToken, as: 'platform' });
}

/**
 * Notes the ids of an estimate.
 *
 * @throws Inconclusive if one was given before: which lock it names is open
 */
function addIds(ids: Set<unknown>, { records }: EstimateAnswer): void {
  const own = records.map((record) => record['estimate_id']);
  if (own.some((id) => ids.has(id)))
    throw new Inconclusive('an estimate_id was given twice (see record/estimate-id-unique)');
  for (const id of own) ids.add(id);
}

/** Estimates of each shape and on both headers, one soon after the other, and what comes between. */
async function judgeRow(ctx: CheckContext, seconds: number, longLock: boolean): Promise<Judgement> {
  // Beside the lock of the other length: a service may keep one for all.
  const fresh = await ctx.freshPartner({ longLock: true });
  const [caller, witness] = longLock ? [fresh, ctx] : [ctx, fresh];
  // The check's own partner is the first to send: a stored run names partners in that order.
  const tokens = new Map<Caller, TokenAnswer & { readonly refreshToken: string }>();
  for (const one of [ctx, fresh]) tokens.set(one, await one.refreshable('a token'));
  const [issued, other] = [tokens.get(caller), tokens.get(witness)];
  if (!issued || !other) throw new Inconclusive('no token could be had');
  const exchange = { purpose: "a user's token", fields: caller.exchange(await caller.authCode()) };
  const user = await caller.token({ ...exchange, wellFormed: true });
  let accessToken = issued.accessToken;
  const watched: Watched[] = [];
  const ids = new Set<unknown>();
  for (const as of ['platform', 'user'] as const) {
    const token = as === 'user' ? user.accessToken : accessToken;
    if (token === null) continue;
    const { shapes } = ctx.facts;
    for (const [at, shape] of (shapes.length > 0 ? shapes : [undefined]).entries()) {
      const what = `a ${as} estimate${shape === undefined ? '' : `, shape ${shape}`}`;
      if (at === 0)
        await witness.sendEstimate(other.accessToken ?? '', "another partner's estimate before it");
      const query = ctx.query({}, shape);
      const attempt = { purpose: what, query, accessToken: token, as, shape, wellFormed: true };
      const estimate = await caller.estimate(attempt);
      const record = as === 'user' ? -1 : 0;
      if (estimate.outcome === 'accepted')
        watched.push(watchedOf(estimate, what, isPriced(shape), record));
      addIds(ids, estimate);
      // All are sent before the first of their locks ends.
      await ctx.reach(ctx.now() + (seconds * 1000) / 20);
    }
    if (as === 'user') continue;
    const renewed = await caller.sendRefresh(issued.refreshToken, 'the refresh of its token');
    accessToken = renewed.accessToken;
  }
  if (watched.length === 0) throw new Inconclusive('no estimate was accepted');
  const price = watched[0]?.price;
  let ahead = 0;
  let departing: EstimateAnswer | null = null;
  for (const hours of HOURS_AHEAD) {
    const further = await askDeparture(ctx, caller, accessToken ?? '', hours);
    addIds(ids, further);
    const { records } = further;
    if (further.outcome !== 'accepted') continue;
    ahead = hours;
    departing = further;
    if (records[0] && records[0]['estimate_price'] !== price) break;
  }
  if (departing)
    watched.push(watchedOf(departing, 'a platform estimate of a later departure', true));
  await caller.sendPlatform('a newer token');
  return judgeLocks(ctx, { callerId: caller.id, seconds }, watched, async () => {
    await askDeparture(ctx, caller, accessToken ?? '', ahead);
    await witness.sendEstimate(other.accessToken ?? '', "another partner's estimate");
  });
}

/** Looks an estimate up through the control API just before and just after the end of its lock. */
const lockCheck = (rule: string, seconds: number, longLock: boolean): Check => {
  const callerOf = async (ctx: CheckContext): Promise<Caller> =>
    longLock ? ctx.freshPartner({ longLock }) : ctx;
  const options = { rule, acceptance: 'read', needs: { control: true }, effect: 'waits' } as const;
  const single = checkOf({
    ...options,
    baseRequest: 'standalone',
    spends: { platform: 1, user: 1, codes: 1 },
    run: async (ctx) => {
      const caller = await callerOf(ctx);
      const issued = await caller.issued('a token');
      const purpose = "a user's token";
      const fields = caller.exchange(await caller.authCode());
      const ofUser = await caller.token({ purpose, fields, wellFormed: true });
      const watched: Watched[] = [];
      const ids = new Set<unknown>();
      for (const as of ['platform', 'user'] as const) {
        const { accessToken } = as === 'user' ? ofUser : issued;
        if (accessToken === null) continue;
        const what = `a ${as} estimate`;
        const estimate = await caller.sendEstimate(
          accessToken,
          `${what} whose lock is watched`,
          as,
        );
        if (as === 'platform' || estimate.outcome === 'accepted')
          watched.push(watchedOf(estimate, what, true));
        addIds(ids, estimate);
        // The lock of the next one ends once this one's was judged.
        await ctx.reach(ctx.now() + APART_SECONDS * 1000);
      }
      return judgeLocks(ctx, { callerId: caller.id, seconds }, watched);
    },
  });
  const row = partOf({
    ...options,
    name: 'row',
    circumstance: 'of each shape and header, one soon after the other',
    run: (ctx) => judgeRow(ctx, seconds, longLock),
  });
  /** Judges the lock of one estimate, sent once a time has come. */
  const once = (
    name: string,
    circumstance: string,
    reachTime: (ctx: CheckContext, token: TokenAnswer) => Promise<unknown>,
  ): Check =>
    partOf({
      ...options,
      name,
      circumstance,
      run: async (ctx) => {
        const caller = await callerOf(ctx);
        let token = await caller.issued('a token');
        await reachTime(ctx, token);
        if (ctx.now() >= expiryOf(token)) token = await caller.issued('a token at that time');
        const what = `a platform estimate ${circumstance}`;
        const estimate = await caller.sendEstimate(token.accessToken, what);
        const watched = watchedOf(estimate, what, true);
        return judgeLocks(ctx, { callerId: caller.id, seconds }, [watched]);
      },
    });
  const halfMs = seconds * 500;
  return withParts(single, [
    row,
    once('late', 'shortly before its token expires', (ctx, token) =>
      ctx.reach(expiryOf(token) - halfMs),
    ),
    ...MIDNIGHT_ZONES.map((zone) =>
      once(`midnight-${zone}`, `shortly before midnight in UTC+${zone}`, (ctx) =>
        ctx.reach(nextMidnight(ctx.now(), zone) - halfMs),
      ),
    ),
  ]);
};

/** Checks of the area `lock` (interface.md, "Limits"). */
export const lockChecks: readonly Check[] = [
  lockCheck('lock/default-10-minutes', LIMITS.estimateLockSeconds, false),
  lockCheck('lock/partner-60-minutes', LIMITS.longEstimateLockSeconds, true),
];
