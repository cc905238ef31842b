import {
  type BaseRequest,
  type Check,
  type CheckContext,
  type Findings,
  type Setting,
  type Spending,
  spendingOf,
  times,
} from './check.ts';
import { accepts, judgeRefusals, type Negative, Undecided, Untestable } from './judge.ts';
import type { Answer, EstimateAttempt, TokenAttempt } from './messages.ts';
import { basesLike, otherShapes, partId, partsWhereFree } from './parts.ts';
import type { Facts, Shape } from './target.ts';

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

/** Base request and setting that a check runs on. */
export interface RunsOn {
  readonly baseRequest: BaseRequest;
  readonly setting: Setting;
}

/**
 * A check of one rule that holds on both headers, in each shape and after a refresh: where requests
 * are free, it runs on each of them.
 */
export function checkOnEach({
  isMeant = () => true,
  run,
  ...options
}: Omit<CheckOptions, 'run'> & {
  /** True for the base requests that the rule holds on; left out, all like its own. */
  readonly isMeant?: ((on: RunsOn) => boolean) | undefined;
  readonly run: (ctx: CheckContext, on: RunsOn) => Promise<Findings>;
}): Check {
  const { rule, baseRequest: preferred } = options;
  const one = (baseRequest: BaseRequest, setting?: Setting): Check => {
    const on = { baseRequest, setting: setting ?? {} };
    const check = checkOf({ ...options, baseRequest, setting, run: (ctx) => run(ctx, on) });
    const isFirst = baseRequest === preferred && !setting;
    return isFirst ? check : { ...check, id: partId(rule, baseRequest, setting) };
  };
  const isMeantIn = (shape: Shape): boolean =>
    isMeant({ baseRequest: preferred, setting: { shape } });
  return {
    ...one(preferred),
    run: async (ctx) => {
      const findings = await run(ctx, { baseRequest: preferred, setting: {} });
      const isPass = 'verdict' in findings && findings.verdict === 'pass';
      if (!ctx.facts.metered || !isPass) return findings;
      for (const shape of otherShapes(ctx.facts.shapes).filter(isMeantIn)) {
        const on = { baseRequest: preferred, setting: { shape } };
        const further = await unlessUndecided(() => run(inShape(ctx, shape), on));
        if (further && 'verdict' in further && further.verdict === 'violated') return further;
      }
      return findings;
    },
    whereFree: ({ shapes }) =>
      basesLike(preferred, shapes)
        .filter(([baseRequest, setting = {}]) => isMeant({ baseRequest, setting }))
        .map(([baseRequest, setting]) => one(baseRequest, setting)),
  };
}

/** The same context, with another shape for its queries. */
function inShape(ctx: CheckContext, shape: Shape): CheckContext {
  const query: CheckContext['query'] = (changes, own = shape) => ctx.query(changes, own);
  return Object.create(ctx, { query: { value: query } }) as CheckContext;
}

async function unlessUndecided<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Undecided) return null;
    throw error;
  }
}

/**
 * A variation of the base request: in words what is wrong with it, such as `a nostr of 5 characters`,
 * and what it changes; null if this target has nothing to vary. Fields or a query that are left
 * out are the base request's.
 */
export type Variant<Attempt> = readonly [
  wrong: string,
  vary: (ctx: CheckContext) => Variation<Attempt> | null | Promise<Variation<Attempt> | null>,
];

/** Examines an answer that seems to break a rule; `words` describe its request. */
export type RequireProof = (
  ctx: CheckContext,
  answer: Answer,
  words: string,
) => void | Promise<void>;

type Variation<Attempt> = Partial<Omit<Attempt, 'purpose'>>;

/** Options of a check of requests that must be refused. */
export interface RefusalOptions<Base extends BaseRequest, Attempt>
  extends Pick<Check, 'alsoOn' | 'needs' | 'unless' | 'priority' | 'refusedAs'> {
  readonly rule: string;
  readonly baseRequest: Base;
  /** Each is a request; the most conclusive first. */
  readonly variants: readonly Variant<Attempt>[];
  /** Number of requests to a metered target; left out, all. */
  readonly metered?: number | undefined;
  /** Spending of one variant; that of the base request where left out. */
  readonly each?: Spending | undefined;
  /**
   * True for an answer that is not a refusal but still follows the rule, such as an empty list;
   * `wrong` names its variant.
   */
  readonly tolerate?: ((answer: Answer, wrong: string) => boolean) | undefined;
  /** Called with an accepted answer; throws Inconclusive if another cause may explain it. */
  readonly requireProof?: RequireProof | undefined;
}

/** A check of variations of a token request that must be refused. */
export const refusals = (
  options: RefusalOptions<'platform' | 'refresh' | 'user', TokenAttempt>,
): Check =>
  refusalCheck(options, (ctx, variation, purpose) =>
    ctx.token({ ...variation, fields: variation.fields ?? ctx.base(), purpose }),
  );

/** A check of variations of an estimate request that must be refused. */
export const estimateRefusals = (
  options: RefusalOptions<'estimate' | 'user-estimate', EstimateAttempt>,
): Check =>
  refusalCheck(options, (ctx, variation, purpose) =>
    ctx.estimate({ ...variation, query: variation.query ?? ctx.query(), purpose }),
  );

function refusalCheck<Base extends BaseRequest, Attempt>(
  options: RefusalOptions<Base, Attempt>,
  send: Send<Attempt>,
): Check {
  return {
    ...refusalsOnOne(options, send),
    whereFree: ({ shapes }) =>
      partsWhereFree(options, shapes, (base, variants) =>
        refusalsOnOne(
          { ...options, baseRequest: base as Base, variants, metered: undefined },
          send,
        ),
      ),
  };
}

type Send<Attempt> = (
  ctx: CheckContext,
  variation: Variation<Attempt>,
  purpose: string,
) => Promise<Answer>;

/** Variants in each shape besides the plainest, to a metered target. */
const METERED_IN_SHAPE = 2;

function refusalsOnOne<Base extends BaseRequest, Attempt>(
  {
    variants,
    metered = variants.length,
    each,
    tolerate,
    requireProof,
    ...options
  }: RefusalOptions<Base, Attempt>,
  send: Send<Attempt>,
): Check {
  const most = (facts: Facts): number => (facts.metered ? metered : variants.length);
  const isEstimate = options.baseRequest === 'estimate' || options.baseRequest === 'user-estimate';
  /**
   * An accepted one of a few variants in the other shapes; null if there is none. They cost nothing,
   * and have no baseline: their refusal proves nothing.
   */
  const breachInShapes = async (ctx: CheckContext): Promise<Negative | null> => {
    const shapes = isEstimate ? otherShapes(ctx.facts.shapes) : [];
    for (const [at, shape] of shapes.entries()) {
      for (let number = 0; number < Math.min(METERED_IN_SHAPE, variants.length); number++) {
        const [what, vary] = variants[(at * METERED_IN_SHAPE + number) % variants.length] ?? [];
        const shaped = inShape(ctx, shape);
        const variation = (await vary?.(shaped)) ?? null;
        if (what === undefined || variation === null) continue;
        const wrong = `${what}, in the shape ${shape}`;
        const answer = await send(shaped, variation, `negative: ${wrong}`);
        if (answer.outcome === 'accepted' && !tolerate?.(answer, wrong)) return { wrong, answer };
      }
    }
    return null;
  };
  return checkOf({
    ...options,
    spends: (facts, base) => times(each ?? spendingOf(base), most(facts)),
    run: async (ctx) => {
      const negatives: Negative[] = [];
      for (const [wrong, vary] of variants) {
        if (negatives.length === most(ctx.facts)) break;
        const variation = await vary(ctx);
        if (!variation) continue;
        const answer = await send(ctx, variation, `negative: ${wrong}`);
        negatives.push({ wrong, answer });
        if (answer.outcome !== 'accepted' || tolerate?.(answer, wrong)) continue;
        await requireProof?.(ctx, answer, wrong);
        // One accepted is a violation; further requests only show how often, and may cost.
        if (ctx.facts.metered) break;
      }
      if (negatives.length === 0) throw nothingToVary(variants);
      const isBroken = negatives.some(
        ({ wrong, answer }) => answer.outcome === 'accepted' && !tolerate?.(answer, wrong),
      );
      const breach = ctx.facts.metered && !isBroken ? await breachInShapes(ctx) : null;
      if (breach) negatives.unshift(breach);
      return (baseline) => judgeRefusals(negatives, baseline, tolerate);
    },
  });
}

/** Options of a check of variations of a token request that must be accepted. */
export interface AcceptanceOptions extends Pick<Check, 'needs'> {
  readonly rule: string;
  readonly baseRequest: 'platform' | 'refresh' | 'user';
  /** Each is a request; the most conclusive first, which is the only one to a metered target. */
  readonly variants: readonly Variant<TokenAttempt>[];
  /** Called with a refused answer; throws Inconclusive if another cause may explain it. */
  readonly requireProof?: RequireProof | undefined;
}

/** A check of variations of a token request that must be accepted. */
export function acceptances(options: AcceptanceOptions): Check {
  const { baseRequest, variants } = options;
  return {
    ...acceptancesOnOne(options, baseRequest, variants.slice(0, 1)),
    whereFree: ({ shapes }) =>
      partsWhereFree(options, shapes, (base, some) => acceptancesOnOne(options, base, some)),
  };
}

function acceptancesOnOne(
  { requireProof, variants: _all, ...options }: AcceptanceOptions,
  baseRequest: BaseRequest,
  variants: readonly Variant<TokenAttempt>[],
): Check {
  return checkOf({
    ...options,
    baseRequest,
    spends: times(spendingOf(baseRequest), variants.length),
    run: async (ctx) => {
      const accepted: string[] = [];
      let last: Answer | undefined;
      for (const [right, vary] of variants) {
        const variation = await vary(ctx);
        if (!variation) continue;
        const fields = variation.fields ?? ctx.base();
        const answer = await ctx.token({ ...variation, fields, purpose: `positive: ${right}` });
        if (answer.outcome === 'refused') await requireProof?.(ctx, answer, right);
        if (answer.outcome !== 'accepted') return (baseline) => accepts(right, answer, baseline);
        accepted.push(right);
        last = answer;
      }
      if (!last) throw nothingToVary(variants);
      const answer = last;
      return (baseline) => accepts(accepted.join('; '), answer, baseline);
    },
  });
}

function nothingToVary(variants: readonly Variant<unknown>[]): Untestable {
  const what = variants.map(([words]) => words).join('; ');
  return new Untestable(`this target gives nothing to make such requests of: ${what}`);
}

/**
 * A check that has further ones beside it where requests are free. They judge some of its rules in other
 * circumstances, as further parts of the same judgement.
 */
export function withParts(check: Check, parts: readonly Check[]): Check {
  return { ...check, whereFree: () => [check, ...parts] };
}

/** Options of {@link partOf}. */
export type PartOptions = Omit<CheckOptions, 'baseRequest' | 'spends'> & {
  /** Part of its id: permanent. */
  readonly name: string;
  /** Circumstance in words, such as `after a minute`. */
  readonly circumstance: string;
};

/**
 * A further part of a check, see {@link withParts}. It runs only where requests are free, each as a fresh
 * partner, so it declares no spending.
 */
export function partOf({ name, circumstance, rule, ...options }: PartOptions): Check {
  const id = `${rule}@${name}`;
  return { ...options, ...STANDALONE, id, rules: [rule], setting: { circumstance } };
}

const STANDALONE = { baseRequest: 'standalone', spends: () => ({}) } as const;
