import { inconclusive, type Judgement } from '../../verdict.ts';
import { isLimitStatus } from '../wire/rate-limit.ts';
import type { TargetClient } from '../wire/target-client.ts';
import type { JudgedRule } from './judged-rule.ts';

/** Status of an exchange's answer, by its id; null if it has none. */
type StatusOf = (exchange: string) => number | null;

/**
 * Status by which a violation shows: that of its key exchange; null for an answer that was not a
 * refusal, which proves a violation by itself.
 */
function refusalOf({ verdict, keyExchange }: Judgement, statusOf: StatusOf): number | null {
  if (verdict !== 'violated') return null;
  const status = statusOf(keyExchange ?? '');
  return status === 200 ? null : status;
}

/** Checks whether a judgement accuses the target by a refusal, which may have another cause. */
export function accusesByRefusal({ judgement }: JudgedRule, statusOf: StatusOf): boolean {
  return refusalOf(judgement, statusOf) !== null;
}

/** Reasons why a refusal of a target may prove nothing. */
export interface Doubts {
  readonly statusOf: StatusOf;
  /** Statuses by which the target was seen to refuse requests for its rate. */
  readonly limitStatuses: ReadonlySet<number>;
  /** Reason why no refusal proves anything; null for none. */
  readonly doubt: string | null;
  /** Reason why the refusal of that exchange proves nothing; null for none. */
  readonly doubtOf: (exchange: string) => string | null;
}

/** Doubts about the refusals of a target, always as far as a run has come. */
export function doubtsOf({
  evidence,
  limitStatuses,
  stability,
}: Pick<TargetClient, 'limitStatuses' | 'stability'> & {
  readonly evidence: Pick<TargetClient['evidence'], 'statusOf'>;
}): Doubts {
  return {
    statusOf: (id) => evidence.statusOf(id),
    limitStatuses,
    get doubt() {
      return stability.doubt;
    },
    doubtOf: (exchange) => stability.doubtOf(exchange),
  };
}

/** Rules broken by an acceptance that counts only after a refusal, such as that which begins a ban. */
export const AFTER_REFUSAL: readonly string[] = ['quota/ban-lasts-24h'];

/**
 * Takes back what a refusal seemed to show, if it proves nothing: the target limits its rate, or
 * refuses well-formed requests at random.
 */
export function unlessUnproven<
  J extends Pick<JudgedRule, 'rule' | 'judgement'> & Partial<Pick<JudgedRule, 'check'>>,
>(one: J, { statusOf, limitStatuses, doubt: atRandom, doubtOf }: Doubts): J {
  const { rule, judgement, check } = one;
  const status = refusalOf(judgement, statusOf);
  if (status === null && !(judgement.verdict === 'violated' && AFTER_REFUSAL.includes(rule)))
    return one;
  // A target may refuse what exceeds an allowance with 429, unless that is how it limits its rate; its
  // overload is no allowance.
  const isLimit =
    status !== null &&
    (limitStatuses.has(status) || status === 503 || (isLimitStatus(status) && !check?.counted));
  const doubt = isLimit
    ? `status ${status} is how a target refuses for its rate or its load, so it proves nothing of this rule`
    : (atRandom ?? doubtOf(judgement.keyExchange ?? ''));
  if (doubt === null) return one;
  return { ...one, judgement: inconclusive(`${doubt} (${judgement.reason})`, judgement.exchanges) };
}
