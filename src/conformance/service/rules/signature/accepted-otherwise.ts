import type { Mistake } from '../../../signature/recipe.ts';
import { type Judgement, violated } from '../../../verdict.ts';
import type { CheckContext, Place } from '../../contract/check.ts';
import type { Fields } from '../../contract/messages.ts';
import { carrierOn } from './carrier.ts';
import { otherTextOf } from './other-text.ts';
import { type Step, sorted, type Witness } from './witness.ts';

/** Requests of a step that must be refused, signed by another reading of it. */
const MOST_NEGATIVES = 4;

/** Times that an acceptance is repeated before it counts: a target may accept some of all signatures. */
const REPEATED = 3;

/**
 * Signs accepted witnesses by other readings: a violation if one is accepted too, unless any
 * signature is. A reading that leaves a field out is one of `signature/covers-fields`.
 */
export async function acceptedOtherwise(
  ctx: CheckContext,
  place: Place,
  { arrange = sorted }: Step,
  witnesses: readonly Witness[],
): Promise<Judgement | null> {
  const own = await carrierOn(ctx, place, false);
  let sent = 0;
  for (const { what, fields, otherReadings = [] } of witnesses) {
    for (const reading of otherReadings) {
      const pairs = arrange(own.pairs(fields));
      const text = otherTextOf(ctx, pairs, reading);
      if (sent === MOST_NEGATIVES) return null;
      const isWhole = Object.keys(fields).every((name) => text?.includes(name.trim()));
      if (text === null || !isWhole) continue;
      sent++;
      const how = `${what}, with a signature that ${reading.statement}`;
      const answer = await own.send(`negative: ${how}`, pairs, text);
      if (answer.outcome !== 'accepted') continue;
      if (!(await isRepeated(how, fields, reading))) return null;
      if (await isRepeated(`${what}, signed at random`, fields, null)) return null;
      const expected = `a refusal of a request with ${how}`;
      return violated(expected, `it is accepted with status ${answer.status}`, answer.exchange);
    }
  }
  return null;

  async function isRepeated(
    purpose: string,
    fields: Fields,
    reading: Mistake | null,
  ): Promise<boolean> {
    for (let time = 1; time <= REPEATED; time++) {
      const carrier = await carrierOn(ctx, place, true);
      const pairs = arrange(carrier.pairs(fields));
      const text = reading && otherTextOf(ctx, pairs, reading);
      const { outcome } = await carrier.send(purpose, pairs, text ?? ctx.random.hex(32));
      if (outcome !== 'accepted') return false;
    }
    return true;
  }
}
