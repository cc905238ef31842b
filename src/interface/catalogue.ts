import { AUTH_RULES } from './catalogue/auth.ts';
import { CARPOOL_RULES } from './catalogue/carpool.ts';
import { CLIENT_RULES } from './catalogue/client.ts';
import { ESTIMATE_RULES } from './catalogue/estimate.ts';
import { LIFECYCLE_RULES } from './catalogue/lifecycle.ts';
import { LOCK_RULES } from './catalogue/lock.ts';
import { QUOTA_RULES } from './catalogue/quota.ts';
import { RECORD_RULES } from './catalogue/record.ts';
import type { Rule } from './catalogue/rule.ts';
import { SIGNATURE_RULES } from './catalogue/signature.ts';
import { TOKEN_RULES } from './catalogue/token.ts';

export { CLIENT_RULES } from './catalogue/client.ts';
export type { Rule, RuleLevel } from './catalogue/rule.ts';

/** Rules for a service, in the order of the catalogue. */
export const SERVICE_RULES = [
  ...SIGNATURE_RULES,
  ...TOKEN_RULES,
  ...LIFECYCLE_RULES,
  ...QUOTA_RULES,
  ...ESTIMATE_RULES,
  ...AUTH_RULES,
  ...RECORD_RULES,
  ...CARPOOL_RULES,
  ...LOCK_RULES,
] as const;

/** Id of a rule for a service. */
export type ServiceRuleId = (typeof SERVICE_RULES)[number]['id'];
/** Id of a rule for a partner's client. */
export type ClientRuleId = (typeof CLIENT_RULES)[number]['id'];
/** Id of any rule of the catalogue. */
export type RuleId = ServiceRuleId | ClientRuleId;

/** The whole catalogue, service rules first. */
export const RULES: readonly Rule[] = [...SERVICE_RULES, ...CLIENT_RULES];

const RULE_BY_ID: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.id, rule]));

/** Looks up a rule by its id; undefined for an id that is not in the catalogue. */
export function findRule(id: string): Rule | undefined {
  return RULE_BY_ID.get(id);
}

/** Area of a rule: the part of its id before the slash. */
export function areaOf(ruleId: string): string {
  return ruleId.slice(0, ruleId.indexOf('/'));
}
