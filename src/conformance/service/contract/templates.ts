import type { Answer } from './answer.ts';
import type { BaseRequest } from './base-request.ts';
import type { Check } from './check.ts';
import type { CheckContext } from './context.ts';
import { accepts, judgeRefusals, type Negative } from './judge.ts';
import type { EstimateAttempt, TokenAttempt } from './request.ts';
import { type Spending, spendingOf, times } from './spending.ts';
import type { Facts } from './target.ts';

/** Options of a check of one rule; without `spends` it sends no token request. */
export type CheckOptions = Omit<Check, 'id' | 'rules' | 'spends'> & {
  readonly rule: string;
  readonly spends?: Spending | Check['spends'] | undefined;
};

/** A check of one rule. */
export function checkOf({ rule, spends = {}, ...options }: CheckOptions): Check {
  const spending = typeof spends === 'function' ? spends : () => spends;
  return { ...options, id: rule, rules: [rule], spends: spending };
}

/** A variation of the base request, and a description of what is wrong with it. */
type Variant<Attempt> = Partial<Omit<Attempt, 'purpose'>> & {
  /** Such as `a nostr of 5 characters`. */
  readonly wrong: string;
};

/** Options of a check of requests that must be refused. */
export interface RefusalOptions<Base extends BaseRequest, Attempt>
  extends Pick<Check, 'alsoOn' | 'needs' | 'unless' | 'priority' | 'refusedAs'> {
  readonly rule: string;
  readonly baseRequest: Base;
  /**
   * The variants, the most conclusive first; omitted fields or query are those of the base request.
   */
  readonly variants: (
    ctx: CheckContext,
  ) => readonly Variant<Attempt>[] | Promise<readonly Variant<Attempt>[]>;
  /** Number of variants, and of those that a metered target gets (default: all). */
  readonly count: number;
  readonly metered?: number | undefined;
  /** Spending of one variant; default that of the base request. */
  readonly each?: Spending | undefined;
  /** True for an answer that is not a refusal but still follows the rule, such as an empty list. */
  readonly tolerate?: ((answer: Answer) => boolean) | undefined;
}

/** A check of variations of a token request that must be refused. */
export const refusals = (
  options: RefusalOptions<'platform' | 'refresh' | 'user', TokenAttempt>,
): Check =>
  refusalCheck(options, (ctx, variant, purpose) =>
    ctx.token({ ...variant, fields: variant.fields ?? ctx.base(), purpose }),
  );

/** A check of variations of an estimate request that must be refused. */
export const estimateRefusals = (
  options: RefusalOptions<'estimate' | 'user-estimate', EstimateAttempt>,
): Check =>
  refusalCheck(options, (ctx, variant, purpose) =>
    ctx.estimate({ ...variant, query: variant.query ?? ctx.query(), purpose }),
  );

function refusalCheck<Base extends BaseRequest, Attempt>(
  { variants, count, metered = count, each, tolerate, ...options }: RefusalOptions<Base, Attempt>,
  send: (ctx: CheckContext, variant: Variant<Attempt>, purpose: string) => Promise<Answer>,
): Check {
  const most = (facts: Facts): number => (facts.metered ? metered : count);
  return checkOf({
    ...options,
    spends: (facts, base) => times(each ?? spendingOf(base), most(facts)),
    run: async (ctx) => {
      const negatives: Negative[] = [];
      for (const variant of (await variants(ctx)).slice(0, most(ctx.facts))) {
        const { wrong } = variant;
        const answer = await send(ctx, variant, `negative: ${wrong}`);
        negatives.push({ wrong, answer });
        // An accepted one is a violation; further requests would only cost.
        if (answer.outcome === 'accepted' && !tolerate?.(answer)) break;
      }
      return (baseline) => judgeRefusals(negatives, baseline, tolerate);
    },
  });
}

/** A check of one request that must succeed. */
export function acceptance({
  right,
  send,
  ...options
}: Omit<CheckOptions, 'run'> & {
  /** Description of the request, such as `a _ that is 9 min 50 s old`. */
  readonly right: string;
  readonly send: (ctx: CheckContext, purpose: string) => Promise<Answer>;
}): Check {
  return checkOf({
    spends: spendingOf(options.baseRequest),
    ...options,
    run: async (ctx) => {
      const answer = await send(ctx, `positive: ${right}`);
      return (baseline) => accepts(right, answer, baseline);
    },
  });
}
