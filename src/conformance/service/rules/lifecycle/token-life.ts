import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { Baseline, Check, CheckContext, Findings } from '../../contract/check.ts';
import {
  accepted,
  accepts,
  answered,
  Inconclusive,
  judgeRefusals,
  type Negative,
  Untestable,
} from '../../contract/judge.ts';
import { describeAnswer, type EstimateAnswer } from '../../contract/messages.ts';
import type { Shape } from '../../contract/target.ts';
import { MIDNIGHT_ZONES, nextMidnight } from '../midnight.ts';
import {
  askLasting,
  askShape,
  headerOf,
  type Issued,
  inShape,
  type Lineage,
  obtain,
  WIDE_SCOPE,
} from './lineage.ts';

/** Time before and after an instant at which it is probed, in milliseconds. */
const MARGIN_MS = 10_000;

const HOUR_MS = 3_600_000;

/** Time before midnight at which a token is issued that lives across it. */
const BEFORE_MIDNIGHT_MS = HOUR_MS / 3;

/** Number of estimates, spread over a token's life, of a token that is used much. */
const usesOf = ({ ofUser }: Lineage): number => (ofUser ? 8 : 24);

/** A token to watch until after its end. */
interface Watch {
  readonly name: string;
  /** Such as `a user's token`. */
  readonly what: string;
  readonly lineage: Lineage;
  /** Use before its last moments: once when new, often, or never, not even then; default once. */
  readonly use?: 'often' | 'never';
  /** True if, at half of its life, another token is issued and it is refreshed. */
  readonly renewed?: true;
  /** Offset from UTC, in hours, of the zone whose midnight it lives across; left out, none. */
  readonly acrossMidnightAt?: number;
  /** True to use it in each shape. */
  readonly inShapes?: true;
  /** Time after its end at which it is refreshed, in ms; default at once. */
  readonly refreshedAfterMs?: number;
  /** Time after its end at which it is tried again, in ms; it is not refreshed then. */
  readonly triedAfterMs?: number;
}

const USER: Lineage = { ofUser: true };

const WATCHED: readonly Watch[] = [
  { name: 'refreshed', what: 'a refreshed token', lineage: { refreshes: 1 }, inShapes: true },
  {
    name: 'twice',
    what: 'a token refreshed twice',
    lineage: { refreshes: 2 },
    refreshedAfterMs: 5 * 60_000,
  },
  {
    name: 'wide-scope',
    what: 'a token of several scopes',
    lineage: { scope: WIDE_SCOPE },
    refreshedAfterMs: 5 * 60_000,
  },
  {
    name: 'unused',
    what: 'a token that was never used',
    lineage: {},
    use: 'never',
    triedAfterMs: 24 * HOUR_MS,
  },
  {
    name: 'used',
    what: 'a token that is used all its life',
    lineage: {},
    use: 'often',
    triedAfterMs: 30 * 24 * HOUR_MS,
  },
  { name: 'user', what: "a user's token", lineage: USER, inShapes: true },
  {
    name: 'user-refreshed',
    what: "a user's refreshed token",
    lineage: { ofUser: true, refreshes: 1 },
    refreshedAfterMs: 5 * 60_000,
  },
  {
    name: 'user-wide-scope',
    what: "a user's token of several scopes",
    lineage: { ofUser: true, scope: WIDE_SCOPE },
    triedAfterMs: HOUR_MS,
  },
  {
    name: 'user-unused',
    what: "a user's token that was never used",
    lineage: USER,
    use: 'never',
    triedAfterMs: 24 * HOUR_MS,
  },
  ...MIDNIGHT_ZONES.map(
    (zone): Watch => ({
      name: `midnight-${zone}`,
      what: `a token that lives across midnight in UTC+${zone}`,
      lineage: {},
      acrossMidnightAt: zone,
      triedAfterMs: HOUR_MS,
    }),
  ),
  {
    name: 'renewed',
    what: 'a token that was refreshed, beside a newer one',
    lineage: {},
    use: 'never',
    renewed: true,
    triedAfterMs: 5 * 60_000,
  },
  {
    name: 'user-used',
    what: "a user's token that is used all its life",
    lineage: USER,
    use: 'often',
  },
];

/** A positive request and its answer. */
interface Positive {
  readonly right: string;
  readonly answer: EstimateAnswer;
  /** Number of the use, of one of many. */
  readonly use?: number | undefined;
}

async function watch(ctx: CheckContext, one: Watch): Promise<Findings> {
  const { what, lineage, use, inShapes, refreshedAfterMs = 0, triedAfterMs = 0 } = one;
  const laterMs = refreshedAfterMs + triedAfterMs;
  const as = headerOf(lineage);
  if (one.acrossMidnightAt !== undefined)
    await ctx.reach(nextMidnight(ctx.now(), one.acrossMidnightAt) - BEFORE_MIDNIGHT_MS);
  const issued = await obtain(ctx, lineage, 'a token to watch until it expires');
  const { accessToken, expiresInSeconds } = issued;
  if (expiresInSeconds === null) throw new Inconclusive('no expires_in_second came with the token');
  const lifeMs = expiresInSeconds * 1000;
  const marginMs = Math.min(MARGIN_MS, lifeMs / 4);
  const opening =
    use === 'never'
      ? null
      : await askShape(ctx, accessToken, 'baseline: the token when it is new', as);
  const shapes: (Shape | undefined)[] = [undefined];
  for (const shape of inShapes ? ctx.facts.shapes : []) {
    const right = `baseline: the token when it is new${inShape(shape)}`;
    // A shape that is refused even then says nothing of the token's life.
    const { outcome } = await askShape(ctx, accessToken, right, as, shape);
    if (outcome === 'accepted') shapes.push(shape);
  }
  const before: Positive[] = [];
  const ask = async (right: string, shape?: Shape, number?: number): Promise<void> => {
    const answer = await askLasting(ctx, accessToken, right, as, shape);
    before.push({ right, answer, use: number });
  };
  if (one.renewed) {
    await ctx.reach(issued.sentAtMs + lifeMs / 2);
    const successor = await ctx.sendRefresh(issued.refreshToken, 'its refresh at half of its life');
    const newer = await obtain(ctx, lineage, 'a newer token');
    if ([successor.accessToken, newer.accessToken].includes(accessToken))
      throw new Inconclusive('a later answer has the same access_token');
  }
  const uses = use === 'often' ? usesOf(lineage) : 1;
  for (let number = 1; number < uses; number++) {
    await ctx.reach(issued.sentAtMs + (lifeMs * number) / uses);
    if (ctx.now() > issued.sentAtMs + lifeMs - marginMs) break;
    await ask(`${what}, use ${number + 1} of ${uses}`, undefined, number + 1);
  }
  if (use !== 'never') {
    await ctx.reach(issued.sentAtMs + lifeMs - marginMs);
    for (const shape of shapes)
      await ask(`${what}, ${marginMs / 1000} s before it expires${inShape(shape)}`, shape);
  }
  const negatives: Negative[] = [];
  const refuse = async (when: string, shape?: Shape, header = as): Promise<void> => {
    const wrong = `${what}, ${when}${inShape(shape)}${header === as ? '' : ', in the platform header'}`;
    const purpose = `negative: ${wrong}`;
    const query = ctx.query({}, shape);
    negatives.push({
      wrong,
      answer: await ctx.estimate({ purpose, expects: 'refused', query, accessToken, as: header }),
    });
  };
  await ctx.reach(issued.answeredAtMs + lifeMs + marginMs);
  const after = `${marginMs / 1000} s after its ${expiresInSeconds} s were over`;
  for (const shape of shapes) await refuse(after, shape);
  // Of each two alike one is sent on a kept connection, on which others were accepted.
  if (inShapes) await refuse(after);
  if (as === 'user') await refuse(after, undefined, 'platform');
  if (laterMs > 0) {
    await ctx.reach(issued.answeredAtMs + lifeMs + marginMs + laterMs);
    await refuse(`${laterMs / 60_000} min after that`);
    if (negatives.at(-1)?.answer.outcome === 'accepted') await requireKnown(ctx, as);
  }
  // Before another token is issued: a user's newer token may end what it replaces.
  const replaced =
    triedAfterMs > 0
      ? null
      : await ctx.sendRefresh(issued.refreshToken, 'the refresh of an expired token');
  const works: Positive[] = [];
  for (const shape of replaced?.accessToken ? shapes : []) {
    const right = `the token got by the refresh of ${what}${inShape(shape)}`;
    const answer = await askShape(ctx, replaced?.accessToken ?? '', right, as, shape);
    works.push({ right, answer });
  }
  const fresh = works[0]?.answer.outcome === 'accepted' ? works[0].answer : null;
  const renewed = fresh ? null : await obtain(ctx, withoutRefresh(lineage), 'a new token');
  const closing =
    fresh ??
    (await askShape(ctx, renewed?.accessToken ?? '', 'baseline: a new token at that time', as));
  const baseline = { opening, closing };
  return {
    'lifecycle/access-token-valid-until-expiry': judgePositives(
      before.filter(({ answer }) => answer.answeredAtMs < issued.sentAtMs + lifeMs),
      baseline,
      `${what}, until ${marginMs / 1000} s before it expired`,
    ),
    'lifecycle/access-token-expires': judgeRefusals(negatives, baseline),
    'lifecycle/expired-replaced-by-refresh': async () => {
      if (!replaced) throw new Untestable('not refreshed');
      if (answered(replaced, 'the refresh').outcome === 'accepted')
        return judgePositives(works, baseline, `the token got by the refresh of ${what}`);
      if (renewed) {
        const alike = lineage.refreshes ? await obtain(ctx, lineage, 'a token like it') : renewed;
        await requireRefresh(ctx, alike);
      }
      accepted(closing, 'the refresh got no token, but a new one was not accepted either');
      return violated(
        'an expired token is replaced through a refresh, and the new one works',
        `the refresh of ${what} got ${describeAnswer(replaced)}`,
        replaced.exchange,
      );
    },
  };
}

/**
 * A target that has forgotten a token by then treats it as one that was never issued.
 *
 * @throws Inconclusive if that is accepted
 */
async function requireKnown(ctx: CheckContext, as: 'platform' | 'user'): Promise<void> {
  const purpose = 'a token that was never issued, to compare with';
  const accessToken = `never-issued-${ctx.random.text(16)}`;
  const { outcome } = await ctx.estimate({ purpose, query: ctx.query(), accessToken, as });
  if (outcome === 'accepted')
    throw new Inconclusive('a token that was never issued is accepted too (auth/unknown-token)');
}

const withoutRefresh = ({ refreshes: _refreshes, ...lineage }: Lineage): Lineage => lineage;

/** A refused refresh says something of expiry only where that of a valid token succeeds. */
async function requireRefresh(ctx: CheckContext, { refreshToken }: Issued): Promise<void> {
  accepted(
    await ctx.sendRefresh(refreshToken, 'baseline: the refresh of a token that is still valid'),
    'the refresh of a token that is still valid was not accepted either',
  );
}

/** Judges requests that must succeed: the first that does not decides. */
function judgePositives(
  positives: readonly Positive[],
  baseline: Baseline,
  right: string,
): Judgement {
  const other = positives.find(({ answer }) => answer.outcome !== 'accepted');
  if (other) return { ...accepts(other.right, other.answer, baseline), place: other.use };
  if (positives.length === 0) return inconclusive('nothing was sent in time');
  return pass(`accepted: ${right}`);
}

const RULES: readonly string[] = [
  'lifecycle/access-token-valid-until-expiry',
  'lifecycle/access-token-expires',
  'lifecycle/expired-replaced-by-refresh',
];

/** The life of tokens of other kinds and origins, for targets where requests are free. */
export const tokenLifeParts: readonly Check[] = WATCHED.map((one) => ({
  id: `${RULES[0]}@${one.name}`,
  rules: one.triedAfterMs ? RULES.slice(0, 2) : RULES,
  baseRequest: 'standalone',
  setting: { circumstance: one.what },
  refusedAs: 'access-token-expired',
  needs: { control: true },
  clock: true,
  spends: () => ({}),
  run: (ctx) => watch(ctx, one),
}));
