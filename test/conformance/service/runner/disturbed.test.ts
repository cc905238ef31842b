import { expect, it } from 'vitest';
import { defineRule, inconclusive, type Judgement, pass, violated } from '../../../../src/index.ts';
import { judgeControlled } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';

/** Judges two rules that share a partner; returns how often the second was asked, and its verdict. */
async function second(first: Judgement): Promise<[number, string | undefined]> {
  let asked = 0;
  const ruleOf = (id: string, judge: () => Judgement) =>
    defineRule({
      id,
      level: 'must',
      statement: 'a rule',
      check: { baseRequest: 'estimate', spends: () => ({}), run: async () => judge() },
    });
  const customRules = [
    ruleOf('house/first', () => first),
    ruleOf('house/second', () =>
      ++asked === 1 ? inconclusive('its token had ended') : pass('seen'),
    ),
  ];
  const only = ['house/first', 'house/second'];
  const { rules } = await judgeControlled(STYLES[0]!, [], { customRules, only });
  return [asked, rules.find(({ id }) => id === 'house/second')?.verdict];
}

it('asks again as a fresh partner what a violation beside it may have disturbed', async () => {
  expect(await second(violated('a refusal', 'it was accepted'))).toEqual([2, 'pass']);
});

it('asks nothing again beside rules that were kept', async () => {
  expect(await second(pass('seen'))).toEqual([1, 'inconclusive']);
});
