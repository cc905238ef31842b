import { inconclusive, type Judgement, pass, untestable, violated } from '../../../verdict.ts';
import type { CheckContext, Finding } from '../../contract/check.ts';
import { answered, doubtBaseline } from '../../contract/judge.ts';
import { type Answer, describeAnswer } from '../../contract/messages.ts';
import { ownCarrier } from './carrier.ts';
import { isOrdinary, isSameRefusal, notSigned } from './likeness.ts';
import { refusesAllAlike } from './uniform-refusals.ts';
import { applicable, merged, namesOf, type Step, sorted, wordsOf } from './witness.ts';

/** The judgement where nothing was shown; with a list of signed fields, such fields cannot show it. */
export function undecided({ facts }: CheckContext, doubts: readonly string[]): Judgement {
  const reason = doubts.join('; ');
  return facts.tokenFields === 'all' ? inconclusive(reason) : untestable(reason);
}

/** Sends all witnesses in one request; a refusal is compared with a neutral one and a wrong signature. */
export async function judgeMetered(ctx: CheckContext, step: Step): Promise<Finding> {
  const { together, apart = [], arrange = sorted, metered } = step;
  const { tokenFields } = ctx.facts;
  const all = applicable(together, tokenFields);
  const group = all.length > 0 ? all : applicable(apart, tokenFields).slice(0, 1);
  const own = ownCarrier(ctx, 'platform');
  const what = namesOf(group);
  const send = (purpose: string): Promise<Answer> =>
    own.send(purpose, arrange(own.pairs(merged(group.map(({ fields }) => fields)))));
  const refused = answered(await send(`positive: ${what}`));
  if (refused.outcome === 'accepted') return pass(`accepted, signed by the rules: ${what}`);
  const expected = `status 200 for a request with ${what}, signed by the rules`;
  const got = `it is refused with status ${refused.status}`;
  const neutral = group.every((one) => one.neutral === null)
    ? null
    : (step.neutral ?? merged(group.map((one) => one.neutral)));
  const [first] = group;
  const reading = first?.otherReadings?.[0];
  const isNeutral =
    neutral !== null &&
    (await own.send(`baseline: ${wordsOf(neutral)} in its place`, own.pairs(neutral))).outcome ===
      'accepted';
  if (!isNeutral) {
    if (first && reading && (neutral === null || metered === 3)) {
      const [how, textOf] = reading;
      const pairs = arrange(own.pairs(first.fields));
      const other = await own.send(`${first.what}, signed ${how}`, pairs, textOf(pairs));
      if (other.outcome === 'accepted')
        return violated(expected, `${got}, and accepted when signed ${how}`, refused.exchange);
    }
    const compared = neutral === null ? 'signed otherwise too' : `and so was ${wordsOf(neutral)}`;
    return undecided(ctx, [
      `a request with ${what} was refused (status ${refused.status}), ${compared}: the target may refuse such a field, or leave it out of its signature (then list tokenFields in the profile)`,
    ]);
  }
  const unsigned = answered(
    await own.send(
      `the same, signed at random: ${wordsOf(neutral ?? {})}`,
      own.pairs(neutral ?? {}),
      ctx.random.hex(32),
    ),
  );
  if (!isSameRefusal(refused, unsigned)) {
    const doubt = `a request with ${what} was refused (${describeAnswer(refused)}), ${notSigned(unsigned)}`;
    return undecided(ctx, [doubt]);
  }
  if (!group.every(({ fields }) => isOrdinary(fields)) && (await refusesAllAlike(ctx)))
    return undecided(ctx, [
      `a request with ${what} was refused (${describeAnswer(refused)}), as is anything else: the target may refuse such a value for itself`,
    ]);
  return (baseline): Judgement => {
    const doubt = doubtBaseline(baseline);
    if (doubt !== null) return inconclusive(doubt);
    const why = `while ${wordsOf(neutral ?? {})} is accepted`;
    return violated(expected, `${got}, ${why}`, refused.exchange);
  };
}
