import { ALLOWANCE_PER_DAY } from '../../../../interface/limits.ts';
import { type Judgement, pass, violated } from '../../../verdict.ts';
import { accepted, answered, Inconclusive } from '../../contract/judge.ts';
import { describeAnswer, type TokenAnswer } from '../../contract/messages.ts';
import { CROSSED } from './day.ts';
import { type Exceeded, isUsedUp } from './use.ts';

/**
 * Judges if the whole allowance was granted.
 *
 * @throws Inconclusive if it cannot be judged
 */
export function judgeAllows({ used, crossed }: Exceeded): Judgement {
  const { kind, last } = used;
  const count = ALLOWANCE_PER_DAY[kind];
  if (isUsedUp(used)) return pass(`${count} ${kind} token requests in a day succeeded`);
  answered(last);
  if (used.accepted === 0)
    throw new Inconclusive(`the first was not accepted either (${describeAnswer(last)})`);
  if (crossed) throw new Inconclusive(CROSSED);
  const got = `number ${used.accepted + 1} was refused with status ${last.status}`;
  return violated(`${count} ${kind} token requests in a day succeed`, got, last.exchange);
}

/**
 * Judges if the one request too many was refused.
 *
 * @throws Inconclusive if it cannot be judged
 */
export function judgeRefuses({ used, beyond, crossed }: Exceeded): Judgement {
  const count = ALLOWANCE_PER_DAY[used.kind];
  if (!beyond) {
    const why = describeAnswer(used.last);
    throw new Inconclusive(`the allowance of ${count} could not be used up (${why})`);
  }
  const { outcome, status, exchange } = answered(beyond);
  if (crossed) throw new Inconclusive(CROSSED);
  if (outcome === 'refused')
    return pass(`number ${count + 1} was refused (status ${status}), number ${count} accepted`);
  return violated(
    `a refusal of ${used.kind} token request ${count + 1} of a day`,
    `number ${count + 1} was accepted with status ${status}`,
    exchange,
  );
}

/**
 * Judges if a ban leaves another partner unaffected.
 *
 * @param before that partner's answer before the ban; null if there is no such partner
 * @param after that partner's answer after the ban
 * @throws Inconclusive if it cannot be judged
 */
export function judgePerPartner(
  { beyond }: Exceeded,
  before: TokenAnswer | null,
  after: TokenAnswer | null,
): Judgement {
  if (!before || !after) throw new Inconclusive('there is no second partner to ask');
  if (beyond?.outcome !== 'refused')
    throw new Inconclusive('no partner was banned: its eleventh request was not refused');
  accepted(before, 'the other partner was refused before the ban too');
  const { outcome, status, exchange } = answered(after);
  if (outcome === 'accepted') return pass("another partner's request succeeded after the ban");
  return violated(
    "status 200 for another partner's request",
    `status ${status} once the first partner was banned`,
    exchange,
  );
}
