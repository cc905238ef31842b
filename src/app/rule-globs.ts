import { matcherOf } from '../conformance/index.ts';
import { ConfigurationError } from '../interface/errors.ts';
import { suggest } from '../interface/suggestion.ts';

/** Problem of a glob over rule ids that matches none of them; null for one that does. */
export function globProblem(glob: string, ids: readonly string[]): string | null {
  if (ids.some(matcherOf(glob))) return null;
  const areas = new Set(ids.map((id) => `${id.slice(0, id.indexOf('/'))}/*`));
  return `no rule matches "${glob}"; ${suggest(glob, [...ids, ...areas], 'see fareproof rules.')}`;
}

/**
 * Checks that each glob over rules matches one.
 *
 * @throws ConfigurationError `RULE_UNKNOWN`, with similar ids
 */
export function requireKnownRules(globs: readonly string[], ids: readonly string[]): void {
  for (const glob of globs) {
    const problem = globProblem(glob, ids);
    if (problem !== null) throw new ConfigurationError('RULE_UNKNOWN', problem, { field: 'rule' });
  }
}
