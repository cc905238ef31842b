import { expect, it } from 'vitest';
import type { RuleChange } from '../../../src/documents/rule-changes.ts';
import { roundText } from '../../../src/report/index.ts';
import { serviceSample } from '../samples/conformance-sample.ts';

const of = (...rules: string[]): RuleChange[] =>
  rules.map((rule) => ({ rule, before: 'pass', after: 'fail', reason: 'it is' }));

it('the text of a round has its verdict in a line, and the changes in three', () => {
  const { against: _, ...first } = serviceSample();
  const [verdict = '', ...others] = roundText(first).split('\n');
  expect(verdict).toMatch(/^Not conformant, \d+ of \d+ rules judged.*, [\d.]+ (s|min.*)$/);
  expect(others).toEqual(['']);
  const many = Array.from({ length: 14 }, (_one, at) => `token/r${at}`);
  const against = {
    run: 'the last round',
    startedAt: first.startedAt,
    failsOnNew: false,
    fixed: [],
    newlyBroken: of('token/a'),
    newlyTried: of('token/b'),
    stillBroken: of(...many),
    noLongerJudged: of('token/\u001b[2Jc'),
  };
  expect(
    roundText({ ...first, against })
      .split('\n')
      .slice(1),
  ).toEqual([
    'newly broken: token/a, token/b; no longer judged: token/\\x1b[2Jc',
    'fixed: none',
    `still broken: ${many.slice(0, 12).join(', ')}, 2 more`,
    '',
  ]);
});
