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

describe('a comparison of a refused request with one that differs in one thing', () => {
  it.each([
    ['always refused, the other never', false, always, never, true],
    ['refused one time in five, the other never', false, oneInFive, never, true],
    ['both refused one time in five', false, oneInFive, oneInFive, false],
    ['both always refused', false, always, always, false],
    ['never refused again', false, never, never, false],
    ['always refused by a metered target', true, always, never, true],
    ['refused one time in five by a metered target', true, oneInFive, never, false],
  ])('%s', async (_name, metered, own, others, isDistinct) => {
    const compared = await compareRefusals({ metered }, refusing(own), refusing(others), 'another');
    expect(compared.isDistinct).toBe(isDistinct);
    expect(compared.words).toMatch(/^in \d+ of \d+ requests, and another in \d+ of \d+ requests$/);
  });
});
