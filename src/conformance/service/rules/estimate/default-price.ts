import { type Judgement, violated } from '../../../verdict.ts';
import type { EstimateAnswer } from '../../contract/messages.ts';
import { pricesOf } from './price.ts';

/** Times that two requests are sent in turn before a difference of their prices counts. */
const ROUNDS = 6;

/**
 * Judges whether a default is the documented one: a request without the parameter and one that names
 * the default have the same price. A price that changes between two equal requests proves nothing.
 *
 * @param named requests that name the default, all with the same meaning
 * @returns null if the prices are the same, or cannot be compared
 */
export async function judgeDefault(
  what: string,
  without: () => Promise<EstimateAnswer>,
  named: readonly (() => Promise<EstimateAnswer>)[],
): Promise<Judgement | null> {
  const [first] = named;
  if (!first || (await priceOf(without)).price === (await priceOf(first)).price) return null;
  const [left, right]: [Set<string | null>, Set<string | null>] = [new Set(), new Set()];
  let shown: EstimateAnswer | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    // In an order without a period: a target may have two prices in turn.
    for (const one of isReversed(round) ? [...named, without] : [without, ...named]) {
      const { price, answer } = await priceOf(one);
      (one === without ? left : right).add(price);
      if (one === without) shown = answer;
    }
  }
  const [one, other] = [[...left], [...right]];
  if (one.length > 1 || other.length > 1 || one[0] === other[0]) return null;
  if (one[0] === null || other[0] === null) return null;
  return violated(
    `the same price without ${what} as with its documented default`,
    `the price is ${one[0]} without ${what} and ${other[0]} with its default named, in each of ${ROUNDS} requests`,
    shown?.exchange,
  );
}

/** The terms of the sequence of Thue and Morse. */
const isReversed = (round: number): boolean =>
  round.toString(2).replaceAll('0', '').length % 2 === 1;

async function priceOf(
  ask: () => Promise<EstimateAnswer>,
): Promise<{ readonly price: string | null; readonly answer: EstimateAnswer }> {
  const answer = await ask();
  return { price: answer.outcome === 'accepted' ? pricesOf(answer) : null, answer };
}
