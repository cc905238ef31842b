import { pass, violated } from '../../../verdict.ts';
import { accepts, answered, Inconclusive } from '../../contract/judge.ts';
import { describeAnswer, show } from '../../contract/messages.ts';
import { checkOf } from '../../contract/templates.ts';
import { fieldOf, sameScopes } from './answer-fields.ts';

const SINGLE = 'public';

/** The scopes that a partner that orders on behalf of users asks for (interface.md, "Scope values"). */
const TRIPLE = 'public rides.read rides.request';

/** Finds a service that loses scopes of a list in another order; the order itself is not judged. */
const REORDERED = 'rides.request public rides.read';

/** The interface leaves open whether a partner is granted it. */
const WIDER = 'public profile';

/**
 * Of each list that is granted, no scope is lost. The interface leaves open whom a service grants
 * which scope: a refused list is not judged. The single scope is every partner's.
 *
 * Not sent as well-formed requests: a refused scope says nothing of a ban, and a token of some scope
 * is not one for later requests.
 */
export const scopeEcho = checkOf({
  rule: 'token/scope-echo',
  baseRequest: 'platform',
  spends: (facts) => ({ platform: facts.metered ? 1 : 4 }),
  run: async (ctx) => {
    const granted: string[] = [];
    const refused: string[] = [];
    for (const scope of ctx.facts.metered ? [TRIPLE] : [TRIPLE, REORDERED, WIDER, SINGLE]) {
      const purpose = `positive: scope "${scope}"`;
      const fields = ctx.platform({ scope });
      const answer = answered(await ctx.token({ purpose, fields }), `the scope "${scope}"`);
      if (answer.outcome === 'refused') {
        if (scope === SINGLE)
          return (baseline) => accepts(`the scope "${scope}"`, answer, baseline);
        refused.push(`"${scope}" (${describeAnswer(answer)})`);
        continue;
      }
      const echoed = fieldOf(answer, 'scope');
      if (!sameScopes(echoed, scope)) {
        const got = `scope is ${show(echoed)}`;
        return violated(`scope "${scope}" as requested`, got, answer.exchange);
      }
      granted.push(`"${scope}"`);
    }
    const notGranted = refused.length === 0 ? '' : `; not granted: ${refused.join(', ')}`;
    if (!granted.some((scope) => scope.includes(' ')))
      throw new Inconclusive(`no list of several scopes was granted${notGranted}`);
    return pass(`the answer's scope is the one asked for: ${granted.join(', ')}${notGranted}`);
  },
});
