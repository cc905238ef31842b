import { z } from 'zod';
import type { AppliedWaiver, RuleResult } from '../documents/conformance.ts';
import { matcherOf } from './suite.ts';
import { type RunVerdict, runVerdict } from './verdict.ts';

/** Schema of a waiver file: a list; unknown fields are refused. */
export const waiversSchema = z.array(
  z.strictObject({
    rule: z.string().min(1).meta({ description: 'A rule id, or a glob such as token/*.' }),
    reason: z.string().trim().min(1).meta({ description: 'Why the rule may be broken.' }),
    until: z.iso
      .date('must be a day, as 2027-01-31')
      .meta({ description: 'Last day of the waiver, in UTC.' }),
  }),
  'must be a list, each with rule, reason and until',
);

/** Rule, or glob over rules, that may be broken until a given day, `YYYY-MM-DD`, in UTC. */
export type Waiver = Readonly<z.infer<typeof waiversSchema>[number]>;

const DAY_MS = 86_400_000;

/** Checks whether the last day of a waiver, in UTC, is over. */
export function isExpired({ until }: Pick<Waiver, 'until'>, nowMs: number): boolean {
  return nowMs >= Date.parse(`${until}T00:00:00Z`) + DAY_MS;
}

/** Fields of a result that waivers change. */
export interface Waivable extends Pick<RunVerdict, 'summary' | 'verdict'> {
  readonly rules: readonly RuleResult[];
  readonly interrupted?: unknown;
}

/**
 * Waives the broken rules of a result that a waiver covers, and derives its summary and verdict anew.
 * A waiver that has expired waives nothing: its rules stay broken, and their reasons say so. A waiver
 * has a `problem` where it has expired, matches no rule, or only rules that pass.
 *
 * @param mustBeComplete true if an untestable rule makes the run incomplete
 * @param nowMs time at which a waiver has to be valid, ms since the epoch
 */
export function applyWaivers<R extends Waivable>(
  result: R,
  waivers: readonly Waiver[],
  mustBeComplete: boolean,
  nowMs: number,
): R & { readonly waivers: readonly AppliedWaiver[] } {
  const matchers = waivers.map((waiver) => ({
    waiver,
    matches: matcherOf(waiver.rule),
    expired: isExpired(waiver, nowMs),
  }));
  const rules = result.rules.map((rule) => {
    if (!isBroken(rule)) return rule;
    const covering = matchers.filter(({ matches }) => matches(rule.id));
    const valid = covering.find(({ expired }) => !expired);
    if (valid) return waive(rule, valid.waiver);
    return covering[0] ? unwaived(rule, covering[0].waiver) : rule;
  });
  const { summary, verdict } = runVerdict(rules, mustBeComplete, result.interrupted === true);
  return {
    ...result,
    rules,
    summary,
    verdict,
    waivers: matchers.map(({ waiver, matches, expired }) => {
      const problem = expired
        ? `expired on ${waiver.until}; fix the rule or extend the waiver`
        : problemOf(result.rules.filter(({ id }) => matches(id)));
      return problem === null ? waiver : { ...waiver, problem };
    }),
  };
}

const isBroken = ({ verdict }: RuleResult): boolean => verdict === 'fail' || verdict === 'warn';

function waive(rule: RuleResult, { reason, until }: Waiver): RuleResult {
  const why = `waived until ${until}: ${reason} (${rule.verdict}: ${rule.reason})`;
  return { ...rule, verdict: 'waived', reason: why };
}

function unwaived(rule: RuleResult, { reason, until }: Waiver): RuleResult {
  return { ...rule, reason: `waiver expired on ${until} (${reason}): ${rule.reason}` };
}

function problemOf(matched: readonly RuleResult[]): string | null {
  if (matched.length === 0) return 'it matches no rule of this run';
  const judged = matched.filter(
    ({ verdict }) => verdict !== 'excluded' && verdict !== 'untestable',
  );
  if (judged.length === 0 || judged.some(({ verdict }) => verdict !== 'pass')) return null;
  return matched.length === 1
    ? 'the rule passes: remove the waiver'
    : 'every rule that it matches passes: remove the waiver';
}
