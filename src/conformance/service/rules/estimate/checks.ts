import { REQUIRED_ESTIMATE_PARAMETERS } from '../../../../interface/limits.ts';
import { type Judgement, pass, violated } from '../../../verdict.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import { accepts, answered, Inconclusive } from '../../contract/judge.ts';
import {
  type EstimateAnswer,
  type EstimateAttempt,
  optionalParameters,
} from '../../contract/messages.ts';
import type { Shape } from '../../contract/target.ts';
import {
  checkOnEach,
  estimateRefusals,
  type Traits,
  type Variant,
} from '../../contract/templates.ts';
import { requireSigned } from '../signed-text.ts';
import { compareRefusals } from './compare-refusals.ts';
import { departureTimePrice } from './departure-price.ts';
import { headerChecks, TOO_LONG } from './headers.ts';
import { optionalChecks } from './optional.ts';
import { COORDINATES } from './zero-coordinate.ts';

/** Parameters that are as good as absent if they are empty; a place need not have a name. */
const NEVER_EMPTY = ['product_type', 'ride_type'] as const;

/** Of a variant to which "no estimate" is an answer that follows the rule. */
const OR_NO_ESTIMATE: Traits = {
  tolerates: ({ json }) => Array.isArray(json) && json.length === 0,
};

/**
 * An empty coordinate; none where other texts pass for a number too, which breaks
 * `estimate/coordinates-numeric`.
 */
const emptyCoordinate = (name: string): Variant<EstimateAttempt> => [
  `an empty ${name}`,
  async (ctx) => {
    for (const text of ['abc', ' ']) {
      const query = ctx.query({ [name]: text });
      const answer = await ctx.estimate({ purpose: `a ${name} that is no number`, query });
      if (answer.outcome === 'accepted') return null;
    }
    return { query: ctx.query({ [name]: '' }) };
  },
  { ...OR_NO_ESTIMATE, needsMore: true },
];

/** Sent to the plainest estimate, and beside all optional parameters. */
const leftOut = (beside: boolean): readonly Variant<EstimateAttempt>[] =>
  REQUIRED_ESTIMATE_PARAMETERS.map((name) => [
    `no ${name}${beside ? ', beside each optional parameter' : ''}`,
    (ctx) => {
      const optional = beside ? optionalParameters(ctx.now()) : {};
      return { query: ctx.query({ ...optional, [name]: undefined }) };
    },
  ]);

/**
 * An answer "no estimate" for a type that is named by nothing counts as a refusal: this answer is a
 * gap.
 */
const requiredParameters = estimateRefusals({
  rule: 'estimate/required-parameters',
  baseRequest: 'estimate',
  refusedAs: 'parameter-missing',
  variants: [
    ...leftOut(false),
    ...NEVER_EMPTY.map(
      (name): Variant<EstimateAttempt> => [
        `an empty ${name}`,
        (ctx) => ({ query: ctx.query({ [name]: '' }) }),
        OR_NO_ESTIMATE,
      ],
    ),
    ...COORDINATES.map(emptyCoordinate),
    ...leftOut(true),
  ],
});

const withValue = (
  name: string,
  value: string | number,
  traits?: Traits,
): Variant<EstimateAttempt> => [
  `${name} ${String(value).trim() === '' ? JSON.stringify(value) : value}`,
  (ctx) => ({ query: ctx.query({ [name]: String(value) }) }),
  traits,
];

/**
 * Texts that are no number, though some readers take them for one. A number in other digits or in the notation of a
 * programming language is left open, and an empty text may count as absent.
 */
const NO_NUMBERS: readonly string[] = [
  '39.9x',
  '39.9.1',
  'nan',
  // In range also for a reader that takes the comma for one between thousands.
  '3,9',
  ' ',
  'inf',
  '39.9°',
  '--39.9',
  '39+1',
  'true',
  'NaN',
  'Infinity',
  '-Infinity',
  'null',
  '39 .9',
  '39.9N',
  '.',
  '-',
  '[39.9]',
  '39:54',
  '39%',
];

/** Of these, texts of what may be a number, but one that lies in no place. */
const NOWHERE: ReadonlySet<string> = new Set(['nan', 'inf', 'NaN', 'Infinity', '-Infinity']);

const coordinatesNumeric = estimateRefusals({
  rule: 'estimate/coordinates-numeric',
  baseRequest: 'estimate',
  refusedAs: 'parameter-invalid',
  variants: [
    ...COORDINATES.map((name) => withValue(name, 'abc')),
    ...NO_NUMBERS.map((text, at) =>
      withValue(
        COORDINATES[at % COORDINATES.length] ?? '',
        text,
        NOWHERE.has(text) ? OR_NO_ESTIMATE : undefined,
      ),
    ),
  ],
});

/** Just beyond the range, within that of the other coordinate, and beyond each. */
const BEYOND = { lat: [90.001, 90.5, 120, 181, 400], lng: [180.001, 180.5, 200, 361, 4000] };

/**
 * An answer "no estimate" for a place that does not exist counts as a refusal: this answer is a
 * gap.
 */
const coordinatesRange = estimateRefusals({
  rule: 'estimate/coordinates-range',
  baseRequest: 'estimate',
  refusedAs: 'parameter-invalid',
  variants: COORDINATES.flatMap((name) =>
    BEYOND[name.endsWith('lat') ? 'lat' : 'lng'].map((at, number) =>
      withValue(name, number % 2 === 0 ? at : -at, OR_NO_ESTIMATE),
    ),
  ),
});

/** Requests of one product, where requests are free; a metered target gets one that brings a record. */
const PRODUCT_SAMPLES = 8;

/** Empty lists in a row that show that a product gets no estimate: a target may have no car at times. */
const EMPTY_SAMPLES = 24;

/** Judges whether a product gets an estimate, requested as in the profile. */
const product = (rule: string, type: string, shape: Shape, otherShape: Shape): Check =>
  checkOnEach({
    rule,
    acceptance: 'demanded',
    baseRequest: 'estimate',
    isMeant: ({ setting }) => setting.shape === undefined,
    needs: { shape },
    priority: { rank: 2 },
    run: async (ctx) => {
      const query = ctx.query({}, shape);
      const what = `an estimate of product type ${type}`;
      const ask = () => ctx.estimate({ purpose: what, query, shape, wellFormed: true });
      let seen = 0;
      let empty: EstimateAnswer | null = null;
      for (let sample = 0; sample < (seen > 0 ? PRODUCT_SAMPLES : EMPTY_SAMPLES); sample++) {
        const answer = await ask();
        if (answer.outcome === 'refused') await requireNoDemand(ctx, what, query);
        if (answer.outcome !== 'accepted')
          return ctx.facts.shapes.includes(otherShape) && answer.outcome === 'refused'
            ? judgeRefused(
                ctx,
                what,
                ask,
                () =>
                  ctx.estimate({
                    purpose: 'baseline: an estimate of the other product type',
                    query: ctx.query({}, otherShape),
                    shape: otherShape,
                    wellFormed: true,
                  }),
                'one of the other product type',
              )
            : (baseline) => accepts(what, answer, baseline);
        const { product_type: asked } = query;
        if (asked !== type)
          throw new Inconclusive(
            `the profile's query asks for product type ${asked}, not for ${type}`,
          );
        requireArray(answer);
        empty ??= answer.records.length === 0 ? answer : null;
        seen += answer.records.length;
        if (seen > 0 && ctx.facts.metered) break;
      }
      // That no ride is free at times is an answer that the interface leaves open.
      if (seen === 0)
        return violated(
          `an estimate for ${type}`,
          `status 200 without any record, ${EMPTY_SAMPLES} times`,
          empty?.exchange,
        );
      return pass(`${seen} record(s) for ${type}`);
    },
  });

/** A product that is refused for an optional parameter is judged by the rules on these. */
async function requireNoDemand(
  ctx: CheckContext,
  what: string,
  query: Readonly<Record<string, string>>,
): Promise<void> {
  for (let again = 0; again < 2; again++) {
    const purpose = `${what} once more`;
    const without = await ctx.estimate({ purpose, query, wellFormed: true });
    if (without.outcome !== 'refused') return;
  }
  const having = await ctx.estimate({
    purpose: `${what} with each optional parameter`,
    query: { ...query, ...optionalParameters(ctx.now()) },
    wellFormed: true,
  });
  if (having.outcome === 'accepted')
    throw new Inconclusive(`${what} is accepted only with a parameter that may be left out`);
}

/** Compares a request that was refused with a base request that should be accepted as well. */
async function judgeRefused(
  { facts }: CheckContext,
  what: string,
  ask: () => Promise<EstimateAnswer>,
  askOther: () => Promise<EstimateAnswer>,
  other: string,
): Promise<Judgement> {
  const { isDistinct, refusal, words } = await compareRefusals(facts, ask, askOther, other);
  if (!isDistinct || !refusal)
    throw new Inconclusive(`${what} was refused, but not for that: it was refused ${words}`);
  return violated(
    `status 200 for ${what}`,
    `${what} was refused with status ${refusal.status}, ${words}`,
    refusal.exchange,
  );
}

function requireArray({ truncated, json, records }: EstimateAnswer): void {
  if (truncated) throw new Inconclusive(TOO_LONG);
  if (!Array.isArray(json) || records.length < json.length)
    throw new Inconclusive('the body is not a JSON array of objects (see record/array)');
}

const PLACES = [
  ['天安门广场东侧', '北京首都国际机场3号航站楼'],
  ['Красная площадь', 'ميدان التحرير'],
  ['Zürich Flughafen', 'सड़क 🚕'],
  ['Gate 1, west', 'Pier 2, north'],
] as const;

const nonAsciiNames = checkOnEach({
  rule: 'estimate/non-ascii-names',
  acceptance: 'demanded',
  baseRequest: 'estimate',
  run: async (ctx, { baseRequest, setting: { shape, afterRefresh } }) => {
    const isTurned =
      (baseRequest === 'user-estimate') !== (afterRefresh === true || shape !== undefined);
    for (const [one, other] of PLACES) {
      // Each script is named for the start here, and for the destination there.
      const [from_name, to_name] = isTurned ? [other, one] : [one, other];
      const what = `the place names ${from_name} and ${to_name}`;
      const ask = (names: Readonly<Record<string, string>>, purpose: string) =>
        ctx.estimate({ purpose, query: ctx.query(names), shape, wellFormed: true });
      const named = () => ask({ from_name, to_name }, `positive: ${what}`);
      const answer = answered(await named(), what);
      if (answer.outcome === 'refused' && baseRequest === 'user-estimate') {
        await requireDecoded(ctx, ctx.query({ from_name, to_name }), what);
        const purpose = `a further parameter in place of ${what}`;
        if (ctx.facts.estimateFields === 'all')
          await requireSigned(what, `${from_name} ${to_name}`, (note) =>
            ctx.estimate({ purpose, query: ctx.query({ note }) }),
          );
      }
      if (answer.outcome === 'refused')
        return judgeRefused(
          ctx,
          what,
          named,
          () => ask({}, 'baseline: the same with names of ASCII letters'),
          'the same with names of ASCII letters',
        );
    }
    return pass(
      'place names in Chinese, Cyrillic, Arabic, Latin and Devanagari script, and with spaces and commas, were accepted',
    );
  },
});

/** @throws Inconclusive if the target's signature covers the values as the query spells them */
async function requireDecoded(
  ctx: CheckContext,
  query: Record<string, string>,
  what: string,
): Promise<void> {
  const spelled = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, encodeURIComponent(value)]),
  );
  const purpose = `the same, signed as the query spells it: ${what}`;
  const answer = await ctx.estimate({
    purpose,
    expects: 'refused',
    query,
    signature: ctx.signEstimate(spelled),
  });
  if (answer.outcome === 'accepted')
    throw new Inconclusive('the target signs the values as the query spells them');
}

const versionPrefix = estimateRefusals({
  rule: 'estimate/version-prefix',
  baseRequest: 'estimate',
  refusedAs: 'path-unknown',
  variants: [['the path without /v1', () => ({ path: '/estimates/prices' })]],
});

/** Checks of the area `estimate` (interface.md, "2. Estimate prices"). */
export const estimateChecks: readonly Check[] = [
  ...headerChecks,
  requiredParameters,
  coordinatesNumeric,
  coordinatesRange,
  ...optionalChecks,
  departureTimePrice,
  product('estimate/private-car', 'private-car', 'plain', 'express'),
  product('estimate/express-car', 'express-car', 'express', 'plain'),
  nonAsciiNames,
  versionPrefix,
];
