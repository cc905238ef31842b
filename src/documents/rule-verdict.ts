import { oneOf } from './fields.ts';

/** Verdicts of a rule, in the order of a summary. */
export const RULE_VERDICTS = [
  'pass',
  'fail',
  'warn',
  'inconclusive',
  'untestable',
  'excluded',
  'waived',
] as const;

/** Verdict on a rule. */
export type RuleVerdict = (typeof RULE_VERDICTS)[number];

/** True for a rule that the target breaks, waived or not. */
export function isBroken({ verdict }: { readonly verdict: RuleVerdict | null }): boolean {
  return verdict === 'fail' || verdict === 'warn' || verdict === 'waived';
}

/** Schema of {@link RuleVerdict}. */
export const ruleVerdictSchema = oneOf(
  RULE_VERDICTS,
  '`fail`: a must is broken; `warn`: a should is broken; `inconclusive`: tried, and nothing can be said; `untestable`: the profile lacks something; `waived`: failed, and a waiver covers it; `excluded`: left out by the suite or the environment.',
);
