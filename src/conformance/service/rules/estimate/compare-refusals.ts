import { answered, inSome } from '../../contract/judge.ts';
import type { EstimateAnswer } from '../../contract/messages.ts';
import type { Facts } from '../../contract/target.ts';

/** Refusals in a row, from the first, that need no further request. */
const ALL_OF = 5;
const ALL_OF_METERED = 3;

/** Rounds of requests, and refusals among them that count if the other request is never refused. */
const ROUNDS = 40;
const FEWEST_REFUSED = 6;

/** Number of comparison requests in a round, where requests are free. */
const OTHERS_PER_ROUND = 2;

/** Result of a comparison of two requests. */
export interface ComparedRefusals {
  /** True if the request is refused for that in which it differs from the other. */
  readonly isDistinct: boolean;
  /** One of the refusals; null if none came again. */
  readonly refusal: EstimateAnswer | null;
  /** Such as `in 8 of 40 requests, and the same request without it in 0 of 80`. */
  readonly words: string;
}

/**
 * Compares a request that was refused with one that differs in one thing, by sending both in turn:
 * a target may refuse any request at times, for its load or at random.
 *
 * @param other in words the request that it is compared with
 * @throws Inconclusive if an exchange broke
 */
export async function compareRefusals(
  { metered }: Pick<Facts, 'metered'>,
  ask: () => Promise<EstimateAnswer>,
  askOther: () => Promise<EstimateAnswer>,
  other: string,
): Promise<ComparedRefusals> {
  let [sent, refused, others, refusal]: [number, number, number, EstimateAnswer | null] = [
    0,
    0,
    0,
    null,
  ];
  const enough = metered ? ALL_OF_METERED : ALL_OF;
  const told = (isDistinct: boolean, ofOthers = 0): ComparedRefusals => {
    const words = `${inSome(refused, sent, 'requests')}, and ${other} ${inSome(ofOthers, others, 'requests')}`;
    return { isDistinct, refusal, words };
  };
  for (let round = 1; round <= (metered ? ALL_OF_METERED : ROUNDS); round++) {
    const answer = answered(await ask(), 'an estimate request');
    sent++;
    if (answer.outcome === 'refused') {
      refused++;
      refusal ??= answer;
    }
    for (let number = 0; number < (metered ? 1 : OTHERS_PER_ROUND); number++) {
      const compared = answered(await askOther(), 'an estimate request');
      others++;
      if (compared.outcome === 'refused') return told(false, 1);
    }
    if (round === enough && refused === round) return told(true);
  }
  return told(!metered && refused >= FEWEST_REFUSED);
}
