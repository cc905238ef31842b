import { expect, it } from 'vitest';
import type { EstimateAnswer } from '../../../../../src/conformance/service/contract/messages.ts';
import { judgeDefault } from '../../../../../src/conformance/service/rules/estimate/default-price.ts';

/** Asks for estimates that have these prices in turn, in fen; the last one again and again. */
function asks(...prices: readonly number[]): () => Promise<EstimateAnswer> {
  let sent = 0;
  return async () => {
    const price = prices[Math.min(sent++, prices.length - 1)];
    return {
      outcome: 'accepted',
      records: [{ estimate_price: price }],
    } as unknown as EstimateAnswer;
  };
}

const judge = (without: readonly number[], named: readonly number[]) =>
  judgeDefault('map_type', asks(...without), [asks(...named)]);

const OPEN = expect.stringContaining('do not show its default');
const AMONG = expect.stringContaining('near those of values that may be its default');

it('a default is another one if its price differs each time', async () => {
  expect(await judge([100], [300])).toMatchObject({ verdict: 'violated' });
  expect(await judge([300], [100])).toMatchObject({ verdict: 'violated' });
});

it('is the documented one if the prices are the same', async () => {
  expect(await judge([100], [100])).toContain('the price is the same');
});

it('cannot be compared if equal requests have several prices', async () => {
  const rising = Array.from({ length: 20 }, (_, at) => at);
  expect(await judge(rising, [300])).toEqual(OPEN);
  expect(await judge([300], rising)).toEqual(OPEN);
});

it('nor if the cheaper one changes', async () => {
  expect(await judge([100, 100, 100, 400], [300])).toEqual(AMONG);
});

it('is another one if its price lies far outside those around it', async () => {
  const near = (...prices: readonly number[]) =>
    judgeDefault(
      'departure_time',
      asks(496_112),
      prices.map((price) => asks(price)),
    );
  expect(await near(149_221, 147_121, 151_321)).toMatchObject({ verdict: 'violated' });
  expect(await near(149_221, 147_121, 451_321)).toEqual(AMONG);
  expect(await near(149_221, 600_000)).toEqual(AMONG);
});
