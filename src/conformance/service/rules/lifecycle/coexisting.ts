import { type Judgement, pass } from '../../../verdict.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import { accepts, Inconclusive } from '../../contract/judge.ts';
import type { EstimateAnswer } from '../../contract/messages.ts';
import { checkOf, partOf, withParts } from '../../contract/templates.ts';
import { atOnce } from '../at-once.ts';
import { askLasting, expiryOf, type Issued, obtain, refreshed, WIDE_SCOPE } from './lineage.ts';

const twoTokens = checkOf({
  rule: 'lifecycle/platform-tokens-coexist',
  acceptance: 'demanded',
  baseRequest: 'standalone',
  priority: 2,
  spends: { platform: 2 },
  run: async (ctx) => {
    // Those of other checks cost nothing: a metered partner gets no more than two for this rule.
    const ofOthers = ctx.facts.metered ? ctx.earlierPlatformTokens : [];
    const earlier = await ctx.issued('the earlier platform token');
    const opening = await ctx.sendEstimate(
      earlier.accessToken,
      'baseline: the earlier token before there is a newer one',
    );
    const newer = await ctx.issued('the newer platform token');
    const answer = await ctx.sendEstimate(
      earlier.accessToken,
      'the earlier token beside the newer one',
    );
    if (answer.outcome === 'accepted') {
      const all = [...ofOthers, earlier.accessToken, newer.accessToken];
      const tokens = all.map((accessToken) => ({ accessToken }));
      const judged = await useAll(ctx, tokens, 'issued one after the other', true);
      return judged ?? pass(`${tokens.length} platform tokens work beside each other`);
    }
    const closing = await ctx.sendEstimate(newer.accessToken, 'baseline: the newer token');
    return accepts('the earlier platform token beside a newer one', answer, { opening, closing });
  },
});

/** One less than a day's allowance: its last may be refused for another reason. */
const MANY = 9;

const MINUTE_MS = 60_000;

/** Time before the end of a token at which it is probed for the last time, in ms. */
const MARGIN_MS = 20_000;

/**
 * Uses tokens one after the other, the newest first; the first refused decides.
 *
 * @throws Inconclusive if, some time after their issue, none works any more, or if the refused one works
 *   a moment later
 */
async function useAll(
  ctx: CheckContext,
  tokens: readonly Pick<Issued, 'accessToken'>[],
  when: string,
  isLate = false,
): Promise<Judgement | null> {
  let newest: EstimateAnswer | null = null;
  for (let at = tokens.length - 1; at >= 0; at--) {
    const newer = tokens.length - 1 - at;
    const which =
      newer === 0 ? 'the newest platform token' : `a platform token with ${newer} newer`;
    const right = `${which}, ${when}`;
    const answer = await askLasting(ctx, tokens[at]?.accessToken ?? '', right);
    if (answer.outcome !== 'accepted') {
      if (isLate && !newest) throw new Inconclusive(`the newest was refused too, ${when}`);
      const closing = newest ?? (await useNewToken(ctx));
      return accepts(right, answer, { opening: null, closing });
    }
    newest ??= answer;
  }
  return null;
}

async function useNewToken(ctx: CheckContext): Promise<EstimateAnswer> {
  const { accessToken } = await ctx.issued('a new platform token');
  return ctx.sendEstimate(accessToken, 'baseline: the new platform token');
}

/** Nine tokens, some used before the next is issued; all work, at once and later. */
async function manyTokens(ctx: CheckContext): Promise<Judgement> {
  const tokens: Issued[] = [];
  for (let number = 1; number <= MANY; number++) {
    const token = await obtain(ctx, {}, `platform token ${number} of ${MANY}`);
    tokens.push(token);
    if (number % 3 === 0) await ctx.sendEstimate(token.accessToken, 'its use when it is new');
  }
  const refusedOne = await useAll(ctx, tokens, 'at once');
  if (refusedOne) return refusedOne;
  const end = Math.min(...tokens.map(expiryOf)) - MARGIN_MS;
  for (const atMs of [ctx.now() + MINUTE_MS + 1_000, end]) {
    if (atMs > end) continue;
    await ctx.reach(atMs);
    if (ctx.now() > end + MARGIN_MS / 2) break;
    const when = atMs === end ? 'before they expire' : 'a minute later';
    const judged = await useAll(ctx, tokens, when, true);
    if (judged) return judged;
  }
  return pass(`${MANY} platform tokens of one partner work beside each other until they expire`);
}

/** Tokens of several scopes, one of them twice. */
async function tokensOfScopes(ctx: CheckContext): Promise<Judgement> {
  const scopes = [undefined, WIDE_SCOPE, 'public', 'public profile', WIDE_SCOPE, undefined];
  const tokens: Issued[] = [];
  for (const scope of scopes)
    tokens.push(await obtain(ctx, scope === undefined ? {} : { scope }, 'a token of some scope'));
  const judged = await useAll(ctx, tokens, 'beside tokens of other scopes');
  return judged ?? pass('platform tokens of several scopes work beside each other');
}

/** A token beside the refresh of another, and beside a user's tokens. */
async function besideOthers(ctx: CheckContext): Promise<Judgement> {
  const [first, second] = [
    await obtain(ctx, {}, 'a platform token'),
    await obtain(ctx, {}, 'another platform token'),
  ];
  const replaced = await refreshed(ctx, second, 'the refresh of the other one');
  const beside = await useAll(ctx, [first, replaced], 'once the other was refreshed');
  if (beside) return beside;
  const user = await obtain(ctx, { ofUser: true }, "a user's token");
  const besideUser = await useAll(ctx, [first, replaced], "once a user's token was issued");
  if (besideUser) return besideUser;
  await refreshed(ctx, user, "the refresh of the user's token");
  const last = await obtain(ctx, {}, 'a third platform token');
  const judged = await useAll(ctx, [first, replaced, last], "once a user's token was refreshed");
  return judged ?? pass("a platform token works beside the refresh of another and a user's tokens");
}

const AT_ONCE = 6;

/** Tokens that are requested at the same moment. */
async function requestedAtOnce(ctx: CheckContext): Promise<Judgement> {
  const first = await obtain(ctx, {}, 'a platform token');
  const attempts = Array.from({ length: AT_ONCE }, (_, at) => ({
    purpose: `platform token ${at + 1} of ${AT_ONCE} requested at once`,
    fields: ctx.platform(),
  }));
  const answers = await atOnce(ctx, attempts, first);
  const tokens = answers.flatMap(({ accessToken }) =>
    accessToken === null ? [] : [{ accessToken }],
  );
  const judged = await useAll(ctx, [first, ...tokens], 'requested at once');
  return judged ?? pass('platform tokens that were requested at once work beside each other');
}

const part = (
  name: string,
  circumstance: string,
  run: (ctx: CheckContext) => Promise<Judgement>,
): Check => partOf({ rule: twoTokens.id, name, circumstance, run });

/** Earlier platform tokens stay valid beside newer ones. */
export const platformTokensCoexist: Check = withParts(twoTokens, [
  { ...part('many', `${MANY} tokens`, manyTokens), clock: true },
  part('scopes', 'tokens of several scopes', tokensOfScopes),
  part('others', 'beside refreshes and user tokens', besideOthers),
  part('at-once', 'tokens requested at once', requestedAtOnce),
]);
