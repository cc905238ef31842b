import { expect, it } from 'vitest';
import type { CheckContext } from '../../../../../src/conformance/service/contract/check.ts';
import type {
  EstimateAnswer,
  EstimateAttempt,
} from '../../../../../src/conformance/service/contract/messages.ts';
import { askLasting } from '../../../../../src/conformance/service/rules/lifecycle/lineage.ts';

/** Asks a target that gives these answers, one after the other. */
async function ask(...outcomes: EstimateAnswer['outcome'][]): Promise<EstimateAttempt[]> {
  const sent: EstimateAttempt[] = [];
  const ctx = {
    query: () => ({ from_name: 'a' }),
    estimate: (attempt: EstimateAttempt) => {
      const outcome = outcomes[sent.length];
      sent.push(attempt);
      return Promise.resolve({ outcome, status: 401, headers: {} } as EstimateAnswer);
    },
  } as unknown as CheckContext;
  const answer = await askLasting(ctx, 'token', 'the token before it expires', 'user');
  expect(answer.outcome).toBe(outcomes[0]);
  return sent;
}

it.each(['accepted', 'broken'] as const)('asks once if that is %s', async (outcome) => {
  expect(await ask(outcome)).toHaveLength(1);
});

it.each(['refused', 'broken'] as const)('a refusal lasts if it is %s again', async (outcome) => {
  expect(await ask('refused', outcome)).toMatchObject([
    { accessToken: 'token', as: 'user', wellFormed: true },
    { accessToken: 'token', as: 'user', rest: 'second' },
  ]);
});

it('a refusal proves nothing if the same is accepted a moment later', async () => {
  await expect(ask('refused', 'accepted')).rejects.toThrow(
    'the token before it expires was refused with status 401, and accepted after a rest',
  );
});
