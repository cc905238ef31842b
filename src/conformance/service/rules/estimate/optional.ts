import { pass, violated } from '../../../verdict.ts';
import type { Check } from '../../contract/check.ts';
import { answered, Inconclusive } from '../../contract/judge.ts';
import {
  describeAnswer,
  type EstimateAnswer,
  type OptionalParameter,
  optionalParameters,
} from '../../contract/messages.ts';
import { checkOf } from '../../contract/templates.ts';

/**
 * One request without the parameter, one with it. Where they differ, the one without is sent again:
 * the difference counts only where that comes out as before.
 */
const optional = (rule: string, name: OptionalParameter): Check =>
  checkOf({
    rule,
    baseRequest: 'estimate',
    run: async (ctx) => {
      const value = ctx.query()[name] ?? optionalParameters(ctx.now())[name];
      const ask = (sent: string | undefined, purpose: string): Promise<EstimateAnswer> =>
        ctx.estimate({ purpose, query: ctx.query({ [name]: sent }), wellFormed: true });
      const without = await ask(undefined, `positive: an estimate request without ${name}`);
      const having = await ask(value, `positive: the same request with ${name}`);
      for (const answer of [without, having]) answered(answer, 'an estimate request');
      if (without.outcome === 'accepted' && having.outcome === 'accepted')
        return pass(`accepted: an estimate request with ${name}, and the same request without it`);
      if (without.outcome === having.outcome)
        throw new Inconclusive(
          `no estimate request was accepted, neither without ${name} (${describeAnswer(without)}) nor with it (${describeAnswer(having)})`,
        );
      const again = await ask(undefined, `the request without ${name} once more`);
      if (again.outcome !== without.outcome)
        throw new Inconclusive(
          `a request without ${name} came out once as ${describeAnswer(without)} and once as ${describeAnswer(again)}`,
        );
      const [refused, what, other] =
        without.outcome === 'refused' ? [again, 'without', 'with'] : [having, 'with', 'without'];
      return violated(
        `status 200 for an estimate request ${what} ${name}`,
        `an estimate request ${what} ${name} was refused with status ${refused.status}, the same request ${other} it accepted`,
        refused.exchange,
      );
    },
  });

/** Checks of the parameters that may be left out (interface.md, "2. Estimate prices"). */
export const optionalChecks: readonly Check[] = [
  optional('estimate/imei-optional', 'imei'),
  optional('estimate/map-type-optional', 'map_type'),
  optional('estimate/departure-time', 'departure_time'),
];
