import type { RuleResult } from '../documents/conformance.ts';
import type { RuleLevel } from '../interface/catalogue.ts';

/** What a rule came to, in the order of a summary. */
export const VERDICTS = [
  'pass',
  'fail',
  'warn',
  'inconclusive',
  'untestable',
  'excluded',
  'waived',
] as const;

/**
 * `fail`: a must is broken. `warn`: a should is broken. `inconclusive`: tried, and nothing can be
 * said. `untestable`: the profile lacks something. `excluded`: left out by the suite, or by the
 * environment. `waived`: failed, and a waiver covers it.
 */
export type Verdict = (typeof VERDICTS)[number];

/** What a check finds about one rule; the level of the rule makes a violation a fail or a warn. */
export interface Judgement {
  readonly verdict: 'pass' | 'violated' | 'inconclusive' | 'untestable';
  readonly reason: string;
  readonly expected?: string | undefined;
  readonly got?: string | undefined;
  /** Ids of exchanges; left out, all that the check sent. */
  readonly exchanges?: readonly string[] | undefined;
  /** The exchange that a reader should repeat first. */
  readonly keyExchange?: string | undefined;
  readonly remedy?: string | undefined;
  /** ISO 8601: when the rest of the check can be run. */
  readonly pendingUntil?: string | undefined;
}

/** The rule was seen to hold. */
export function pass(reason: string, exchanges?: readonly string[]): Judgement {
  return { verdict: 'pass', reason, exchanges };
}

/** The rule was seen broken: what it asks for, what came, and the exchange that shows it. */
export function violated(
  expected: string,
  got: string,
  keyExchange?: string,
  exchanges?: readonly string[],
): Judgement {
  return { verdict: 'violated', reason: got, expected, got, keyExchange, exchanges };
}

/** Tried, and nothing can be said. */
export function inconclusive(reason: string, exchanges?: readonly string[]): Judgement {
  return { verdict: 'inconclusive', reason, exchanges };
}

/** Something is lacking; `remedy` says what would make it possible to judge. */
export function untestable(reason: string, remedy?: string): Judgement {
  return { verdict: 'untestable', reason, remedy };
}

/** Verdict of a judgement, by the level of its rule. */
export function verdictOf({ verdict }: Judgement, level: RuleLevel): Verdict {
  if (verdict !== 'violated') return verdict;
  return level === 'must' ? 'fail' : 'warn';
}

/** Verdict of a whole run, and the counts that it follows from. */
export interface RunVerdict {
  readonly verdict: 'conformant' | 'not-conformant' | 'incomplete';
  /** Whether every rule that was asked for was judged. */
  readonly complete: boolean;
  /** Number of rules by verdict. */
  readonly summary: Readonly<Record<Verdict, number>>;
}

/**
 * Derives the verdict of a run from those of its rules.
 *
 * @param mustBeComplete whether an untestable rule makes the run incomplete
 */
export function runVerdict(
  rules: readonly Pick<RuleResult, 'verdict'>[],
  mustBeComplete: boolean,
): RunVerdict {
  const summary = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, rules.filter((one) => one.verdict === verdict).length]),
  ) as Record<Verdict, number>;
  const undecided = summary.inconclusive + (mustBeComplete ? summary.untestable : 0);
  return {
    verdict: summary.fail > 0 ? 'not-conformant' : undecided > 0 ? 'incomplete' : 'conformant',
    complete: summary.inconclusive === 0 && summary.untestable === 0,
    summary,
  };
}
