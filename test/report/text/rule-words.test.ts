import { expect, it } from 'vitest';
import { sameOutputAs } from '../../../src/report/text/rule-words.ts';

const scenario = (
  name: string,
  verdict: 'pass' | 'fail' | 'inconclusive',
  ...output: string[]
) => ({
  name,
  verdict,
  exitCode: 1,
  missing: [],
  ...(output.length > 0 && { output }),
});

it('the output of a client is shown once, and with each scenario that failed', () => {
  const before = [scenario('a', 'pass'), scenario('b', 'inconclusive', 'one', 'two')];
  const sameAs = (...given: Parameters<typeof scenario>) =>
    sameOutputAs(scenario(...given), before);
  expect(sameAs('c', 'inconclusive', 'one', 'two')).toBe('b');
  expect(sameAs('c', 'fail', 'one', 'two')).toBeNull();
  expect(sameAs('c', 'inconclusive', 'one')).toBeNull();
  expect(sameAs('c', 'pass')).toBeNull();
});
