import {
  type BaseRequest,
  type Check,
  type CheckContext,
  type Findings,
  isFree,
  type Place,
  type Price,
  partsOf,
  placeOn,
  roomOn,
  type Setting,
  type Spending,
  spendingOf,
  times,
} from './check.ts';
import { accepts, judgeRefusals, type Negative, Untestable } from './judge.ts';
import type { Answer, EstimateAttempt, TokenAttempt } from './messages.ts';
import { partId, partsWhereFree, placeId, placesLike } from './parts.ts';
import type { Facts } from './target.ts';

/** Options of a check of one rule; without `spends` it sends no token request. */
export type CheckDefinition = Omit<Check, 'id' | 'rules' | 'places' | 'spends'> & {
  readonly rule: string;
  readonly baseRequest: BaseRequest;
  readonly setting?: Setting | undefined;
  /** Alternative base requests if the preferred one has no allowance left. */
  readonly alsoOn?: readonly BaseRequest[] | undefined;
  readonly spends?: Price | Check['spends'];
};

/** A check of one rule. */
export function checkOf({
  rule,
  baseRequest,
  setting,
  alsoOn = [],
  spends,
  ...options
}: CheckDefinition): Check {
  const spending = typeof spends === 'object' ? () => spends : spends;
  const others = alsoOn.map((base) => placeOn(base));
  const places = [placeOn(baseRequest, setting), ...others] as const;
  return { ...options, id: rule, rules: [rule], places, spends: spending };
}

/**
 * A check of one rule that holds on both headers, in each shape and after a refresh: it runs on each
 * of them, on a metered target as further parts.
 */
export function checkOnEach({
  isMeant = () => true,
  run,
  ...options
}: Omit<CheckDefinition, 'run'> & {
  /** True for the places that the rule holds on; left out, all like its own. */
  readonly isMeant?: ((place: Place) => boolean) | undefined;
  readonly run: (ctx: CheckContext, place: Place) => Promise<Findings>;
}): Check {
  const one = (place: Place): Check =>
    checkOf({ ...options, ...place, run: (ctx) => run(ctx, place) });
  const own = one(placeOn(options.baseRequest));
  return {
    ...own,
    parts: ({ shapes }) =>
      placesLike(options.baseRequest, shapes)
        .filter(isMeant)
        .map((place, at) => (at === 0 ? own : { ...one(place), id: partId(options.rule, place) })),
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
  traits?: Traits | undefined,
];

/** Traits of a single variant. */
export interface Traits {
  /** True if it needs more than its own request, such as another partner's token. */
  readonly needsMore?: true | undefined;
  /** True for an answer that is not a refusal but still follows the rule, such as an empty list. */
  readonly tolerates?: ((answer: Answer) => boolean) | undefined;
  /** Examines an accepted answer by one more request, see {@link RequireProof}. */
  readonly requireProof?: RequireProof | undefined;
  /** True if a service that follows the rules may accept it, as the proof then finds out. */
  readonly isOpen?: true | undefined;
}

/** Examines an answer that seems to break a rule; `words` describe its request. */
export type RequireProof = (
  ctx: CheckContext,
  answer: Answer,
  words: string,
) => void | Promise<void>;

type Variation<Attempt> = Partial<Omit<Attempt, 'purpose'>>;

/** Options of a check of requests that must be refused. */
export interface RefusalOptions<Base extends BaseRequest, Attempt>
  extends Pick<CheckDefinition, 'alsoOn' | 'needs' | 'priority' | 'refusedAs'> {
  readonly rule: string;
  readonly baseRequest: Base;
  /** Each is a request; the most conclusive first. A metered target gets the others if it can. */
  readonly variants: readonly Variant<Attempt>[];
  /** Spending of one variant; that of the base request where left out. */
  readonly each?: Spending | undefined;
  /** Called with an accepted answer; throws Inconclusive if another cause may explain it. Sends nothing. */
  readonly requireProof?: RequireProof | undefined;
}

/** A request of either kind. */
export type AnyAttempt = TokenAttempt & Omit<EstimateAttempt, 'contentType'>;

/** A check of requests that must be refused, with the variants that it sends. */
interface RefusalCheck extends Check {
  readonly variants: readonly Variant<AnyAttempt>[];
}

/** Variants that a check sends; none for one that is no check of refusals. */
export const variantsOf = (check: Check): RefusalCheck['variants'] =>
  (check as Partial<RefusalCheck>).variants ?? [];

/**
 * The same variant several times: where it is the only one of its kind, a target that accepts one of
 * five is seen by no fewer than ten.
 */
export function repeated<Attempt>(
  variant: Variant<Attempt>,
  count: number,
): readonly Variant<Attempt>[] {
  return Array.from({ length: count }, () => variant);
}

/** A check of variations of a token request that must be refused. */
export const refusals = (
  options: RefusalOptions<'platform' | 'refresh' | 'user', TokenAttempt>,
): RefusalCheck =>
  refusalCheck(options, (ctx, variation, purpose) =>
    ctx.token({
      ...variation,
      fields: variation.fields ?? ctx.base(),
      purpose,
      expects: 'refused',
    }),
  );

/** A check of variations of an estimate request that must be refused. */
export const estimateRefusals = (
  options: RefusalOptions<'estimate' | 'user-estimate', EstimateAttempt>,
): RefusalCheck =>
  refusalCheck(options, (ctx, variation, purpose) =>
    ctx.estimate({
      ...variation,
      query: variation.query ?? ctx.query(),
      purpose,
      expects: 'refused',
    }),
  );

/** Spending of one variant: one that counts for nobody sends an auth code all the same. */
const spendingOfEach = (base: BaseRequest, each: Spending = spendingOf(base)): Spending =>
  base === 'user' ? { codes: 1, ...each } : each;

/** Price of requests that are to be refused. */
const refused = (spending: Spending): Price => ({ ...spending, isRefused: true });

function refusalCheck<Base extends BaseRequest, Attempt>(
  options: RefusalOptions<Base, Attempt>,
  send: Send<Attempt>,
): RefusalCheck {
  const { baseRequest } = options;
  const make = (place: Place, some: readonly Variant<Attempt>[]): Check => ({
    ...refusalsOnOne({ ...options, baseRequest: place.baseRequest as Base, variants: some }, send),
    places: [place],
  });
  const own = refusalsOnOne(options, send);
  const isEstimate = roomOn(baseRequest) === undefined;
  return {
    ...own,
    variants: options.variants,
    parts: (facts) => {
      if (facts.metered && !isEstimate)
        return [own, ...furtherRefusals(options, placesLike(baseRequest, facts.shapes), make)];
      const parts = partsWhereFree(options, facts.shapes, make);
      return facts.metered ? [own, ...parts.slice(1)] : parts;
    },
  };
}

const scoped = [undefined, true] as const;

/**
 * One further part for each other variant, on any place, then one for the most conclusive variant on
 * each place but its own. Those that count for nobody stay on their own: they need no other's room.
 */
function furtherRefusals<Base extends BaseRequest, Attempt>(
  { rule, variants, each }: RefusalOptions<Base, Attempt>,
  [own, ...others]: readonly [Place, ...Place[]],
  make: (place: Place, variants: readonly Variant<Attempt>[]) => Check,
): Check[] {
  const partOfOne = (
    variant: Variant<Attempt>,
    id: string,
    [first, ...places]: readonly Place[],
  ): Check => ({
    ...make(own, [variant]),
    id: `${rule}:${id}`,
    places: [first ?? own, ...places],
    spends: (_facts, base) => {
      const proofs = variant[2]?.requireProof ? 1 : 0;
      return refused(times(spendingOfEach(base, each), 1 + proofs));
    },
  });
  const [first, ...rest] = variants;
  const isOfUser = ({ baseRequest, setting }: Place): boolean =>
    baseRequest === 'user' || setting.ofUser === true;
  // What counts against each allowance leaves the smallest to itself: a baseline would take from it.
  const takesUser = (each?.user ?? 0) > 0 && own.baseRequest === 'platform';
  /** Every other variant names a scope where it is sent as a platform request. */
  const placesOf = (at: number): readonly Place[] =>
    each !== undefined && isFree(each)
      ? [own]
      : [own, ...others]
          .filter(
            ({ baseRequest, setting }) =>
              baseRequest !== 'platform' || setting.withScope === scoped[at % 2],
          )
          .filter((place) => !takesUser || !isOfUser(place))
          .sort((a, b) => isElsewhere(a) - isElsewhere(b));
  const isElsewhere = ({ baseRequest }: Place): number => Number(baseRequest !== own.baseRequest);
  return [
    ...rest.flatMap((variant, at) =>
      variant[2]?.needsMore ? [] : [partOfOne(variant, String(at + 2), placesOf(at))],
    ),
    ...others.flatMap((place) => (first ? [partOfOne(first, `1:${placeId(place)}`, [place])] : [])),
  ];
}

type Send<Attempt> = (
  ctx: CheckContext,
  variation: Variation<Attempt>,
  purpose: string,
) => Promise<Answer>;

function refusalsOnOne<Base extends BaseRequest, Attempt>(
  { variants, each, requireProof, ...options }: RefusalOptions<Base, Attempt>,
  send: Send<Attempt>,
): Check {
  const isEstimate = options.baseRequest === 'estimate' || options.baseRequest === 'user-estimate';
  /** A metered target gets the most conclusive token request only; the others are further parts. */
  const most = (facts: Facts): number => (facts.metered && !isEstimate ? 1 : variants.length);
  return checkOf({
    ...options,
    spends: (facts, base) => refused(times(spendingOfEach(base, each), most(facts))),
    run: async (ctx) => {
      const negatives: Negative[] = [];
      for (const [wrong, vary, traits] of variants) {
        if (negatives.length === most(ctx.facts)) break;
        const variation = await vary(ctx);
        if (!variation) continue;
        const answer = await send(ctx, variation, `negative: ${wrong}`);
        const isTolerated = traits?.tolerates?.(answer);
        negatives.push({ wrong, answer, isTolerated });
        if (answer.outcome !== 'accepted' || isTolerated) continue;
        await (traits?.requireProof ?? requireProof)?.(ctx, answer, wrong);
        // One accepted is a violation; further requests only show how often, and may cost.
        if (ctx.facts.metered) break;
      }
      if (negatives.length === 0) throw nothingToVary(variants);
      return (baseline) => judgeRefusals(negatives, baseline);
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
  const own = acceptancesOnOne(options, placeOn(baseRequest), variants.slice(0, 1));
  return {
    ...own,
    parts: ({ metered, shapes }) =>
      metered
        ? [own]
        : partsWhereFree(options, shapes, (place, some) => acceptancesOnOne(options, place, some)),
  };
}

function acceptancesOnOne(
  { requireProof, variants: _all, ...options }: AcceptanceOptions,
  place: Place,
  variants: readonly Variant<TokenAttempt>[],
): Check {
  return checkOf({
    ...options,
    ...place,
    acceptance: 'demanded',
    spends: times(spendingOf(place.baseRequest), variants.length),
    run: async (ctx) => {
      const accepted: string[] = [];
      let last: Answer | undefined;
      for (const [right, vary] of variants) {
        const variation = await vary(ctx);
        if (!variation) continue;
        const fields = variation.fields ?? ctx.base();
        const answer = await ctx.token({
          ...variation,
          fields,
          purpose: `positive: ${right}`,
          expects: 'accepted',
        });
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
 *
 * @param further those of them that a metered target gets too, with their spending
 */
export function withParts(
  check: Check,
  parts: readonly Check[],
  further: readonly Check[] = [],
): Check {
  return {
    ...check,
    parts: (facts) => [...partsOf(check, facts), ...(facts.metered ? further : parts)],
  };
}

/** Options of {@link partOf}. */
export type PartOptions = Omit<CheckDefinition, 'baseRequest' | 'setting' | 'spends'> & {
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
  const place = { baseRequest: 'standalone', setting: { circumstance } } as const;
  return { ...checkOf({ ...options, ...place, rule }), id: `${rule}@${name}` };
}
