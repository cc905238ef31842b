import { type Judgement, violated } from '../../../verdict.ts';
import type { CheckContext, Place } from '../../contract/check.ts';
import { carrierOn } from './carrier.ts';
import { isDocumentedText } from './documented-text.ts';
import { type OtherReading, type Step, sorted, type Witness } from './witness.ts';

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
  const readings = witnesses.flatMap((witness) =>
    (witness.otherReadings ?? []).map((reading) => ({ ...witness, reading })),
  );
  const own = await carrierOn(ctx, place, false);
  let sent = 0;
  for (const { what, fields, reading } of readings) {
    const [how, textOf] = reading;
    const pairs = arrange(own.pairs(fields));
    const text = textOf(pairs);
    if (sent === MOST_NEGATIVES) break;
    const isLeftOut = Object.keys(fields).some((name) => !text.includes(name.trim()));
    if (isLeftOut || isDocumentedText(ctx, pairs, text)) continue;
    sent++;
    const answer = await own.send(`negative: ${what}, signed ${how}`, pairs, text);
    if (answer.outcome !== 'accepted') continue;
    if (!(await isRepeated(`${what}, signed ${how}`, textOf))) return null;
    if (await isRepeated(`${what}, signed at random`, () => ctx.random.hex(32))) return null;
    const expected = `a refusal of a request with ${what}, signed ${how}`;
    return violated(expected, `it is accepted with status ${answer.status}`, answer.exchange);

    async function isRepeated(purpose: string, otherText: OtherReading[1]): Promise<boolean> {
      for (let time = 1; time <= REPEATED; time++) {
        const carrier = await carrierOn(ctx, place, true);
        const again = arrange(carrier.pairs(fields));
        const { outcome } = await carrier.send(purpose, again, otherText(again));
        if (outcome !== 'accepted') return false;
      }
      return true;
    }
  }
  return null;
}
