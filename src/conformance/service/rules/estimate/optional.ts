import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { EstimateAnswer } from '../../contract/answer.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check } from '../../contract/check.ts';
import { type OptionalParameter, optionalParameters } from '../../contract/optional-parameters.ts';

/** One request without the parameter, one with it; where they differ, the refusal is seen twice. */
const optional = (rule: string, name: OptionalParameter): Check => ({
  id: rule,
  rules: [rule],
  baseRequest: 'estimate',
  spends: () => ({}),
  run: async (ctx) => {
    const value = ctx.query()[name] ?? optionalParameters(ctx.now())[name];
    const ask = (sent: string | undefined, purpose: string): Promise<EstimateAnswer> =>
      ctx.estimate({ purpose, query: ctx.query({ [name]: sent }), wellFormed: true });
    const without = await ask(undefined, `positive: an estimate request without ${name}`);
    const having = await ask(value, `positive: the same request with ${name}`);
    const broken = [without, having].find(({ outcome }) => outcome === 'broken');
    if (broken) return inconclusive(`no answer to an estimate request: ${broken.failure}`);
    if (without.outcome === having.outcome) return judgeSame(name, without, having);
    const again = await ask(undefined, `the request without ${name} once more`);
    return judgeDifferent(name, without, having, again);
  },
});

function judgeSame(name: string, without: EstimateAnswer, having: EstimateAnswer): Judgement {
  if (without.outcome === 'accepted')
    return pass(`accepted: an estimate request with ${name}, and the same request without it`);
  return inconclusive(
    `no estimate request was accepted, neither without ${name} (${describeAnswer(without)}) nor with it (${describeAnswer(having)})`,
  );
}

/** Of the two requests one was refused: it tells only where the one without comes out as before. */
function judgeDifferent(
  name: string,
  without: EstimateAnswer,
  having: EstimateAnswer,
  again: EstimateAnswer,
): Judgement {
  if (again.outcome !== without.outcome) {
    return inconclusive(
      `a request without ${name} came out once as ${describeAnswer(without)} and once as ${describeAnswer(again)}`,
    );
  }
  const isDemanded = without.outcome === 'refused';
  const [refused, what] = isDemanded ? [again, 'without'] : [having, 'with'];
  return violated(
    `status 200 for an estimate request ${what} ${name}`,
    `an estimate request ${what} ${name} was refused with status ${refused.status}, the same request ${isDemanded ? 'with' : 'without'} it accepted`,
    refused.exchange,
  );
}

/** Checks of the parameters that may be left out (interface.md, "2. Estimate prices"). */
export const optionalChecks: readonly Check[] = [
  optional('estimate/imei-optional', 'imei'),
  optional('estimate/map-type-optional', 'map_type'),
  optional('estimate/departure-time', 'departure_time'),
];
