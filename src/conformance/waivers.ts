import { z } from 'zod';
import type { AppliedWaiver, RuleResult } from '../documents/conformance.ts';
import { matcherOf } from './suite.ts';
import { type RunVerdict, runVerdict } from './verdict.ts';

/** A rule that may be broken until a day. */
export interface Waiver {
  /** A rule id, or a glob over ids. */
  readonly rule: string;
  readonly reason: string;
  /** The last day on which it holds, `YYYY-MM-DD`, in UTC. */
  readonly until: string;
}

/** Shape of a waiver file: a list; what it does not know it refuses. */
export const waiversSchema: z.ZodType<readonly Waiver[]> = z.array(
  z.strictObject({
    rule: z.string().min(1).meta({ description: 'A rule id, or a glob such as token/*.' }),
    reason: z.string().trim().min(1).meta({ description: 'Why the rule may be broken.' }),
    until: z.iso
      .date('must be a day, as 2027-01-31')
      .meta({ description: 'The last day on which the waiver holds, in UTC.' }),
  }),
  'must be a list, each with rule, reason and until',
);

const DAY_MS = 86_400_000;

/** Whether the last second of a waiver's day, in UTC, is over. */
export function isExpired({ until }: Pick<Waiver, 'until'>, nowMs: number): boolean {
  return nowMs >= Date.parse(`${until}T00:00:00Z`) + DAY_MS;
}

/** Fields of a result that waivers change. */
export interface Waivable extends Pick<RunVerdict, 'summary' | 'verdict'> {
  readonly rules: readonly RuleResult[];
}

/**
 * A result with each broken rule that a waiver covers `waived`, and summary and verdict as they are
 * then. A waiver that matches no rule, or rules that all hold, carries its problem; one whose rules
 * this run left undecided does not.
 *
 * @param waivers none of them past
 * @param mustBeComplete whether an untestable rule makes the run incomplete
 */
export function applyWaivers<R extends Waivable>(
  result: R,
  waivers: readonly Waiver[],
  mustBeComplete: boolean,
): R & { readonly waivers: readonly AppliedWaiver[] } {
  const matchers = waivers.map((waiver) => ({ waiver, matches: matcherOf(waiver.rule) }));
  const rules = result.rules.map((rule) => {
    const covering = matchers.find(({ matches }) => matches(rule.id));
    return covering && isBroken(rule) ? waive(rule, covering.waiver) : rule;
  });
  const { summary, verdict } = runVerdict(rules, mustBeComplete);
  return {
    ...result,
    rules,
    summary,
    verdict,
    waivers: matchers.map(({ waiver, matches }) => {
      const problem = problemOf(result.rules.filter(({ id }) => matches(id)));
      return problem === null ? waiver : { ...waiver, problem };
    }),
  };
}

const isBroken = ({ verdict }: RuleResult): boolean => verdict === 'fail' || verdict === 'warn';

function waive(rule: RuleResult, { reason, until }: Waiver): RuleResult {
  const why = `waived until ${until}: ${reason} (${rule.verdict}: ${rule.reason})`;
  return { ...rule, verdict: 'waived', reason: why };
}

function problemOf(matched: readonly RuleResult[]): string | null {
  if (matched.length === 0) return 'it matches no rule of this run';
  const judged = matched.filter(
    ({ verdict }) => verdict !== 'excluded' && verdict !== 'untestable',
  );
  if (judged.length === 0 || judged.some(({ verdict }) => verdict !== 'pass')) return null;
  return matched.length === 1
    ? 'the rule passes: take the waiver out'
    : 'every rule that it matches passes: take the waiver out';
}
