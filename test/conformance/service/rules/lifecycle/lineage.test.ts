import { expect, it } from 'vitest';
import type { CheckContext } from '../../../../../src/conformance/service/contract/check.ts';
import type {
  EstimateAnswer,
  EstimateAttempt,
} from '../../../../../src/conformance/service/contract/messages.ts';
import { requireLasting } from '../../../../../src/conformance/service/rules/lifecycle/lineage.ts';

/** Repeats the refusal of a token at a target that gives this answer then. */
async function repeat(outcome: EstimateAnswer['outcome']): Promise<EstimateAttempt[]> {
  const sent: EstimateAttempt[] = [];
  const ctx = {
    query: () => ({ from_name: 'a' }),
    estimate: (attempt: EstimateAttempt) => {
      sent.push(attempt);
      return Promise.resolve({ outcome } as EstimateAnswer);
    },
  } as unknown as CheckContext;
  await requireLasting(ctx, 'token', 'the token before it expires', 'user');
  return sent;
}

it.each(['refused', 'broken'] as const)('a refusal lasts if it is %s again', async (outcome) => {
  expect(await repeat(outcome)).toMatchObject([
    { accessToken: 'token', as: 'user', afterRest: true },
  ]);
});

it('a refusal proves nothing if the same is accepted a moment later', async () => {
  await expect(repeat('accepted')).rejects.toThrow(
    'the token before it expires was refused, and accepted a moment later',
  );
});
