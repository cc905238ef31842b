import { pass, untestable, violated } from '../../../verdict.ts';
import type { Check } from '../../contract/check.ts';
import { answered } from '../../contract/judge.ts';
import { partOf } from '../../contract/templates.ts';
import { compareRefusals } from './compare-refusals.ts';

/** Parameters of a start and a destination. */
export const COORDINATES = ['start_lat', 'start_lng', 'end_lat', 'end_lng'] as const;

/** A coordinate some metres beside 0: a target that serves the one serves the other. */
const BESIDE = '0.0001';

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
      const beside = ask(BESIDE);
      if (answered(await beside()).outcome !== 'accepted') continue;
      const zero = answered(await ask('0')());
      shown.push(zero.exchange);
      if (zero.outcome === 'accepted') continue;
      const other = `the same with ${BESIDE}`;
      const compared = await compareRefusals(ctx.facts, ask('0'), beside, other);
      const { isDistinct, refusal, words } = compared;
      if (isDistinct && refusal)
        return violated(
          `status 200 for an estimate with the ${name} 0`,
          `the ${name} 0 was refused with status ${refusal.status} ${words}`,
          refusal.exchange,
        );
    }
    return shown.length > 0
      ? pass('an estimate with a coordinate of 0 was accepted', shown)
      : untestable('the target serves no place beside the equator or the meridian of Greenwich');
  },
});
