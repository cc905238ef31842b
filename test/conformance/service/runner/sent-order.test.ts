import { expect, it } from 'vitest';
import { CheckRequests } from '../../../../src/conformance/service/runner/check-requests.ts';
import { partName } from '../part-name.ts';

it('exchanges of a check are listed in order of sending, not of answers', async () => {
  const answers: (() => void)[] = [];
  const requests = new CheckRequests({ recording: { has: () => false } } as never, {
    check: 'a/rule',
  });
  const asked = [1, 2, 3].map(() =>
    requests.send(
      (part) =>
        new Promise<{ exchange: string; answeredAtMs: number }>((resolve) => {
          answers.push(() => resolve({ exchange: partName({ part }), answeredAtMs: 0 }));
        }),
    ),
  );
  for (const answer of answers.toReversed()) answer();
  await Promise.all(asked);
  expect(requests.sent).toEqual(['a/rule#1', 'a/rule#2', 'a/rule#3']);
});
