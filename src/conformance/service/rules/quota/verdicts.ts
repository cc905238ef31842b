import { ALLOWANCE_PER_DAY } from '../../../../interface/limits.ts';
import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { TokenAnswer } from '../../contract/answer.ts';
import { describeAnswer } from '../../contract/answer.ts';
import { CROSSED, type Used } from './use.ts';

/** Whether the whole allowance was granted. */
export function judgeAllows(used: Used, crossed: boolean): Judgement {
  const { kind, accepted, last } = used;
  const count = ALLOWANCE_PER_DAY[kind];
  if (accepted === count) return pass(`${count} ${kind} token requests in a day succeeded`);
  if (last.outcome === 'broken') return inconclusive(`no answer: ${last.failure}`);
  if (accepted === 0)
    return inconclusive(`the first was not accepted either (${describeAnswer(last)})`);
  if (crossed) return inconclusive(CROSSED);
  const got = `number ${accepted + 1} was refused with status ${last.status}`;
  return violated(`${count} ${kind} token requests in a day succeed`, got, last.exchange);
}

/** Whether the one request too many was refused. */
export function judgeRefuses(used: Used, beyond: TokenAnswer | null, crossed: boolean): Judgement {
  const count = ALLOWANCE_PER_DAY[used.kind];
  if (!beyond)
    return inconclusive(
      `the allowance of ${count} could not be used up (${describeAnswer(used.last)})`,
    );
  if (beyond.outcome === 'broken') return inconclusive(`no answer: ${beyond.failure}`);
  if (crossed) return inconclusive(CROSSED);
  if (beyond.outcome === 'refused')
    return pass(
      `number ${count + 1} was refused (status ${beyond.status}), number ${count} accepted`,
    );
  const got = `number ${count + 1} was accepted with status ${beyond.status}`;
  return violated(
    `a refusal of ${used.kind} token request ${count + 1} of a day`,
    got,
    beyond.exchange,
  );
}

/** Whether another partner is untouched by a ban. */
export function judgeWitness(
  beyond: TokenAnswer | null,
  known: TokenAnswer | null,
  after: TokenAnswer | null,
): Judgement {
  if (!known || !after) return inconclusive('there is no second partner to ask');
  if (beyond?.outcome !== 'refused')
    return inconclusive('no partner was banned: its eleventh request was not refused');
  if (known.outcome !== 'accepted')
    return inconclusive(
      `the other partner was refused before the ban too (${describeAnswer(known)})`,
    );
  if (after.outcome === 'accepted')
    return pass("another partner's request succeeded after the ban");
  if (after.outcome === 'broken') return inconclusive(`no answer: ${after.failure}`);
  return violated(
    "status 200 for another partner's request",
    `status ${after.status} once the first partner was banned`,
    after.exchange,
  );
}
