import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { TokenAnswer } from '../../contract/answer.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check, Finding } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import type { Fields } from '../../contract/request.ts';
import type { Facts } from '../../contract/target.ts';
import { doubtControls } from '../../contract/templates.ts';

const NO_FIELD_TO_ADD =
  'the profile lists tokenFields, so a field added to a request does not enter the signature';

const onlyWhereAllFieldsAreSigned = (facts: Facts): string | undefined =>
  facts.tokenFields === 'all' ? undefined : NO_FIELD_TO_ADD;

/** A field that the interface does not know, to carry values that its own fields cannot. */
export const EXTRA = 'remark';

/** How a request that must succeed can be told from one that is refused for another reason. */
export interface Reading {
  readonly rule: string;
  readonly right: string;
  readonly unless?: Check['unless'];
  /** Fields of the request, signed by the rules. */
  readonly fields: (ctx: CheckContext) => Fields;
  /** Texts S that a service with another reading would sign; accepted, one shows that reading. */
  readonly wrong: readonly (readonly [string, (fields: Fields, ctx: CheckContext) => string])[];
  /** The same request without the one thing at stake; refused, it explains the refusal. */
  readonly neutral: (ctx: CheckContext) => Fields;
  readonly neutralWords: string;
  /** Whether a refusal beside an accepted neutral request is a violation by itself. */
  readonly neutralDecides: boolean;
}

/** A check of one step of the signature: signed by the rule it must be accepted. */
export function reading(options: Reading): Check {
  return {
    id: options.rule,
    rules: [options.rule],
    baseRequest: 'platform',
    unless: options.unless ?? onlyWhereAllFieldsAreSigned,
    priority: 2,
    spends: (facts) => ({ platform: 2 + readingsTried(options, facts) }),
    run: async (ctx): Promise<Finding> => {
      const fields = options.fields(ctx);
      const answer = await ctx.token({ purpose: `positive: ${options.right}`, fields });
      if (answer.outcome === 'accepted')
        return pass(`accepted, signed by the rule: ${options.right}`);
      if (answer.outcome === 'broken') return inconclusive(`no answer: ${answer.failure}`);
      return explainRefusal(ctx, options, answer);
    },
  };
}

/**
 * Neutral first: accepted, it shows that such a field may be sent and does enter the signature. Only
 * then does a refusal, or a wrong reading that is accepted, say anything about the rule.
 */
async function explainRefusal(
  ctx: CheckContext,
  options: Reading,
  refused: TokenAnswer,
): Promise<Finding> {
  const expected = `status 200 for ${options.right}, signed by the rule`;
  const neutral = await ctx.token({
    purpose: `baseline: ${options.neutralWords}`,
    fields: options.neutral(ctx),
  });
  if (neutral.outcome !== 'accepted') {
    return inconclusive(
      `${options.right} was refused, and so was ${options.neutralWords} (${describeAnswer(neutral)}): the target may refuse such a field, or leave it out of its signature (then list tokenFields in the profile)`,
    );
  }
  for (const [name, textOf] of options.wrong.slice(0, readingsTried(options, ctx.facts))) {
    const again = options.fields(ctx);
    const signedText = textOf(again, ctx);
    const answer = await ctx.token({
      purpose: `the same, signed ${name}`,
      fields: again,
      signedText,
    });
    if (answer.outcome === 'accepted') {
      const got = `it is refused with status ${refused.status}, and accepted when signed ${name}`;
      return violated(expected, got, refused.exchange);
    }
  }
  if (!options.neutralDecides) return undecided(options, refused);
  return (controls) => {
    const doubt = doubtControls(controls);
    if (doubt !== null) return inconclusive(doubt);
    const got = `it is refused with status ${refused.status}, while ${options.neutralWords} is accepted`;
    return violated(expected, got, refused.exchange);
  };
}

/** Where the neutral request decides, a wrong reading only explains, which a metered target need not pay for. */
function readingsTried(options: Reading, facts: Facts): number {
  if (!facts.metered) return options.wrong.length;
  return options.neutralDecides ? 0 : 1;
}

function undecided(options: Reading, refused: TokenAnswer): Judgement {
  return inconclusive(
    `${options.right} was refused (status ${refused.status}) in the reading of the rule and in every other that is known: the target may refuse such a value, whatever its signature`,
  );
}

/** S made from terms in the order given. */
export const joined = (terms: readonly string[]): string => terms.join('&');

/** S as the rule says, but with the term of one field replaced (null: left out). */
export function withTerm(fields: Fields, name: string, text: string | null): string {
  const rest = Object.entries(fields).filter(([field]) => field !== name);
  const terms: [string, string][] = rest.map(([field, value]) => [
    field,
    `${field}=${String(value)}`,
  ]);
  if (text !== null) terms.push([name, `${name}=${text}`]);
  return joined(terms.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, term]) => term));
}
