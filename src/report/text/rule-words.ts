import type { ConformanceDocument, RuleResult, RuleVerdict } from '../../documents/conformance.ts';
import { areaOf, findRule } from '../../interface/index.ts';

/** What the rule says: the document's own words, or the catalogue's. */
export function statementOf(rule: RuleResult): string {
  return rule.statement ?? findRule(rule.id)?.statement ?? rule.id;
}

/** Heading of the interface under which the rule stands; null for a rule of the user's own. */
export function sectionOf(rule: RuleResult): string | null {
  return rule.section ?? findRule(rule.id)?.section ?? null;
}

/** The rules that came out so, in the document's order. */
export function rulesWith(document: ConformanceDocument, verdict: RuleVerdict): RuleResult[] {
  return document.rules.filter((rule) => rule.verdict === verdict);
}

/** The rules by area, areas in the order of their first rule. */
export function rulesByArea(document: ConformanceDocument): Map<string, RuleResult[]> {
  const areas = new Map<string, RuleResult[]>();
  for (const rule of document.rules) {
    const area = areaOf(rule.id);
    const rules = areas.get(area);
    if (rules) rules.push(rule);
    else areas.set(area, [rule]);
  }
  return areas;
}
