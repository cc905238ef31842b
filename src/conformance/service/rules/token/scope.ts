import { inconclusive, pass, violated } from '../../../verdict.ts';
import type { TokenAnswer } from '../../contract/answer.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check, Finding } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import { judgeAcceptance } from '../../contract/templates.ts';
import { fieldOf, sameScopes, show } from './answer.ts';

const SINGLE = 'public';

/** What a partner that orders on behalf of users has to ask for (interface.md, "Scope values"). */
const TRIPLE = 'public rides.read rides.request';

/** In another order, which is not judged: a list that was lost in it is. */
const REORDERED = 'rides.request public rides.read';

/** Whether a partner is granted it the interface leaves open. */
const WIDER = 'public profile';

/**
 * Not well-formed requests in the sense of the engine: a refused scope tells nothing of a ban, and a
 * token of some scope is none to go on with.
 */
function ask(ctx: CheckContext, scope: string): Promise<TokenAnswer> {
  return ctx.token({ purpose: `positive: scope "${scope}"`, fields: ctx.platform({ scope }) });
}

/**
 * token/scope-echo: of each list that is granted, none is lost. Whom a service grants which scope the
 * interface leaves open, so that a refused list is not judged; the single scope is every partner's.
 */
export const scopeEcho: Check = {
  id: 'token/scope-echo',
  rules: ['token/scope-echo'],
  baseRequest: 'platform',
  spends: (facts) => ({ platform: facts.metered ? 1 : 4 }),
  run: async (ctx) => {
    const asked = ctx.facts.metered ? [TRIPLE] : [TRIPLE, REORDERED, WIDER, SINGLE];
    const held: string[] = [];
    const refused: string[] = [];
    for (const scope of asked) {
      const answer = await ask(ctx, scope);
      if (answer.outcome === 'broken')
        return inconclusive(`no answer to the scope "${scope}": ${answer.failure}`);
      if (answer.outcome === 'refused') {
        if (scope === SINGLE) return refusedSingle(answer);
        refused.push(`"${scope}" (${describeAnswer(answer)})`);
        continue;
      }
      const echoed = fieldOf(answer, 'scope');
      if (!sameScopes(echoed, scope)) {
        const got = `scope is ${show(echoed)}`;
        return violated(`scope "${scope}" as requested`, got, answer.exchange);
      }
      held.push(`"${scope}"`);
    }
    const notGranted = refused.length === 0 ? '' : `; not granted: ${refused.join(', ')}`;
    return held.some((scope) => scope.includes(' '))
      ? pass(`the answer's scope is the one asked for: ${held.join(', ')}${notGranted}`)
      : inconclusive(`no list of several scopes was granted${notGranted}`);
  },
};

/** The base request's controls, without any scope, stand beside it. */
function refusedSingle(answer: TokenAnswer): Finding {
  return (controls) => judgeAcceptance(`the scope "${SINGLE}"`, answer, controls);
}
