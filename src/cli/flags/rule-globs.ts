import { ConfigurationError } from '../../interface/errors.ts';
import { nearest } from './suggestion.ts';

/** Message for a glob over rule ids that matches nothing. */
export function unknownGlob(glob: string, ids: readonly string[]): string {
  const areas = new Set(ids.map((id) => `${id.slice(0, id.indexOf('/'))}/*`));
  const near = nearest(glob, [...ids, ...areas]);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'see fareproof rules.';
  return `no rule matches "${glob}"; ${hint}`;
}

/**
 * Checks that each glob of a flag matches a rule.
 *
 * @param matches tells if a glob matches an id
 * @throws ConfigurationError `RULE_UNKNOWN`, with similar ids
 */
export function requireKnown(
  flag: string,
  globs: readonly string[],
  ids: readonly string[],
  matches: (glob: string, id: string) => boolean,
): void {
  const unknown = globs.find((glob) => !ids.some((id) => matches(glob, id)));
  if (unknown === undefined) return;
  throw new ConfigurationError('RULE_UNKNOWN', `${flag}: ${unknownGlob(unknown, ids)}`);
}
