import { describe, expect, it } from 'vitest';
import type { EstimateAnswer } from '../../../../../src/conformance/service/contract/messages.ts';
import { compareRefusals } from '../../../../../src/conformance/service/rules/estimate/compare-refusals.ts';

/** Sends requests of which each of those numbers is refused. */
function refusing(isRefused: (number: number) => boolean): () => Promise<EstimateAnswer> {
  let number = 0;
  return async () => {
    const outcome = isRefused(++number) ? ('refused' as const) : ('accepted' as const);
    return {
      exchange: `x${number}`,
      status: outcome === 'refused' ? 400 : 200,
      headers: {},
      body: '',
      truncated: false,
      json: [],
      outcome,
      failure: '',
      sentAtMs: 0,
      answeredAtMs: 0,
      records: [],
    };
  };
}

const [always, never, oneInFive] = [() => true, () => false, (number: number) => number % 5 === 0];

/** Refused a number of times, after the rounds in which only an unbroken row counts. */
const times = (count: number) => (at: number) => at > 10 && at <= 10 + count;

describe('a comparison of a refused request with one that differs in one thing', () => {
  it.each([
    ['always refused, the other never', false, always, never, true, '5 of 5, 0 of 10'],
    [
      'refused one time in five, the other never',
      false,
      oneInFive,
      never,
      true,
      '8 of 40, 0 of 80',
    ],
    ['refused six times, the other never', false, times(6), never, true, '6 of 40, 0 of 80'],
    ['refused five times, the other never', false, times(5), never, false, '5 of 40, 0 of 80'],
    ['both refused one time in five', false, oneInFive, oneInFive, false, '0 of 3, 1 of 5'],
    ['both always refused', false, always, always, false, '1 of 1, 1 of 1'],
    ['never refused again', false, never, never, false, '0 of 40, 0 of 80'],
    ['always refused by a metered target', true, always, never, true, '3 of 3, 0 of 3'],
    [
      'refused at times by a metered target',
      true,
      (at: number) => at > 1,
      never,
      false,
      '2 of 3, 0 of 3',
    ],
  ])('%s', async (_name, metered, own, others, isDistinct, counts) => {
    const compared = await compareRefusals({ metered }, refusing(own), refusing(others), 'another');
    const [ofOwn, ofOthers] = counts.split(', ');
    expect(compared).toMatchObject({
      isDistinct,
      words: `in ${ofOwn} requests, and another in ${ofOthers} requests`,
    });
  });

  it('has the first refusal that came', async () => {
    const refusalOf = async (own: (number: number) => boolean) =>
      (await compareRefusals({ metered: false }, refusing(own), refusing(never), 'x')).refusal;
    expect((await refusalOf(oneInFive))?.exchange).toBe('x5');
    expect(await refusalOf(never)).toBeNull();
  });
});
