import { type Judgement, pass, violated } from '../../../verdict.ts';
import type { Check, CheckContext, Spending } from '../../contract/check.ts';
import { Inconclusive, judgeRefusals, type Negative } from '../../contract/judge.ts';
import {
  describeAnswer,
  type EstimateAnswer,
  type TokenAnswer,
  type TokenAttempt,
} from '../../contract/messages.ts';
import { otherShapes } from '../../contract/parts.ts';
import type { Shape } from '../../contract/target.ts';
import { checkOf, partOf, withParts } from '../../contract/templates.ts';
import { atOnce } from '../at-once.ts';
import { type Issued, inShape, type Lineage, obtain, refreshed, WIDE_SCOPE } from './lineage.ts';

const byCode = checkOf({
  rule: 'lifecycle/user-token-newest-only',
  baseRequest: 'standalone',
  refusedAs: 'access-token-invalid',
  priority: 2,
  spends: { user: 2, codes: 2 },
  run: async (ctx) => {
    const [one, two] = [await ctx.authCode(), await ctx.authCode()];
    const earlier = await userToken(ctx, one, 'the earlier user token');
    const opening = await ctx.sendEstimate(
      earlier,
      'baseline: the user token while it is the newest',
      'user',
    );
    const newer = await userToken(ctx, two, "the same user's newer token");
    const answer = await ctx.estimate({
      purpose: 'negative: the earlier user token beside the newer one',
      expects: 'refused',
      query: ctx.query(),
      accessToken: earlier,
      as: 'user',
    });
    const closing = await ctx.sendEstimate(newer, 'baseline: the newest user token', 'user');
    const wrong = "a user token that is not its user's newest";
    const negatives: Negative[] = [{ wrong, answer }];
    for (const [as, shape] of ctx.facts.metered ? elsewhere(ctx.facts.shapes) : []) {
      const other = `${wrong}, in the ${as} header${inShape(shape)}`;
      const query = ctx.query({}, shape);
      const attempt = {
        expects: 'refused',
        purpose: `negative: ${other}`,
        query,
        accessToken: earlier,
        as,
      };
      negatives.push({
        wrong: other,
        answer: await ctx.estimate({ ...attempt, expects: 'refused' }),
      });
    }
    return judgeRefusals(negatives, { opening, closing });
  },
});

/** Headers and shapes besides the plainest estimate as a user. */
function elsewhere(
  shapes: readonly Shape[],
): readonly (readonly [as: 'platform' | 'user', shape?: Shape])[] {
  const others = otherShapes(shapes);
  return [
    ['platform'],
    ...others.flatMap(
      (shape) =>
        [
          ['user', shape],
          ['platform', shape],
        ] as const,
    ),
  ];
}

async function userToken(ctx: CheckContext, code: string, purpose: string): Promise<string> {
  const fields = ctx.exchange(code);
  const answer: TokenAnswer = await ctx.token({ purpose, fields, wellFormed: true });
  if (answer.accessToken !== null) return answer.accessToken;
  throw new Inconclusive(`no user token could be had (${describeAnswer(answer)})`);
}

const SAME_TOKEN =
  'the refresh answered the access_token that it replaced (see lifecycle/refresh-rotates)';

/** A user's token that is followed by newer ones, and when it is used then. */
interface Superseding {
  readonly name: string;
  readonly words: string;
  /** Origin of the older token; left out, an auth code. */
  readonly older?: Omit<Lineage, 'ofUser'>;
  /** Ways in which the newer ones are got, in order. */
  readonly by: readonly ('code' | 'wide-code' | 'refresh' | 'refresh-of-first')[];
  /** True if the older one is not used while it is the newest. */
  readonly unused?: true;
  /** True if the newest one is used before the older is tried. */
  readonly newestUsed?: true;
  /** Time to wait for, in ms or as a share of the older token's life; left out, none. */
  readonly afterMs?: number | 'late';
  /** True to try it in each shape. */
  readonly inShapes?: true;
}

const MINUTE_MS = 60_000;

const SUPERSEDED: readonly Superseding[] = [
  { name: 'shapes', words: 'by a code', by: ['code'], inShapes: true },
  { name: 'refresh', words: 'by its refresh', by: ['refresh'], inShapes: true },
  {
    name: 'refresh-used',
    words: 'by its refresh, once the newer one is used',
    by: ['refresh'],
    newestUsed: true,
  },
  {
    name: 'second-refresh',
    words: 'a refreshed token, by a refresh',
    older: { refreshes: 1 },
    by: ['refresh'],
  },
  {
    name: 'refreshed',
    words: 'a refreshed token, by a code',
    older: { refreshes: 1 },
    by: ['code'],
  },
  {
    name: 'code-used',
    words: 'by a code, once the newer one is used',
    by: ['code'],
    newestUsed: true,
  },
  { name: 'unused', words: 'never used, by a code', by: ['code'], unused: true },
  { name: 'unused-refresh', words: 'never used, by its refresh', by: ['refresh'], unused: true },
  { name: 'wider', words: 'by one of more scopes', by: ['wide-code'] },
  {
    name: 'narrower',
    words: 'of several scopes, by one of the default',
    older: { scope: WIDE_SCOPE },
    by: ['code'],
  },
  { name: 'third', words: 'by two codes', by: ['code', 'code'] },
  { name: 'third-refresh', words: 'by two refreshes', by: ['refresh', 'refresh'] },
  { name: 'code-refresh', words: 'by a code and its refresh', by: ['code', 'refresh'] },
  {
    name: 'first-refreshed',
    words: 'by a code, and that by the refresh of the first',
    by: ['code', 'refresh-of-first'],
  },
  { name: 'minute', words: 'by a code a minute before', by: ['code'], afterMs: MINUTE_MS + 1_000 },
  { name: 'late', words: 'by a code long before', by: ['code'], afterMs: 'late' },
  {
    name: 'refresh-minute',
    words: 'by its refresh a minute before',
    by: ['refresh'],
    afterMs: MINUTE_MS + 1_000,
  },
  { name: 'refresh-late', words: 'by its refresh long before', by: ['refresh'], afterMs: 'late' },
];

/** Share of its life after which an older token is tried late. */
const LATE = 2 / 3;

async function judgeSuperseded(ctx: CheckContext, one: Superseding): Promise<Judgement> {
  const { older, by, unused, newestUsed, afterMs, inShapes } = one;
  const first = await obtain(ctx, { ...older, ofUser: true }, 'the earlier user token');
  const tokens = [first];
  const opening = unused
    ? null
    : await ctx.sendEstimate(first.accessToken, 'baseline: it while it is the newest', 'user');
  for (const way of by) {
    const before = way === 'refresh-of-first' ? first : (tokens.at(-1) ?? first);
    tokens.push(await newerToken(ctx, before, way));
  }
  const newest = tokens.pop() ?? first;
  const useNewest = (): ReturnType<CheckContext['sendEstimate']> =>
    ctx.sendEstimate(newest.accessToken, 'baseline: the newest user token', 'user');
  if (newestUsed) await useNewest();
  const lifeMs = (first.expiresInSeconds ?? 0) * 1000;
  if (afterMs !== undefined)
    await ctx.reach(newest.answeredAtMs + (afterMs === 'late' ? LATE * lifeMs : afterMs));
  const negatives: Negative[] = [];
  const shapes: readonly (Shape | undefined)[] = inShapes
    ? [undefined, ...ctx.facts.shapes]
    : [undefined];
  const superseded = tokens.filter(({ accessToken }) => accessToken !== newest.accessToken);
  if (superseded.length === 0) throw new Inconclusive(SAME_TOKEN);
  for (const { accessToken } of superseded) {
    for (const as of ['user', 'platform'] as const) {
      for (const shape of shapes) {
        const wrong = `a user token that is not its user's newest, superseded ${one.words}, in the ${as} header${inShape(shape)}`;
        const query = ctx.query({}, shape);
        const attempt = {
          expects: 'refused',
          purpose: `negative: ${wrong}`,
          query,
          accessToken,
          as,
        };
        negatives.push({ wrong, answer: await ctx.estimate({ ...attempt, expects: 'refused' }) });
      }
    }
  }
  const closing = await useNewest();
  return judgeRefusals(negatives, { opening, closing });
}

async function newerToken(
  ctx: CheckContext,
  before: Issued,
  way: Superseding['by'][number],
): Promise<Issued> {
  if (way === 'refresh' || way === 'refresh-of-first') return refreshed(ctx, before, 'its refresh');
  const scope = way === 'wide-code' ? { scope: WIDE_SCOPE } : {};
  return obtain(ctx, { ofUser: true, ...scope }, "the same user's newer token");
}

const partFor = (one: Superseding): Check =>
  partOf({
    rule: byCode.id,
    name: one.name,
    circumstance: one.words,
    refusedAs: 'access-token-invalid',
    clock: one.afterMs === undefined ? undefined : true,
    run: (ctx) => judgeSuperseded(ctx, one),
  });

const AT_ONCE = 2;

/** Exchanges two codes of one user at the same moment: one of the tokens is the newest. */
async function judgeAtOnce(ctx: CheckContext): Promise<Judgement> {
  const first = await obtain(ctx, { ofUser: true }, 'a user token');
  const attempts: TokenAttempt[] = [];
  for (let number = 1; number <= AT_ONCE; number++) {
    const purpose = `user token ${number} of ${AT_ONCE} requested at once`;
    attempts.push({ purpose, fields: ctx.exchange(await ctx.authCode()) });
  }
  const used: EstimateAnswer[] = [];
  for (const { accessToken } of await atOnce(ctx, attempts, first)) {
    if (accessToken === null) continue;
    used.push(await ctx.sendEstimate(accessToken, 'one of the tokens requested at once', 'user'));
  }
  const [one, second] = used.filter(({ outcome }) => outcome === 'accepted');
  if (second) {
    const got = `${AT_ONCE} that were requested at once were both accepted`;
    return violated("only the newest of a user's tokens is valid", got, second.exchange);
  }
  if (!one) throw new Inconclusive('none of those that were requested at once was accepted');
  return pass(`of ${used.length} user tokens that were requested at once one was accepted`);
}

/** Those of a metered target, and what they spend. */
const METERED: Readonly<Record<string, Spending>> = {
  refresh: { user: 1, codes: 1, refresh: 1 },
  wider: { user: 2, codes: 2 },
};

/** Of one user's tokens only the newest is valid, however the newer one was got. */
export const userTokenNewestOnly: Check = withParts(
  byCode,
  [
    partOf({
      rule: byCode.id,
      name: 'at-once',
      circumstance: 'requested at once',
      run: judgeAtOnce,
    }),
    ...SUPERSEDED.map(partFor),
  ],
  SUPERSEDED.filter(({ name }) => METERED[name]).map((one) => ({
    ...partFor(one),
    spends: () => METERED[one.name] ?? {},
  })),
);
