import { type Judgement, violated } from '../../../verdict.ts';
import type { EstimateAnswer } from '../../contract/messages.ts';
import { pricesOf } from './price.ts';

/** Destinations whose prices must all differ before a difference counts. */
const ROUNDS = 6;

/** Times the spread of the prices of named defaults by which another price must lie outside it. */
const OUTSIDE = 10;

/** Asks for an estimate, to another destination in each round; round 0 is the usual one. */
type Ask = (round: number) => Promise<EstimateAnswer>;

/**
 * Judges whether a default is the documented one: a request without the parameter and one that names
 * the default have the same price. A price that changes between two equal requests proves nothing, nor
 * does one that the target keeps for each query while other prices change. So each round goes to
 * another destination, and one of both must be the cheaper in all rounds, whichever is asked first.
 * Where several values may be the default, such as the present of two clocks, their prices may differ: the other one
 * must lie far outside.
 *
 * @param named requests that name the default, or what comes near it
 * @returns a violation, or how the prices compare, in words
 */
export async function judgeDefault(
  what: string,
  without: Ask,
  named: readonly Ask[],
): Promise<Judgement | string> {
  const [first] = named;
  if (!first) return '';
  const [usual, other] = [await without(0), await first(0)];
  if (priceOf(usual) === null || priceOf(other) === null)
    return '; without two prices to compare, its default is not shown';
  if (priceOf(usual) === priceOf(other))
    return '; the price is the same where its default is named';
  const open = '; the prices of equal requests differ, so they do not show its default';
  const among =
    '; its price without it is near those of values that may be its default, which does not show it';
  let isCheaper: boolean | null = null;
  for (let round = 1; round <= ROUNDS; round++) {
    const amounts = new Map<Ask, number>();
    // In an order without a period: a target may have two prices in turn. The first ones are sent again
    // after the others: a target may have another price each time.
    const [before, after] = isReversed(round - 1) ? [named, [without]] : [[without], named];
    for (const one of [...before, ...after, ...before]) {
      const amount = amountOf(await one(round));
      if (amount === null || (amounts.get(one) ?? amount) !== amount) return open;
      amounts.set(one, amount);
    }
    const [left = 0, ...near] = [without, ...named].map((one) => amounts.get(one) ?? 0);
    const [least, most] = [Math.min(...near), Math.max(...near)];
    const isAmong = Math.max(least - left, left - most) <= OUTSIDE * (most - least);
    if (isAmong || (isCheaper !== null && isCheaper !== left < least)) return among;
    isCheaper = left < least;
  }
  return violated(
    `the same price without ${what} as with its documented default`,
    `the price is ${priceOf(usual)} without ${what} and ${priceOf(other)} with its default named, and so it differs for each of ${ROUNDS} other destinations`,
    usual.exchange,
  );
}

/** The terms of the sequence of Thue and Morse. */
const isReversed = (round: number): boolean =>
  round.toString(2).replaceAll('0', '').length % 2 === 1;

function priceOf(answer: EstimateAnswer | undefined): string | null {
  return answer?.outcome === 'accepted' ? pricesOf(answer) : null;
}

/** Sum of an estimate's prices; null if it has none. */
function amountOf(answer: EstimateAnswer | undefined): number | null {
  const prices = priceOf(answer)?.split(',').map(Number);
  return prices?.every(Number.isFinite) ? prices.reduce((sum, one) => sum + one, 0) : null;
}
