import type { ConformanceDocument, RuleResult } from '../../documents/conformance.ts';
import type { RuleVerdict } from '../../documents/rule-verdict.ts';
import type { ScenarioResult } from '../../documents/scenario.ts';
import { areaOf } from '../../interface/catalogue.ts';
import { groupBy } from './group-by.ts';
import type { TextFact } from './load-words.ts';

/** Verdicts of rules, the worst first. */
export const WORST_FIRST: readonly RuleVerdict[] = [
  'fail',
  'warn',
  'inconclusive',
  'untestable',
  'waived',
  'excluded',
  'pass',
];

/** Verdicts that a reader should look at, the worst first. */
export const NOTABLE_VERDICTS = ['fail', 'warn', 'inconclusive'] as const;

/** The notable verdicts that a reader should look at one by one: a diagnosis explains what is inconclusive. */
export function notableVerdicts({ diagnosis }: ConformanceDocument) {
  return NOTABLE_VERDICTS.filter((one) => diagnosis === undefined || one !== 'inconclusive');
}

/** The rules with these verdicts, the worst first. */
export const notableRules = (document: ConformanceDocument): RuleResult[] =>
  notableVerdicts(document).flatMap((verdict) => rulesWith(document, verdict));

/** Details of a rule's verdict: its reason, which is what came where the rule is broken, and what was expected. */
export function verdictFacts({ reason, expected }: RuleResult): TextFact[] {
  return Object.entries({ reason, expected }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text]],
  );
}

/** Commands that send a rule's exchanges or judge it again, by their names. */
export function commandFacts({ curl, repeat, replay }: RuleResult): TextFact[] {
  return Object.entries({ reproduce: curl, rerun: repeat, replay }).flatMap(([name, command]) =>
    command === undefined ? [] : [[name, command]],
  );
}

/** The part of a rule that was tried, such as `1 of 34 ways tried`; null for all of it, or where that is not known. */
export function triedWords({ leftOut = [] }: ConformanceDocument, ruleId: string): string | null {
  const left = leftOut.find(({ rule }) => rule === ruleId);
  // The rule's own way is none of its further parts.
  return left === undefined ? null : `${left.of - left.parts + 1} of ${left.of + 1} ways tried`;
}

/** The rules with a verdict, in the document's order. */
export function rulesWith(document: ConformanceDocument, verdict: RuleVerdict): RuleResult[] {
  return document.rules.filter((rule) => rule.verdict === verdict);
}

/** Rules that have something in common: at least one. */
export type RuleGroup = [RuleResult, ...RuleResult[]];

/** The rules by area, areas in the order of their first rule. */
export function rulesByArea({ rules }: ConformanceDocument): Map<string, RuleGroup> {
  return groupBy(rules, ({ id }) => areaOf(id));
}

/** The rules in groups of the same verdict, reason and remedy. */
export function groupByReason(rules: readonly RuleResult[]): RuleGroup[] {
  const reasons = groupBy(rules, ({ verdict, reason, remedy }) =>
    JSON.stringify([verdict, reason, remedy]),
  );
  return [...reasons.values()];
}

/** The untestable rules by what would make them testable, else by their reason: the most rules first. */
export function openRules(document: ConformanceDocument): RuleGroup[] {
  const groups = groupBy(
    rulesWith(document, 'untestable'),
    ({ remedy, reason }) => remedy ?? reason,
  );
  const rank = ([{ remedy }, { length }]: readonly [RuleResult, RuleGroup]): number =>
    remedy === undefined ? 0 : length;
  return [...groups.values()].sort((a, b) => rank([b[0], b]) - rank([a[0], a]));
}

/** Reason of a scenario's verdict, and the client's missing requests; empty if there is neither. */
export function scenarioReason({ reason, missing }: ScenarioResult): string {
  return [...(reason === undefined ? [] : [reason]), ...missing].join('; ');
}

/**
 * Name of the scenario before this one in which the client wrote the same; null if there is none, or if this one
 * failed and is shown whole.
 */
export function sameOutputAs(
  { output, verdict }: Pick<ScenarioResult, 'output' | 'verdict'>,
  before: readonly Pick<ScenarioResult, 'name' | 'output'>[],
): string | null {
  if (output === undefined || verdict === 'fail') return null;
  const text = output.join('\n');
  return before.find((one) => one.output?.join('\n') === text)?.name ?? null;
}

/** Scenarios that are named as the suite of a certification. */
const NAMED_SCENARIOS = 3;

/** Name of the suite; that of a certification is its scenarios, or their number. */
export function suiteWords({ side, suite, scenarios = [] }: ConformanceDocument): string {
  const isLong = side === 'client' && scenarios.length > NAMED_SCENARIOS;
  return isLong ? `${scenarios.length} scenarios` : suite;
}
