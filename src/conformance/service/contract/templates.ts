import {
  type BaseRequest,
  type Check,
  type CheckContext,
  type Findings,
  roomOn,
  type Setting,
  type Spending,
  spendingOf,
  times,
} from './check.ts';
import { accepts, judgeRefusals, type Negative } from './judge.ts';
import type { Answer, EstimateAttempt, TokenAttempt } from './messages.ts';
import { type Facts, plainestOf, type Shape } from './target.ts';

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
    return isFirst ? check : { ...check, id: partId(rule, baseRequest, setting, 0) };
  };
  return {
    ...one(preferred),
    whereFree: ({ shapes }) =>
      basesLike(preferred, shapes)
        .filter(([baseRequest, setting = {}]) => isMeant({ baseRequest, setting }))
        .map(([baseRequest, setting]) => one(baseRequest, setting)),
  };
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
  const { rule, baseRequest, variants } = options;
  const part = (base: Base, setting: Setting | undefined, number: number): Check => {
    const room = roomOn(base) ?? variants.length;
    const isFirst = base === baseRequest && !setting && number === 0;
    const check = refusalsOnOne(
      {
        ...options,
        baseRequest: base,
        variants: variants.slice(number * room, (number + 1) * room),
        metered: undefined,
      },
      send,
    );
    return { ...check, setting, id: isFirst ? rule : partId(rule, base, setting, number) };
  };
  return {
    ...refusalsOnOne(options, send),
    whereFree: ({ shapes }) =>
      basesLike(baseRequest, shapes).flatMap(([base, setting]) => {
        const parts = Math.ceil(variants.length / (roomOn(base) ?? variants.length));
        return Array.from({ length: parts }, (_, number) => part(base as Base, setting, number));
      }),
  };
}

type Send<Attempt> = (
  ctx: CheckContext,
  variation: Variation<Attempt>,
  purpose: string,
) => Promise<Answer>;

/** Base requests that a rule holds on as it holds on one of them, each with its settings. */
function basesLike(
  baseRequest: BaseRequest,
  shapes: readonly Shape[],
): readonly (readonly [BaseRequest, (Setting | undefined)?])[] {
  const ofUser = { ofUser: true } as const;
  if (baseRequest === 'platform') return [['platform'], ['refresh'], ['refresh', ofUser], ['user']];
  if (baseRequest === 'refresh') return [['refresh'], ['refresh', ofUser]];
  if (baseRequest === 'user') return [['user']];
  const settings: readonly (Setting | undefined)[] = [
    undefined,
    { afterRefresh: true },
    ...shapes.filter((shape) => shape !== plainestOf(shapes)).map((shape) => ({ shape })),
  ];
  const bases: readonly BaseRequest[] =
    baseRequest === 'estimate' ? ['estimate', 'user-estimate'] : [baseRequest];
  return bases.flatMap((base) => settings.map((setting) => [base, setting] as const));
}

function partId(
  rule: string,
  base: BaseRequest,
  { shape, afterRefresh, ofUser }: Setting = {},
  number: number,
): string {
  const words = [
    base,
    ...(shape === undefined ? [] : [shape]),
    ...(afterRefresh ? ['refreshed'] : []),
    ...(ofUser ? ['of-user'] : []),
    ...(number === 0 ? [] : [number + 1]),
  ];
  return `${rule}@${words.join(':')}`;
}

function refusalsOnOne<Base extends BaseRequest, Attempt>(
  {
    variants,
    metered = variants.length,
    each,
    tolerate,
    ...options
  }: RefusalOptions<Base, Attempt>,
  send: Send<Attempt>,
): Check {
  const most = (facts: Facts): number => (facts.metered ? metered : variants.length);
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
        // One accepted is a violation; further requests only show how often, and may cost.
        const isBreach = answer.outcome === 'accepted' && !tolerate?.(answer, wrong);
        if (isBreach && ctx.facts.metered) break;
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
