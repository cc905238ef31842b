import type { Judgement } from '../../../verdict.ts';
import type { Check, CheckContext, Spending } from '../../contract/check.ts';
import { accepted, Inconclusive, judgeRefusals, type Negative } from '../../contract/judge.ts';
import type { TokenAnswer } from '../../contract/messages.ts';
import { isRoomy } from '../../contract/target.ts';
import { checkOf, partOf, withParts } from '../../contract/templates.ts';
import {
  expiryOf,
  headerOf,
  type Issued,
  issuedBy,
  type Lineage,
  obtain,
  refreshed,
  WIDE_SCOPE,
} from './lineage.ts';

/** Reason why nothing can be judged where a refresh returns the refresh_token that was sent. */
export const SAME_TOKEN =
  'the refresh answered the refresh_token that was sent, so none is used up (see lifecycle/refresh-rotates)';

/** A target may take a request that comes twice for one that was sent twice, and use no token again. */
const SAME_ANSWER =
  'the same request got the same tokens; the interface leaves open whether it is a second use';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Time after an instant at which it is probed, in ms. */
const MARGIN_MS = 10_000;

/** A refresh_token that is sent again after its use, and when. */
interface Replay {
  readonly name: string;
  /** Such as `a minute after its use`. */
  readonly when: string;
  /** Origin of the token; left out, a platform token that was not refreshed. */
  readonly lineage?: Lineage;
  /** True if it is used for the first time only when its access_token has expired. */
  readonly usedLate?: true;
  /** Number of refreshes after its own, each with the newest refresh_token. */
  readonly successors?: number;
  /** True if the newest access_token is used before. */
  readonly newestUsed?: true;
  /** Time to wait for, ms of the target's clock; left out, none. */
  readonly atMs?: (issued: Issued, newest: Issued) => number;
  /** True if another token is issued to the partner before. */
  readonly newerFamily?: true;
  /** Scope that the replay names; left out, none. */
  readonly scope?: string;
  /** True if the replay is the very request of its use. */
  readonly sameRequest?: true;
  /** Number of times that it is sent again; default 1. */
  readonly times?: number;
}

const USER: Lineage = { ofUser: true };

const sinceUse =
  (ms: number): NonNullable<Replay['atMs']> =>
  (_issued, { answeredAtMs }) =>
    answeredAtMs + ms;

const onceExpired: Replay['atMs'] = (issued) => expiryOf(issued) + MARGIN_MS;
const onceAllExpired: Replay['atMs'] = (_issued, newest) => expiryOf(newest) + MARGIN_MS;

/** Each is a family of its own: a replay may end the family that it belongs to. */
const REPLAYS: readonly Replay[] = [
  { name: 'minute', when: 'a minute after its use', atMs: sinceUse(MINUTE_MS + 1_000) },
  { name: 'hour', when: 'an hour after its use', atMs: sinceUse(61 * MINUTE_MS) },
  { name: 'expiry', when: 'once its access_token expired', atMs: onceExpired },
  { name: 'all-expired', when: 'once its successor expired too', atMs: onceAllExpired },
  { name: 'day', when: 'a day after its use', atMs: sinceUse(DAY_MS + 5 * MINUTE_MS) },
  { name: 'month', when: '40 days after its use', atMs: sinceUse(40 * DAY_MS) },
  { name: 'year', when: '400 days after its use', atMs: sinceUse(400 * DAY_MS) },
  { name: 'three-years', when: '1100 days after its use', atMs: sinceUse(1_100 * DAY_MS) },
  { name: 'newer', when: 'once a newer token was issued', newerFamily: true },
  { name: 'newest-used', when: 'once the new access_token was used', newestUsed: true },
  { name: 'successor', when: 'once its successor was used', successors: 1 },
  { name: 'grandparent', when: 'two refreshes later', successors: 2 },
  { name: 'forgotten', when: 'six refreshes later', successors: 6 },
  { name: 'request', when: 'at once, in the same request', sameRequest: true },
  { name: 'used-late', when: 'at once, used when its token had expired', usedLate: true },
  { name: 'second', when: 'at once, of a refreshed token', lineage: { refreshes: 1 } },
  { name: 'third', when: 'at once, of a token refreshed twice', lineage: { refreshes: 2 } },
  { name: 'scope', when: 'at once, naming scope public', scope: 'public' },
  { name: 'wide-scope', when: 'at once, naming more scopes', scope: WIDE_SCOPE },
  { name: 'thrice', when: 'at once, three times', times: 3 },
  { name: 'user', when: "at once, of a user's token", lineage: USER },
  {
    name: 'user-minute',
    when: "a minute after its use, of a user's token",
    lineage: USER,
    atMs: sinceUse(MINUTE_MS + 1_000),
  },
  {
    name: 'user-expiry',
    when: "once its access_token expired, of a user's token",
    lineage: USER,
    atMs: onceExpired,
  },
  {
    name: 'user-month',
    when: "40 days after its use, of a user's token",
    lineage: USER,
    atMs: sinceUse(40 * DAY_MS),
  },
  {
    name: 'user-successor',
    when: "once its successor was used, of a user's token",
    lineage: USER,
    successors: 1,
  },
  {
    name: 'user-grandparent',
    when: "two refreshes later, of a user's token",
    lineage: USER,
    successors: 2,
    newestUsed: true,
  },
  {
    name: 'user-second',
    when: "at once, of a user's refreshed token",
    lineage: { ofUser: true, refreshes: 1 },
  },
  {
    name: 'user-used-late',
    when: "at once, of a user's token, used when it had expired",
    lineage: USER,
    usedLate: true,
  },
  { name: 'user-thrice', when: "at once, three times, of a user's token", lineage: USER, times: 3 },
];

async function judgeReplay(ctx: CheckContext, one: Replay): Promise<Judgement> {
  const { when, lineage = {}, usedLate, successors = 0, newestUsed, atMs, scope, times = 1 } = one;
  const issued = await obtain(ctx, lineage, 'a token to refresh');
  if (usedLate) await ctx.reach(expiryOf(issued) + MARGIN_MS);
  const fields = ctx.refresh(issued.refreshToken);
  const use = { purpose: 'baseline: the first use of a refresh_token', fields, wellFormed: true };
  const first = issuedBy(await ctx.token(use));
  let newest = first;
  for (let number = 1; number <= successors; number++)
    newest = await refreshed(ctx, newest, `refresh ${number} after it`);
  if (newest.refreshToken === issued.refreshToken) throw new Inconclusive(SAME_TOKEN);
  const as = headerOf(lineage);
  if (one.newerFamily) await obtain(ctx, {}, 'a newer token');
  if (newestUsed) await ctx.sendEstimate(newest.accessToken, 'the newest access_token', as);
  if (atMs) await ctx.reach(atMs(issued, newest));
  const wrong = `a used refresh_token, sent again ${when}`;
  const negatives: Negative[] = [];
  for (let number = 1; number <= times; number++) {
    const again = ctx.refresh(issued.refreshToken, scope === undefined ? {} : { scope });
    const answer = await ctx.token({
      expects: 'refused',
      purpose: `negative: ${wrong}`,
      fields: one.sameRequest ? fields : again,
    });
    const { accessToken, refreshToken } = first;
    const isFirst = answer.accessToken === accessToken && answer.refreshToken === refreshToken;
    if (one.sameRequest && answer.outcome === 'accepted' && isFirst)
      throw new Inconclusive(SAME_ANSWER);
    negatives.push({ wrong, answer });
    if (answer.outcome === 'accepted')
      return judgeRefusals(negatives, { opening: first, closing: null });
  }
  const { scope: _scope, ...plain } = lineage;
  const other = await obtain(ctx, { ...plain, refreshes: 0 }, 'a token of another family');
  const purpose = 'baseline: an unused refresh_token';
  const closing = await ctx.sendRefresh(other.refreshToken, purpose);
  return judgeRefusals(negatives, { opening: first, closing });
}

/**
 * The replay is the last use of its family, which may end with it; a refresh_token of another family
 * shows that refreshes are still accepted.
 */
const replayedAtOnce = checkOf({
  rule: 'lifecycle/refresh-single-use',
  baseRequest: 'standalone',
  refusedAs: 'refresh-token-invalid',
  priority: 1,
  spends: (facts) => ({ platform: 2, refresh: isRoomy(facts) ? 5 : 3 }),
  run: async (ctx) => {
    const { refreshToken } = await ctx.refreshable('a token to refresh');
    const other = await ctx.refreshable('a token of another family');
    const fields = ctx.refresh(refreshToken);
    const purpose = 'baseline: the first use of a refresh_token';
    const opening = accepted(
      await ctx.token({ purpose, fields, wellFormed: true }),
      'the first use was not accepted',
    );
    if (opening.refreshToken === refreshToken) throw new Inconclusive(SAME_TOKEN);
    const negatives: Negative[] = [];
    if (isRoomy(ctx.facts)) negatives.push(...(await replaySuccessor(ctx, opening)));
    const isSucceeded = negatives.length > 0;
    const again = isSucceeded ? fields : ctx.refresh(refreshToken);
    const replay = await ctx.token({
      expects: 'refused',
      purpose: `negative: the same refresh_token again${isSucceeded ? ', in the same request' : ''}`,
      fields: again,
    });
    const isFirst =
      replay.accessToken === opening.accessToken && replay.refreshToken === opening.refreshToken;
    if (!isSucceeded || !isFirst) negatives.push({ wrong: 'a used refresh_token', answer: replay });
    const closing = await ctx.sendRefresh(other.refreshToken, 'baseline: an unused refresh_token');
    return judgeRefusals(negatives, { opening, closing });
  },
});

/** Uses the successor of a refresh_token, and sends it again; nothing if it has none that is accepted. */
async function replaySuccessor(
  ctx: CheckContext,
  { refreshToken }: TokenAnswer,
): Promise<Negative[]> {
  if (refreshToken === null) return [];
  const fields = ctx.refresh(refreshToken);
  const used = await ctx.token({ purpose: 'the first use of its successor', fields });
  if (used.outcome !== 'accepted' || used.refreshToken === refreshToken) return [];
  const wrong = 'the used refresh_token of a refreshed token';
  const answer = await ctx.token({
    expects: 'refused',
    purpose: `negative: ${wrong}`,
    fields: ctx.refresh(refreshToken),
  });
  return [{ wrong, answer }];
}

const partFor = (replay: Replay): Check =>
  partOf({
    rule: replayedAtOnce.id,
    name: replay.name,
    circumstance: replay.when,
    clock: replay.atMs || replay.usedLate ? true : undefined,
    refusedAs: 'refresh-token-invalid',
    run: (ctx) => judgeReplay(ctx, replay),
  });

/** Replays to a metered target, the most conclusive first; none waits. */
const METERED = ['user', 'scope'];

/** Two tokens, and refreshes: of the lineage, the first use, its successors, the replay, the baseline. */
function spendingOf({ lineage: { ofUser, refreshes = 0 } = {}, successors = 0 }: Replay): Spending {
  const refresh = refreshes + successors + 3;
  return ofUser ? { user: 2, codes: 2, refresh } : { platform: 2, refresh };
}

/** A used refresh_token is refused: at once, and in other circumstances. */
export const refreshSingleUse: Check = withParts(
  replayedAtOnce,
  REPLAYS.map(partFor),
  METERED.flatMap((name) =>
    REPLAYS.filter((one) => one.name === name).map((one) => ({
      ...partFor(one),
      spends: () => spendingOf(one),
    })),
  ),
);
