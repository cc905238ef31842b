import { CLIENT_RULES } from './catalogue-client.ts';
import { SERVICE_RULES } from './catalogue-service.ts';

/** `must`: the interface states it, a violation fails. `should`: common sense, a violation warns. */
export type RuleLevel = 'must' | 'should';

/**
 * What a runner must have to judge a rule: `partner` a partner id and signing key, `two-partners`
 * two of them, `control` the target's control API, `code` an auth code, `quota` an allowance to
 * spend on purpose, `test-environment` a target that runs as one.
 */
export type RuleNeed =
  | 'partner'
  | 'two-partners'
  | 'control'
  | 'code'
  | 'quota'
  | 'test-environment';

/** One statement of the interface that can be held against an implementation. */
export interface Rule {
  /** Permanent id, `area/name`; never renamed or reused. */
  readonly id: string;
  readonly level: RuleLevel;
  readonly statement: string;
  /** Who is judged by it: the service, or a partner's client. */
  readonly side: 'service' | 'client';
  /** Heading of interface.md under which the statement stands. */
  readonly section: string;
  readonly needs: readonly RuleNeed[];
}

/** Id of a rule for a service. */
export type ServiceRuleId = (typeof SERVICE_RULES)[number]['id'];
/** Id of a rule for a partner's client. */
export type ClientRuleId = (typeof CLIENT_RULES)[number]['id'];
/** Id of any rule of the catalogue. */
export type RuleId = ServiceRuleId | ClientRuleId;

/** The whole catalogue, service rules first. */
export const RULES: readonly Rule[] = [...SERVICE_RULES, ...CLIENT_RULES];

const RULE_BY_ID: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.id, rule]));

/** Looks a rule up by its id; undefined for an id that the catalogue does not hold. */
export function findRule(id: string): Rule | undefined {
  return RULE_BY_ID.get(id);
}

/** The area of a rule: what stands before the slash of its id. */
export function areaOf(ruleId: string): string {
  return ruleId.slice(0, ruleId.indexOf('/'));
}
