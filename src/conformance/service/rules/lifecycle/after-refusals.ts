import { type Judgement, pass } from '../../../verdict.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import { accepts, answered, Inconclusive } from '../../contract/judge.ts';
import type { EstimateAnswer, TokenAttempt } from '../../contract/messages.ts';
import { partOf } from '../../contract/templates.ts';
import { askLasting, askShape, headerOf, type Lineage, obtain } from './lineage.ts';

/**
 * Token requests that are refused, of each grant. Whether a refusal uses up its auth_code or
 * refresh_token is left open.
 */
async function refusedOnes(
  ctx: CheckContext,
  refreshToken: string,
): Promise<readonly (readonly [wrong: string, attempt: Partial<TokenAttempt>])[]> {
  const stale = { _: ctx.timestamp(3_600) };
  const exchange = ctx.exchange(await ctx.authCode());
  const randomly = { signature: ctx.random.hex(32) };
  return [
    ['an exchange with a random signature', { fields: exchange, ...randomly }],
    ['a refresh with a random signature', { fields: ctx.refresh(refreshToken), ...randomly }],
    ['a platform request with a random signature', { fields: ctx.platform(), ...randomly }],
    // The test environment accepts any time.
    ...(ctx.facts.environment === 'test'
      ? []
      : [
          [
            'an exchange with a _ that is an hour old',
            { fields: { ...exchange, ...stale } },
          ] as const,
        ]),
    [
      'an exchange of a code that was never issued',
      { fields: ctx.exchange(`never-issued-${ctx.random.text(12)}`) },
    ],
  ];
}

/** Tokens that stay valid after requests that were refused. */
export const afterRefusals: Check = partOf({
  rule: 'lifecycle/access-token-valid-until-expiry',
  name: 'refusals',
  circumstance: 'after token requests that were refused',
  run: async (ctx) => {
    const lineages: readonly Lineage[] = [{}, { ofUser: true }];
    const tokens = [];
    for (const lineage of lineages) {
      const what = lineage.ofUser ? "a user's token" : 'a platform token';
      const { accessToken, refreshToken } = await obtain(ctx, lineage, what);
      const as = headerOf(lineage);
      const opening = await askShape(ctx, accessToken, `baseline: ${what} when it is new`, as);
      tokens.push({ lineage, what, accessToken, refreshToken, as, opening });
    }
    for (const [wrong, attempt] of await refusedOnes(ctx, tokens[0]?.refreshToken ?? '')) {
      const { outcome } = answered(
        await ctx.token({ fields: ctx.platform(), ...attempt, purpose: wrong, expects: 'refused' }),
        wrong,
      );
      // What it issues may replace the tokens.
      if (outcome === 'accepted') throw new Inconclusive(`${wrong} was accepted`);
    }
    for (const { lineage, what, accessToken, as, opening } of tokens) {
      const right = `${what}, after token requests that were refused`;
      const answer = await askLasting(ctx, accessToken, right, as);
      if (answer.outcome !== 'accepted')
        return judgeEnded(ctx, { right, answer, opening }, lineage);
    }
    return pass('accepted: tokens of both kinds, after token requests that were refused');
  },
});

/** A service that accepts no estimate any more, also with a new token, has ended no token. */
async function judgeEnded(
  ctx: CheckContext,
  { right, answer, opening }: { right: string; answer: EstimateAnswer; opening: EstimateAnswer },
  lineage: Lineage,
): Promise<Judgement> {
  const { accessToken } = await obtain(ctx, lineage, 'a new token');
  const purpose = 'baseline: a new token at that time';
  const closing = await askShape(ctx, accessToken, purpose, headerOf(lineage));
  return accepts(right, answer, { opening, closing });
}
