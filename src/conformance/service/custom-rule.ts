import type { RuleLevel } from '../../interface/catalogue.ts';
import { SERVICE_RULES } from '../../interface/catalogue.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import type { Check } from './contract/check.ts';

/** A rule of a user's own, with the check that judges it. */
export interface CustomRule {
  /** `area/name`, and none of the catalogue's. */
  readonly id: string;
  readonly level: RuleLevel;
  /** What the rule says, in one sentence. */
  readonly statement: string;
  readonly section?: string | undefined;
  readonly check: Omit<Check, 'rules'>;
}

const ID = /^[a-z0-9-]+\/[a-z0-9-]+$/;

/**
 * Defines a rule of one's own for `check --rules-module`: a module exports `rules`, a list of these.
 *
 * @example
 * ```js
 * import { defineRule, pass, violated } from 'fareproof';
 * export const rules = [
 *   defineRule({
 *     id: 'house/quick',
 *     level: 'should',
 *     statement: 'an estimate carries a request id',
 *     check: {
 *       carrier: 'estimate',
 *       spends: () => ({}),
 *       run: async (ctx) => {
 *         const answer = await ctx.estimate({ purpose: 'an estimate', query: ctx.query() });
 *         return 'x-request-id' in answer.headers
 *           ? pass('it does')
 *           : violated('an X-Request-Id header', 'none', answer.exchange);
 *       },
 *     },
 *   }),
 * ];
 * ```
 *
 * @throws ConfigurationError `RULE_DEFINITION` for an id that is malformed or taken
 */
export function defineRule(rule: CustomRule): CustomRule {
  if (!ID.test(rule.id)) {
    throw new ConfigurationError(
      'RULE_DEFINITION',
      `The rule id "${rule.id}" is not of the form area/name.`,
    );
  }
  if (SERVICE_RULES.some(({ id }) => id === rule.id)) {
    throw new ConfigurationError(
      'RULE_DEFINITION',
      `The rule id "${rule.id}" is one of the catalogue's.`,
    );
  }
  return rule;
}

/** Whether a value of a user's module is a rule that can be run. */
export function isCustomRule(value: unknown): value is CustomRule {
  if (value === null || typeof value !== 'object') return false;
  const { id, level, statement, check } = value as Partial<CustomRule>;
  const named = typeof id === 'string' && ID.test(id) && typeof statement === 'string';
  const runs = typeof check?.run === 'function' && typeof check.spends === 'function';
  return named && (level === 'must' || level === 'should') && runs;
}
