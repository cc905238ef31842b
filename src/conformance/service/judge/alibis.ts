import { NOT_RESTARTED } from '../../../spending/index.ts';
import { inconclusive, type Judgement } from '../../verdict.ts';
import { isCounted } from '../contract/check.ts';
import { isLimitStatus } from '../wire/rate-limit.ts';
import type { TargetClient } from '../wire/target-client.ts';
import type { JudgedRule } from './judged-rule.ts';
import { refusedSince } from './refused-since.ts';
import { sentByChecks } from './sent-by-checks.ts';

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

/** Facts of a run about the refusals of a target. */
export interface Doubts extends Pick<TargetClient, 'stability' | 'limitStatuses' | 'rests'> {
  readonly statusOf: StatusOf;
  /** Reason why the refusal of an exchange, and of all later ones, proves nothing; null for none. */
  readonly refusedSince: (exchange: string) => string | null;
}

/** Doubts about the refusals of a target, always as far as a run has come. */
export function doubtsOf(client: TargetClient): Doubts {
  const { evidence, limitStatuses, rests, stability, target } = client;
  return {
    statusOf: (id) => evidence.statusOf(id),
    refusedSince: (id) => refusedSince(id, sentByChecks(evidence.raw), target.baseUrl),
    limitStatuses,
    rests,
    stability,
  };
}

/** Rules broken by an acceptance that counts only after a refusal, such as that which begins a ban. */
const AFTER_REFUSAL: readonly string[] = ['quota/ban-lasts-24h'];

/** A violation that rests on a refusal. */
interface Accusation {
  /** Exchange that shows it. */
  readonly exchange: string;
  /** Status of the refusal; null for a violation by an acceptance after a refusal. */
  readonly status: number | null;
  /** True for a check whose answers depend on the number of requests. */
  readonly ofCounted: boolean;
}

/** Another cause of a refusal: words for it, or null where it is none. */
type Alibi = (accusation: Accusation, doubts: Doubts) => string | null;

/** Other causes of refusals, by name, in the order in which they are tried. */
const ALIBIS: Readonly<Record<string, Alibi>> = {
  // A target may refuse what exceeds an allowance with 429, unless that is how it limits its rate; its
  // overload is no allowance.
  limit: ({ status, ofCounted }, { limitStatuses }) => {
    if (status === null) return null;
    const isLimit = limitStatuses.has(status) || status === 503;
    return isLimit || (isLimitStatus(status) && !ofCounted)
      ? `status ${status} is how a target refuses for its rate or its load, so it proves nothing of this rule`
      : null;
  },
  passing: ({ status, ofCounted }, { rests }) =>
    ofCounted && status !== null && rests.passed.has(status)
      ? `a request that was refused with status ${status} was accepted when it was sent again`
      : null,
  chance: (_accusation, { stability }) => stability.doubt,
  earlierRuns: ({ exchange }, { stability }) =>
    stability.usedUp.includes(exchange) ? NOT_RESTARTED : null,
  acceptedElsewhere: ({ exchange }, { stability }) => stability.doubtOf(exchange),
  silence: ({ exchange }, doubts) => doubts.refusedSince(exchange),
};

/** Takes back what a refusal seemed to show, if it may have another cause. */
export function unlessUnproven<
  J extends Pick<JudgedRule, 'rule' | 'judgement'> & Partial<Pick<JudgedRule, 'check'>>,
>(one: J, doubts: Doubts): J {
  const { rule, judgement, check } = one;
  if (judgement.isOfAll) return one;
  const status = refusalOf(judgement, doubts.statusOf);
  if (status === null && !(judgement.verdict === 'violated' && AFTER_REFUSAL.includes(rule)))
    return one;
  const accusation = {
    exchange: judgement.keyExchange ?? '',
    status,
    ofCounted: check !== undefined && isCounted(check),
  };
  for (const alibi of Object.values(ALIBIS)) {
    const cause = alibi(accusation, doubts);
    if (cause === null) continue;
    const reason = `${cause} (${judgement.reason})`;
    return { ...one, judgement: inconclusive(reason, judgement.exchanges) };
  }
  return one;
}
