import { expect, it } from 'vitest';
import { makeContext } from '../../../../src/conformance/service/runner/context.ts';

it('exchanges of a check are listed in order of sending, whichever is answered first', async () => {
  const answers: (() => void)[] = [];
  const session = {
    client: { target: {}, clock: {}, isPast: () => false, sentAt: () => null },
    partner: { id: 'p', signingKey: 'k' },
    token: (_attempt: unknown, key: string) =>
      new Promise((resolve) => {
        answers.push(() => resolve({ exchange: key, answeredAtMs: 0 }));
      }),
  };
  const { context, sent } = makeContext(session as never, 'a/rule', { allowed: null } as never);
  const asked = [1, 2, 3].map(() => context.token({} as never));
  for (const answer of answers.toReversed()) answer();
  await Promise.all(asked);
  expect(sent).toEqual(['a/rule#1', 'a/rule#2', 'a/rule#3']);
});
