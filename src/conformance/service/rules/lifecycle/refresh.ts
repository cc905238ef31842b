import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { TokenAnswer } from '../../contract/answer.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check } from '../../contract/check.ts';
import type { Caller, CheckContext } from '../../contract/context.ts';
import type { Observation } from '../../contract/observation.ts';
import { judgeRefusals, observation } from '../../contract/templates.ts';
import { noToken, platformToken, refreshWith } from '../requests.ts';

const DAY_MS = 86_400_000;

const SAME_TOKEN =
  'the refresh answered the refresh_token that was sent, so none is used up (see lifecycle/refresh-rotates)';

/** lifecycle/refresh-rotates: each refresh seen against the token that it replaced. */
const refreshRotates: Observation = observation(
  'lifecycle/refresh-rotates',
  ['refresh'],
  (seen) => {
    const expected = 'a new access_token and a new refresh_token from each refresh';
    const refreshes = seen.tokens.filter(({ fields }) => fields['grant_type'] === 'refresh_token');
    for (const { answer, fields } of refreshes) {
      const before = seen.tokens.find((one) => one.answer.refreshToken === fields['refresh_token']);
      const same = [
        answer.refreshToken === fields['refresh_token'] ? 'refresh_token' : null,
        before && answer.accessToken !== null && answer.accessToken === before.answer.accessToken
          ? 'access_token'
          : null,
      ].filter((name) => name !== null);
      if (same.length > 0) {
        return violated(
          expected,
          `the refresh answered the old ${same.join(' and ')}`,
          answer.exchange,
          [answer.exchange],
        );
      }
    }
    if (refreshes.length === 0) return inconclusive('no successful refresh was seen');
    return pass(
      `${expected}: ${refreshes.length} seen`,
      refreshes.slice(0, 3).map(({ answer }) => answer.exchange),
    );
  },
);

/**
 * The replay is the last use of its family, which may end with it; a refresh_token of another family
 * shows that refreshes are still accepted.
 */
const refreshSingleUse: Check = {
  id: 'lifecycle/refresh-single-use',
  rules: ['lifecycle/refresh-single-use'],
  baseRequest: 'standalone',
  priority: 1,
  spends: () => ({ platform: 2, refresh: 3 }),
  run: async (ctx) => {
    const [first, other] = [
      await platformToken(ctx, 'a token to refresh'),
      await platformToken(ctx, 'a token of another family'),
    ];
    if (first.refreshToken === null || other.refreshToken === null)
      return noToken(first.refreshToken === null ? first : other);
    const used = await refreshWith(
      ctx,
      first.refreshToken,
      'baseline: the first use of a refresh_token',
    );
    if (used.outcome !== 'accepted')
      return inconclusive(`the first use was not accepted (${describeAnswer(used)})`);
    if (used.refreshToken === first.refreshToken) return inconclusive(SAME_TOKEN);
    const answer = await ctx.token({
      purpose: 'negative: the same refresh_token again',
      fields: ctx.refresh(first.refreshToken),
    });
    const closing = await refreshWith(ctx, other.refreshToken, 'baseline: an unused refresh_token');
    return judgeRefusals([{ wrong: 'a used refresh_token', answer }], { opening: used, closing });
  },
};

const ROUNDS = 4;
const AT_ONCE = 20;
const AT_ONCE_METERED = 6;

const refreshSingleUseConcurrent: Check = {
  id: 'lifecycle/refresh-single-use-concurrent',
  rules: ['lifecycle/refresh-single-use-concurrent'],
  baseRequest: 'standalone',
  priority: 4,
  bansFresh: true,
  spends: (facts) => (facts.metered ? { platform: 1, refresh: AT_ONCE_METERED } : {}),
  run: async (ctx) => {
    const { metered } = ctx.facts;
    const [rounds, many] = metered ? [1, AT_ONCE_METERED] : [ROUNDS, AT_ONCE];
    for (let round = 0; round < rounds; round++) {
      const judgement = await race(ctx, metered ? ctx : await ctx.freshPartner(), many);
      if (judgement.verdict !== 'pass') return judgement;
    }
    return pass(
      `of ${many} refreshes sent at once with one refresh_token exactly one succeeded, in ${rounds} round(s)`,
    );
  },
};

/** Refreshes whose last byte leaves at the same moment. */
async function race(ctx: CheckContext, caller: Caller, many: number): Promise<Judgement> {
  const first = await platformToken(caller, 'a token to refresh many times at once');
  if (first.refreshToken === null) return noToken(first);
  const answers = await refreshAtOnce(caller, first, first.refreshToken, many);
  const accepted = answers.filter(({ outcome }) => outcome === 'accepted');
  const broken = answers.find(({ outcome }) => outcome === 'broken');
  const expected = `exactly one success of ${many} refreshes sent at once with one refresh_token`;
  if (accepted.length > 1) {
    const same = accepted.every(({ refreshToken }) => refreshToken === first.refreshToken);
    if (same) return inconclusive(SAME_TOKEN);
    return violated(expected, `${accepted.length} succeeded`, accepted[1]?.exchange);
  }
  if (broken) return inconclusive(`one of ${many} got no answer: ${broken.failure}`);
  if (accepted.length === 1) return pass('exactly one succeeded');
  const doubt = await doubtRefreshes(ctx);
  return doubt ?? violated(expected, 'none succeeded', answers[0]?.exchange);
}

async function refreshAtOnce(
  caller: Caller,
  first: TokenAnswer,
  refreshToken: string,
  many: number,
): Promise<TokenAnswer[]> {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const racing = Array.from({ length: many }, (_, at) =>
    caller.token({
      purpose: `refresh ${at + 1} of ${many} sent at once`,
      fields: caller.refresh(refreshToken),
      gate,
    }),
  );
  // Time for the connections to stand; the gate holds back only each request's last byte.
  const connectMs = Math.max(0, first.answeredAtMs - first.sentAtMs);
  await new Promise((resolve) => setTimeout(resolve, 20 + 3 * connectMs));
  open();
  return Promise.all(racing);
}

/** Where none of them succeeds, a refresh alone has to: else refreshes are refused anyway. */
async function doubtRefreshes(ctx: CheckContext): Promise<Judgement | null> {
  if (ctx.facts.metered)
    return inconclusive('none succeeded, and no refresh is left to compare with');
  const caller = await ctx.freshPartner();
  const token = await platformToken(caller, 'a token to refresh once');
  if (token.refreshToken === null) return noToken(token);
  const alone = await refreshWith(caller, token.refreshToken, 'baseline: a refresh alone');
  if (alone.outcome === 'accepted') return null;
  return inconclusive(`none succeeded, but neither did a refresh alone (${describeAnswer(alone)})`);
}

/** Far enough that any period one would think of is over. */
const LONG_AFTER_MS = 400 * DAY_MS;

const refreshNeverExpires: Check = {
  id: 'lifecycle/refresh-never-expires',
  rules: ['lifecycle/refresh-never-expires'],
  baseRequest: 'standalone',
  needs: { control: true },
  clock: true,
  spends: () => ({ platform: 2, refresh: 2 }),
  run: async (ctx) => {
    const issued = await platformToken(ctx, 'a token whose refresh_token is kept');
    if (issued.refreshToken === null) return noToken(issued);
    await ctx.reach(issued.answeredAtMs + (issued.expiresInSeconds ?? 0) * 1000 + LONG_AFTER_MS);
    const kept = await refreshWith(
      ctx,
      issued.refreshToken,
      'a refresh 400 days after the access_token expired',
    );
    if (kept.outcome === 'accepted')
      return pass('an unused refresh_token works 400 days after its access_token expired');
    if (kept.outcome === 'broken') return inconclusive(`no answer: ${kept.failure}`);
    const renewed = await platformToken(ctx, 'a new token at that time');
    if (renewed.refreshToken === null) return noToken(renewed);
    const control = await refreshWith(
      ctx,
      renewed.refreshToken,
      'baseline: a new refresh_token at that time',
    );
    if (control.outcome !== 'accepted')
      return inconclusive(`refused, but so is a new refresh_token (${describeAnswer(control)})`);
    return violated(
      'status 200 for an unused refresh_token, whenever it is sent',
      `status ${kept.status} 400 days after its access_token expired, while a new one is accepted`,
      kept.exchange,
    );
  },
};

/** Checks of refresh_tokens (interface.md, "States and transitions"). */
export const refreshChecks: readonly Check[] = [
  refreshSingleUse,
  refreshSingleUseConcurrent,
  refreshNeverExpires,
];

/** Rules of refresh_tokens that are judged over what was seen. */
export const refreshObservations: readonly Observation[] = [refreshRotates];
