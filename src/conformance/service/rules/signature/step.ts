import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { Check, CheckContext, Finding } from '../../contract/check.ts';
import { answered, doubtBaseline, Inconclusive } from '../../contract/judge.ts';
import { describeAnswer, type Fields, type TokenAnswer } from '../../contract/messages.ts';
import type { Facts } from '../../contract/target.ts';
import { checkOf } from '../../contract/templates.ts';

const NO_FIELD_TO_ADD =
  'the profile lists tokenFields, so a field added to a request does not enter the signature';

/** A field that the interface does not know, to carry values that its own fields cannot. */
export const EXTRA = 'remark';

/** A request that must succeed, and how to tell why it is refused where it is. */
export interface Step {
  readonly rule: string;
  readonly right: string;
  /** Fields of the request, signed by the rules. */
  readonly fields: (ctx: CheckContext) => Fields;
  /** Texts S that a service with another reading of the step would sign. */
  readonly otherReadings: readonly (readonly [string, (fields: Fields) => string])[];
  /** The same request without the one thing at stake, in words and as fields. */
  readonly neutral: readonly [string, (ctx: CheckContext) => Fields];
  /** True if a refusal compared with an accepted neutral request is a violation by itself. */
  readonly neutralDecides: boolean;
}

/** A check of one step of the signature: signed by the rule a request must be accepted. */
export function stepCheck(step: Step): Check {
  const { rule, right, fields } = step;
  return checkOf({
    rule,
    baseRequest: 'platform',
    unless: (facts) => (facts.tokenFields === 'all' ? undefined : NO_FIELD_TO_ADD),
    priority: 2,
    spends: (facts) => ({ platform: 2 + readingsTried(step, facts) }),
    run: async (ctx) => {
      const purpose = `positive: ${right}`;
      const answer = answered(await ctx.token({ purpose, fields: fields(ctx) }));
      if (answer.outcome === 'accepted') return pass(`accepted, signed by the rule: ${right}`);
      return explainRefusal(ctx, step, answer);
    },
  });
}

/**
 * The neutral request goes first: accepted, it shows that such a field may be sent and does enter the
 * signature. Only then does a refusal, or another reading that is accepted, say anything of the rule.
 */
async function explainRefusal(
  ctx: CheckContext,
  step: Step,
  refused: TokenAnswer,
): Promise<Finding> {
  const { right } = step;
  const expected = `status 200 for ${right}, signed by the rule`;
  const [what, neutralFields] = step.neutral;
  const purpose = `baseline: ${what}`;
  const neutral = await ctx.token({ purpose, fields: neutralFields(ctx) });
  if (neutral.outcome !== 'accepted') {
    throw new Inconclusive(
      `${right} was refused, and so was ${what} (${describeAnswer(neutral)}): the target may refuse such a field, or leave it out of its signature (then list tokenFields in the profile)`,
    );
  }
  for (const [name, textOf] of step.otherReadings.slice(0, readingsTried(step, ctx.facts))) {
    const fields = step.fields(ctx);
    const answer = await ctx.token({
      purpose: `the same, signed ${name}`,
      fields,
      signedText: textOf(fields),
    });
    if (answer.outcome === 'accepted') {
      const got = `it is refused with status ${refused.status}, and accepted when signed ${name}`;
      return violated(expected, got, refused.exchange);
    }
  }
  if (!step.neutralDecides) {
    throw new Inconclusive(
      `${right} was refused (status ${refused.status}) in the reading of the rule and in every other that is known: the target may refuse such a value, whatever its signature`,
    );
  }
  return (baseline): Judgement => {
    const doubt = doubtBaseline(baseline);
    if (doubt !== null) return inconclusive(doubt);
    const got = `it is refused with status ${refused.status}, while ${what} is accepted`;
    return violated(expected, got, refused.exchange);
  };
}

/**
 * If the neutral request decides, another reading only explains: it is skipped on a metered target.
 */
function readingsTried({ otherReadings, neutralDecides }: Step, facts: Facts): number {
  if (!facts.metered) return otherReadings.length;
  return neutralDecides ? 0 : 1;
}

/** S made of the fields in their order, nothing trimmed or left out. */
export function termsOf(
  fields: Fields,
  term: (key: string, value: string) => string = (key, value) => `${key}=${value}`,
): string {
  return Object.entries(fields)
    .map(([key, value]) => term(key, String(value)))
    .join('&');
}

/** S as the rule says, but with the term of one field replaced (null: left out). */
export function withTerm(fields: Fields, name: string, text: string | null): string {
  const { [name]: _replaced, ...rest } = fields;
  const all = text === null ? rest : { ...rest, [name]: text };
  return termsOf(Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))));
}
