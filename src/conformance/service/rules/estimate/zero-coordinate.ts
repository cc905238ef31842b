import { pass, untestable, violated } from '../../../verdict.ts';
import type { Check } from '../../contract/check.ts';
import { answered } from '../../contract/judge.ts';
import { partOf } from '../../contract/templates.ts';
import { compareRefusals } from './compare-refusals.ts';

/** Parameters of a start and a destination. */
export const COORDINATES = ['start_lat', 'start_lng', 'end_lat', 'end_lng'] as const;

/** Coordinates some metres on either side of 0, in its notation: a target that serves both serves 0. */
const [ZERO, BESIDE] = ['0.0000', ['0.0001', '-0.0001']] as const;

/** The equator and the meridian of Greenwich: a reader may take the number 0 for none. */
export const zeroCoordinate: Check = partOf({
  rule: 'estimate/platform',
  name: 'zero-coordinate',
  circumstance: 'at a coordinate of 0',
  acceptance: 'demanded',
  run: async (ctx) => {
    const { accessToken } = await ctx.issued('a token for estimates at a coordinate of 0');
    const shown: string[] = [];
    for (const name of COORDINATES) {
      const ask = (value: string) => () =>
        ctx.estimate({
          purpose: `an estimate with the ${name} ${value}`,
          query: ctx.query({ [name]: value }),
          accessToken,
          as: 'platform',
        });
      let isServed = true;
      for (const value of BESIDE) isServed &&= answered(await ask(value)()).outcome === 'accepted';
      if (!isServed) continue;
      const zero = answered(await ask(ZERO)());
      shown.push(zero.exchange);
      if (zero.outcome === 'accepted') continue;
      const other = `the same with ${BESIDE[0]}`;
      const compared = await compareRefusals(ctx.facts, ask(ZERO), ask(BESIDE[0]), other);
      const { isDistinct, refusal, words } = compared;
      if (isDistinct && refusal)
        return violated(
          `status 200 for an estimate with the ${name} ${ZERO}`,
          `the ${name} ${ZERO} was refused with status ${refusal.status} ${words}`,
          refusal.exchange,
        );
    }
    return shown.length > 0
      ? pass('an estimate with a coordinate of 0 was accepted', shown)
      : untestable('the target serves no place beside the equator or the meridian of Greenwich');
  },
});
