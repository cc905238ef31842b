import { inconclusive, pass, violated } from '../../../verdict.ts';
import type { Caller, Check, CheckContext } from '../../contract/check.ts';
import { accepted, answered, Inconclusive, refused } from '../../contract/judge.ts';
import type { TokenAnswer } from '../../contract/messages.ts';
import { exchangesOf, observation } from '../../contract/observation.ts';
import { checkOf } from '../../contract/templates.ts';

const SAME_TOKEN =
  'the refresh answered the refresh_token that was sent, so none is used up (see lifecycle/refresh-rotates)';

/** Compares each refresh that was seen with the token that it replaced. */
export const refreshRotates = observation(
  'lifecycle/refresh-rotates',
  ['refresh'],
  ({ tokens }) => {
    const expected = 'a new access_token and a new refresh_token from each refresh';
    const refreshes = tokens.filter(({ fields }) => fields['grant_type'] === 'refresh_token');
    for (const { answer, fields } of refreshes) {
      const { refresh_token: sent } = fields;
      const before = tokens.find((one) => one.answer.refreshToken === sent);
      const same = [
        ...(answer.refreshToken === sent ? ['refresh_token'] : []),
        ...(before &&
        answer.accessToken !== null &&
        answer.accessToken === before.answer.accessToken
          ? ['access_token']
          : []),
      ];
      if (same.length > 0) {
        const got = `the refresh answered the old ${same.join(' and ')}`;
        return violated(expected, got, answer.exchange, [answer.exchange]);
      }
    }
    if (refreshes.length === 0) return inconclusive('no successful refresh was seen');
    return pass(`${expected}: ${refreshes.length} seen`, exchangesOf(refreshes));
  },
);

/**
 * The replay is the last use of its family, which may end with it; a refresh_token of another family
 * shows that refreshes are still accepted.
 */
const refreshSingleUse = checkOf({
  rule: 'lifecycle/refresh-single-use',
  baseRequest: 'standalone',
  refusedAs: 'refresh-token-invalid',
  priority: 1,
  spends: { platform: 2, refresh: 3 },
  run: async (ctx) => {
    const { refreshToken } = await ctx.refreshable('a token to refresh');
    const other = await ctx.refreshable('a token of another family');
    const opening = accepted(
      await ctx.sendRefresh(refreshToken, 'baseline: the first use of a refresh_token'),
      'the first use was not accepted',
    );
    if (opening.refreshToken === refreshToken) throw new Inconclusive(SAME_TOKEN);
    const replay = await ctx.token({
      purpose: 'negative: the same refresh_token again',
      fields: ctx.refresh(refreshToken),
    });
    const closing = await ctx.sendRefresh(other.refreshToken, 'baseline: an unused refresh_token');
    return refused('a used refresh_token', replay, { opening, closing });
  },
});

const ROUNDS = 4;
const AT_ONCE = 20;
const AT_ONCE_METERED = 6;

const refreshSingleUseConcurrent = checkOf({
  rule: 'lifecycle/refresh-single-use-concurrent',
  baseRequest: 'standalone',
  priority: 4,
  bansFresh: true,
  spends: (facts) => (facts.metered ? { platform: 1, refresh: AT_ONCE_METERED } : {}),
  run: async (ctx) => {
    const { metered } = ctx.facts;
    const [rounds, many] = metered ? [1, AT_ONCE_METERED] : [ROUNDS, AT_ONCE];
    const expected = `exactly one success of ${many} refreshes sent at once with one refresh_token`;
    for (let round = 0; round < rounds; round++) {
      const answers = await race(metered ? ctx : await ctx.freshPartner(), many);
      const [, second, ...more] = answers.filter(({ outcome }) => outcome === 'accepted');
      if (second) return violated(expected, `${2 + more.length} succeeded`, second.exchange);
      for (const answer of answers) answered(answer, `one of ${many}`);
      if (answers.some(({ outcome }) => outcome === 'accepted')) continue;
      await requireRefreshes(ctx);
      return violated(expected, 'none succeeded', answers[0]?.exchange);
    }
    return pass(
      `of ${many} refreshes sent at once with one refresh_token exactly one succeeded, in ${rounds} round(s)`,
    );
  },
});

/** Answers to refreshes with one refresh_token whose last byte leaves at the same moment. */
async function race(caller: Caller, many: number): Promise<TokenAnswer[]> {
  const first = await caller.refreshable('a token to refresh many times at once');
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const racing = Array.from({ length: many }, (_, at) =>
    caller.token({
      purpose: `refresh ${at + 1} of ${many} sent at once`,
      fields: caller.refresh(first.refreshToken),
      gate,
    }),
  );
  // Time for the connections to open; the gate holds back only each request's last byte.
  const connectMs = Math.max(0, first.answeredAtMs - first.sentAtMs);
  await new Promise((resolve) => setTimeout(resolve, 20 + 3 * connectMs));
  open();
  const answers = refusingOthers(await Promise.all(racing));
  const succeeded = answers.filter(({ outcome }) => outcome === 'accepted');
  if (succeeded.length > 1 && succeeded.every((one) => one.refreshToken === first.refreshToken))
    throw new Inconclusive(SAME_TOKEN);
  return answers;
}

/** A refusal may carry a token: where one answer has status 200, all others are refusals. */
function refusingOthers(answers: readonly TokenAnswer[]): TokenAnswer[] {
  const isAny = answers.some(({ status }) => status === 200);
  return answers.map((one) =>
    isAny && one.outcome === 'accepted' && one.status !== 200
      ? { ...one, outcome: 'refused' }
      : one,
  );
}

/** If none of several succeeds, a single one must: otherwise refreshes are refused anyway. */
async function requireRefreshes(ctx: CheckContext): Promise<void> {
  if (ctx.facts.metered)
    throw new Inconclusive('none succeeded, and no refresh is left to compare with');
  const caller = await ctx.freshPartner();
  const { refreshToken } = await caller.refreshable('a token to refresh once');
  accepted(
    await caller.sendRefresh(refreshToken, 'baseline: a single refresh'),
    'none succeeded, but neither did a single refresh',
  );
}

/** Longer than any period that a service is likely to set. */
const LONG_AFTER_MS = 400 * 86_400_000;

const refreshNeverExpires = checkOf({
  rule: 'lifecycle/refresh-never-expires',
  baseRequest: 'standalone',
  needs: { control: true },
  clock: true,
  spends: { platform: 2, refresh: 2 },
  run: async (ctx) => {
    const issued = await ctx.refreshable('a token whose refresh_token is kept');
    await ctx.reach(issued.answeredAtMs + (issued.expiresInSeconds ?? 0) * 1000 + LONG_AFTER_MS);
    const kept = answered(
      await ctx.sendRefresh(
        issued.refreshToken,
        'a refresh 400 days after the access_token expired',
      ),
    );
    if (kept.outcome === 'accepted')
      return pass('an unused refresh_token works 400 days after its access_token expired');
    const renewed = await ctx.refreshable('a new token at that time');
    accepted(
      await ctx.sendRefresh(renewed.refreshToken, 'baseline: a new refresh_token at that time'),
      'refused, but so is a new refresh_token',
    );
    return violated(
      'status 200 for an unused refresh_token, whenever it is sent',
      `status ${kept.status} 400 days after its access_token expired, while a new one is accepted`,
      kept.exchange,
    );
  },
});

/** Checks of refresh_tokens (interface.md, "States and transitions"). */
export const refreshChecks: readonly Check[] = [
  refreshSingleUse,
  refreshSingleUseConcurrent,
  refreshNeverExpires,
];
