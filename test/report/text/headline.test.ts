import { expect, it } from 'vitest';
import { nextStepOf } from '../../../src/report/text/headline.ts';
import { clientSample } from '../samples/conformance-sample.ts';

it('the next step after a certification is about the scenario that failed, where no rule did', () => {
  const { rules, scenarios = [] } = clientSample();
  const next = {
    words: 'judge it again',
    command: 'fareproof certify --scenario failed -- client',
  };
  const repeat = 'fareproof certify --scenario warned -- client';
  const withVerdict = (verdict: 'fail' | 'warn', ofScenario: 'fail' | 'warn') =>
    nextStepOf(
      clientSample({
        diagnosis: undefined,
        next,
        rules: [{ ...rules[0]!, verdict, repeat, replay: undefined }],
        scenarios: [{ ...scenarios[0]!, verdict: ofScenario }],
      }),
    )?.command;
  expect(withVerdict('warn', 'fail')).toBe(next.command);
  expect(withVerdict('warn', 'warn')).toBe(repeat);
  expect(withVerdict('fail', 'fail')).toBe(repeat);
});
