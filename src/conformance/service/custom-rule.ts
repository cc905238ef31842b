import { BASE_REQUESTS } from '../../documents/exchange.ts';
import { type RuleLevel, SERVICE_RULES } from '../../interface/catalogue.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import { checkOptions, type OptionTableOf } from '../../interface/options.ts';
import type { CheckDefinition } from './contract/templates.ts';

/** Rule that a user defines, with the check that judges it. */
export interface CustomRule {
  /** `area/name`, not an id of the catalogue. */
  readonly id: string;
  readonly level: RuleLevel;
  /** Statement of the rule, in one sentence. */
  readonly statement: string;
  readonly section?: string | undefined;
  readonly check: Omit<CheckDefinition, 'rule'>;
}

const NAMES = {
  id: true,
  level: true,
  statement: true,
  section: true,
  check: {
    baseRequest: true,
    setting: true,
    alsoOn: true,
    spends: true,
    acceptance: true,
    parts: true,
    needs: true,
    dependsOn: true,
    priority: true,
    effect: true,
    refusedAs: true,
    run: true,
  } satisfies OptionTableOf<CustomRule['check']>,
} satisfies OptionTableOf<CustomRule>;

const ID = /^[a-z0-9-]+\/[a-z0-9-]+$/;

/**
 * Defines a rule for `check --rules-module`: a module that exports `rules`, a list of these.
 *
 * @example
 * ```js
 * import { defineRule, pass, violated } from 'fareproof';
 * export const rules = [
 *   defineRule({
 *     id: 'house/quick',
 *     level: 'should',
 *     statement: 'The service answers an estimate with a request id.',
 *     check: {
 *       baseRequest: 'estimate',
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
 * @throws ConfigurationError `OPTION_UNKNOWN`, or `RULE_DEFINITION` for an id that is malformed or taken
 */
export function defineRule(rule: CustomRule): CustomRule {
  checkOptions(rule, NAMES);
  const problem = !ID.test(rule.id)
    ? 'is not of the form area/name'
    : SERVICE_RULES.some(({ id }) => id === rule.id) && "is one of the catalogue's";
  if (!problem) return rule;
  throw new ConfigurationError('RULE_DEFINITION', `The rule id "${rule.id}" ${problem}.`);
}

/**
 * Reads the rules that a user's module exports, or an option has.
 *
 * @param field name of the option
 * @throws ConfigurationError `OPTION_UNKNOWN`, or `RULES_MODULE` for anything but a list of what {@link defineRule} returns
 */
export function readCustomRules(rules: unknown, field?: string): readonly CustomRule[] {
  const problem = Array.isArray(rules)
    ? (rules as unknown[]).map(problemOf).find((one) => one !== null)
    : 'export "rules", a list of what defineRule returns.';
  if (problem !== undefined) throw new ConfigurationError('RULES_MODULE', problem, { field });
  for (const rule of rules as CustomRule[]) checkOptions(rule, NAMES);
  return rules as CustomRule[];
}

/** Reason why a value is not a rule that can be run; null if it is one. */
function problemOf(value: unknown): string | null {
  if (value === null || typeof value !== 'object')
    return `the list holds ${typeof value}, not a rule.`;
  const { id, level, statement, check } = value as Partial<CustomRule>;
  if (typeof id !== 'string' || !ID.test(id)) return 'a rule has no id of the form area/name.';
  if (level !== 'must' && level !== 'should') return `${id}: level is neither must nor should.`;
  if (typeof statement !== 'string') return `${id}: statement is missing.`;
  if (!BASE_REQUESTS.some((one) => one === check?.baseRequest))
    return `${id}: check.baseRequest is none of ${BASE_REQUESTS.join(', ')}.`;
  const runs = typeof check?.run === 'function' && typeof check.spends === 'function';
  return runs ? null : `${id}: check.run and check.spends are functions.`;
}
