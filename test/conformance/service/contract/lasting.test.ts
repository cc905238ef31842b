import { expect, it } from 'vitest';
import {
  type Again,
  requireLasting,
} from '../../../../src/conformance/service/contract/lasting.ts';
import type { Answer } from '../../../../src/conformance/service/contract/messages.ts';

/** Sends a refused request again, to a target that answers so then. */
async function repeat(
  outcome: Answer['outcome'],
  headers: Answer['headers'] = {},
): Promise<Again[]> {
  const sent: Again[] = [];
  const refused = { status: 403, headers } as Answer;
  await requireLasting('the request', refused, 'minute', (again) => {
    sent.push(again);
    return Promise.resolve({ outcome } as Answer);
  });
  return sent;
}

it.each(['refused', 'broken'] as const)('a refusal lasts if it is %s again', async (outcome) => {
  expect(await repeat(outcome)).toEqual([
    { purpose: 'the same after a rest, which may be refused', rest: 'minute' },
  ]);
});

it('a refusal proves nothing if the same is accepted later', async () => {
  await expect(repeat('accepted')).rejects.toThrow(
    'the request was refused with status 403, and accepted after a rest',
  );
});

it('nor if it says when to try again, unless that is as late as the end of a ban', async () => {
  await expect(repeat('refused', { 'retry-after': '30' })).rejects.toThrow(
    'the request was refused with status 403 and Retry-After 30: the target limits its rate',
  );
  expect(await repeat('refused', { 'retry-after': '86400' })).toHaveLength(1);
});
