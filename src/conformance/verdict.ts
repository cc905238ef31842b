import { type RuleResult } from '../documents/conformance.ts';
import { judgedCount } from '../documents/judged-count.ts';
import { RULE_VERDICTS, type RuleVerdict } from '../documents/rule-verdict.ts';
import type { Words } from '../documents/sealed.ts';
import type { RuleLevel } from '../interface/catalogue.ts';

/** Finding about one rule; the rule's level makes a violation a fail or a warn. */
export interface Judgement {
  readonly verdict: 'pass' | 'violated' | 'inconclusive' | 'untestable';
  readonly reason: Words;
  readonly expected?: string | undefined;
  /** Ids of exchanges; left out, all that the check sent. */
  readonly exchanges?: readonly string[] | undefined;
  /** Exchange that shows a violation best: the one to repeat. */
  readonly keyExchange?: string | undefined;
  /** Place of the one that was refused in a sequence of equal requests, from 1; left out for none. */
  readonly place?: number | undefined;
  readonly remedy?: string | undefined;
  /** Time since the same was last accepted, ms; left out where nothing was. */
  readonly sinceMs?: number | undefined;
  /** True where no request could be sent, for want of a token or of a partner that the target serves. */
  readonly isUnsent?: true | undefined;
  /** True where an error ended the check, or its batch could not be closed: no exchange tells of it. */
  readonly isBroken?: true | undefined;
  /** True where a breach was seen that something else may explain: no pass of another part outweighs it. */
  readonly isDoubt?: true | undefined;
  /** True where the cause of a violation concerns all partners: other refusals follow from it, and are no chance. */
  readonly isOfAll?: true | undefined;
  /** Time from which the rest of the check can be run, ISO 8601. */
  readonly pendingUntil?: string | undefined;
}

/** Judges that the rule is kept. */
export function pass(reason: Words, exchanges?: readonly string[]): Judgement {
  return { verdict: 'pass', reason, exchanges };
}

/**
 * Judges that the rule is broken.
 *
 * @param got what came: the reason of the verdict
 * @param keyExchange id of the exchange that shows it best
 * @param exchanges ids of all that show it; left out, all that the check sent
 */
export function violated(
  expected: string,
  got: Words,
  keyExchange?: string,
  exchanges?: readonly string[],
): Judgement {
  return { verdict: 'violated', reason: got, expected, keyExchange, exchanges };
}

/** Judges that what was tried proves nothing. */
export function inconclusive(reason: Words, exchanges?: readonly string[]): Judgement {
  return { verdict: 'inconclusive', reason, exchanges };
}

/** Judges that an error ended the check. */
export function broken(error: string): Judgement {
  return { ...inconclusive(`the check could not be completed: ${error}`), isBroken: true };
}

/** Judges that the rule cannot be tested here; `remedy` says what would make it possible. */
export function untestable(reason: Words, remedy?: string): Judgement {
  return { verdict: 'untestable', reason, remedy };
}

/** Judges that the rule cannot be tested here because no request could be sent. */
export function unsent(reason: Words, remedy?: string): Judgement {
  return { ...untestable(reason, remedy), isUnsent: true };
}

/** RuleVerdict of a judgement, by the level of its rule. */
export function verdictOf({ verdict }: Judgement, level: RuleLevel): RuleVerdict {
  if (verdict !== 'violated') return verdict;
  return level === 'must' ? 'fail' : 'warn';
}

/** RuleVerdict of a whole run, and the counts that it follows from. */
export interface RunVerdict {
  readonly verdict: 'conformant' | 'not-conformant' | 'incomplete';
  /** True if every selected rule was judged. */
  readonly complete: boolean;
  /** Number of rules by verdict. */
  readonly summary: Readonly<Record<RuleVerdict, number>>;
}

/**
 * Derives the verdict of a run from those of its rules; one that was interrupted, or in which nothing was
 * judged, is incomplete.
 *
 * @param mustBeComplete true if an untestable rule makes the run incomplete
 */
export function runVerdict(
  rules: readonly Pick<RuleResult, 'verdict'>[],
  mustBeComplete: boolean,
  isInterrupted = false,
): RunVerdict {
  const count = (of: RuleVerdict): number => rules.filter(({ verdict }) => verdict === of).length;
  const counts = RULE_VERDICTS.map((verdict) => [verdict, count(verdict)]);
  const summary = Object.fromEntries(counts) as Record<RuleVerdict, number>;
  const undecided = summary.inconclusive + (mustBeComplete ? summary.untestable : 0);
  const isOpen = isInterrupted || undecided > 0 || judgedCount(summary) === 0;
  return {
    verdict: summary.fail > 0 ? 'not-conformant' : isOpen ? 'incomplete' : 'conformant',
    complete: summary.inconclusive === 0 && summary.untestable === 0,
    summary,
  };
}
