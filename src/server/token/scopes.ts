import type { Behaviour } from '../../interface/index.ts';
import { SCOPES } from '../../interface/index.ts';
import { Refusal } from '../refusal.ts';

/**
 * Gives the scope of a token for the scope requested: the same text, unless it contains an unknown name
 * and the gap `unknown-scope` is set otherwise.
 *
 * @throws Refusal `scope-unknown`
 * @see interface.md, "Scope values"
 */
export function grantScope(requested: string, unknownScope: Behaviour['unknown-scope']): string {
  const names = requested.split(/\s+/).filter((name) => name !== '');
  const unknown = names.find((name) => !isKnown(name));
  if (unknown === undefined || unknownScope === 'granted') return requested;
  if (unknownScope === 'dropped') return names.filter(isKnown).join(' ');
  throw new Refusal('scope-unknown', `A scope must be one of ${SCOPES.join(', ')}.`, {
    field: 'scope',
    rule: 'token/scope-echo',
  });
}

function isKnown(name: string): boolean {
  return (SCOPES as readonly string[]).includes(name);
}
