import { expect, it } from 'vitest';
import { judgeControlled } from '../../independent-service/judge.ts';
import { STYLES } from '../../independent-service/style.ts';

it('tells each request that is answered, and the check that it is of', async () => {
  const told: { readonly check: string | null; readonly rulesOfChecks: number }[] = [];
  const only = ['token/json-body', 'record/*'];
  const { exchanges } = await judgeControlled(STYLES[0]!, [], {
    only,
    onRequest: (sent) => told.push(sent),
  });
  expect(told).toHaveLength(exchanges.length);
  expect(told.map(({ check }) => check)).toEqual(
    expect.arrayContaining([null, expect.stringMatching(/^token\/json-body/)]),
  );
  // Those on records are judged by all answers.
  expect(new Set(told.map(({ rulesOfChecks }) => rulesOfChecks))).toEqual(new Set([1]));
});
