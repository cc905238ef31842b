import { REQUIRED_ESTIMATE_PARAMETERS } from '../../../../interface/limits.ts';
import { pass, violated } from '../../../verdict.ts';
import type { Check } from '../../contract/check.ts';
import { accepts, answered, Inconclusive } from '../../contract/judge.ts';
import {
  describeAnswer,
  type EstimateAnswer,
  type EstimateAttempt,
  type OptionalParameter,
  optionalParameters,
} from '../../contract/messages.ts';
import type { Shape } from '../../contract/target.ts';
import { checkOf, estimateRefusals, type Variant } from '../../contract/templates.ts';
import { departureTimePrice } from './departure-price.ts';

/**
 * One request without the parameter, one with it. Where they differ, the one without is sent again:
 * the difference counts only where that comes out as before.
 */
const optional = (rule: string, name: OptionalParameter): Check =>
  checkOf({
    rule,
    baseRequest: 'estimate',
    run: async (ctx) => {
      const value = ctx.query()[name] ?? optionalParameters(ctx.now())[name];
      const ask = (sent: string | undefined, purpose: string): Promise<EstimateAnswer> =>
        ctx.estimate({ purpose, query: ctx.query({ [name]: sent }), wellFormed: true });
      const without = await ask(undefined, `positive: an estimate request without ${name}`);
      const having = await ask(value, `positive: the same request with ${name}`);
      for (const answer of [without, having]) answered(answer, 'an estimate request');
      if (without.outcome === 'accepted' && having.outcome === 'accepted')
        return pass(`accepted: an estimate request with ${name}, and the same request without it`);
      if (without.outcome === having.outcome)
        throw new Inconclusive(
          `no estimate request was accepted, neither without ${name} (${describeAnswer(without)}) nor with it (${describeAnswer(having)})`,
        );
      const again = await ask(undefined, `the request without ${name} once more`);
      if (again.outcome !== without.outcome)
        throw new Inconclusive(
          `a request without ${name} came out once as ${describeAnswer(without)} and once as ${describeAnswer(again)}`,
        );
      const [refused, what, other] =
        without.outcome === 'refused' ? [again, 'without', 'with'] : [having, 'with', 'without'];
      return violated(
        `status 200 for an estimate request ${what} ${name}`,
        `an estimate request ${what} ${name} was refused with status ${refused.status}, the same request ${other} it accepted`,
        refused.exchange,
      );
    },
  });

/** Checks of the parameters that may be left out (interface.md, "2. Estimate prices"). */
const optionalChecks: readonly Check[] = [
  optional('estimate/imei-optional', 'imei'),
  optional('estimate/map-type-optional', 'map_type'),
  optional('estimate/departure-time', 'departure_time'),
];

/** Judges whether estimates with the tokens of one grant succeed and return a list. */
const answersList = (rule: string, as: 'platform' | 'user'): Check =>
  checkOf({
    rule,
    baseRequest: as === 'user' ? 'user-estimate' : 'estimate',
    priority: 1,
    run: async ({ opening, accessToken }) => {
      const what = `an estimate with a ${as} token`;
      if (!opening) throw new Inconclusive(`no answer to ${what}`);
      const answer = answered(opening, what);
      if (accessToken === '') throw new Inconclusive(`no ${as} token was issued`);
      if (answer.outcome === 'refused')
        return violated(`status 200 for ${what}`, `status ${answer.status}`, answer.exchange);
      if (answer.truncated) throw new Inconclusive(TOO_LONG);
      return Array.isArray(answer.json)
        ? pass(`status 200 and a JSON array for ${what}`)
        : violated('a JSON array', 'status 200 without a JSON array', answer.exchange);
    },
  });

const TOO_LONG = 'the answer is longer than is read for judging';

const requiredParameters = estimateRefusals({
  rule: 'estimate/required-parameters',
  baseRequest: 'estimate',
  refusedAs: 'parameter-missing',
  variants: REQUIRED_ESTIMATE_PARAMETERS.map((name) => [
    `no ${name}`,
    (ctx) => ({ query: ctx.query({ [name]: undefined }) }),
  ]),
});

const withValue = (name: string, value: string | number): Variant<EstimateAttempt> => [
  `${name} ${value}`,
  (ctx) => ({ query: ctx.query({ [name]: String(value) }) }),
];

const coordinatesNumeric = estimateRefusals({
  rule: 'estimate/coordinates-numeric',
  baseRequest: 'estimate',
  refusedAs: 'parameter-invalid',
  variants: [
    withValue('start_lat', 'abc'),
    withValue('start_lng', 'abc'),
    withValue('end_lat', 'abc'),
    withValue('end_lng', 'abc'),
    withValue('start_lat', '39.9x'),
    withValue('end_lng', '116.3.1'),
  ],
});

/**
 * An answer "no estimate" for a place that does not exist counts as a refusal: this answer is a
 * gap.
 */
const coordinatesRange = estimateRefusals({
  rule: 'estimate/coordinates-range',
  baseRequest: 'estimate',
  refusedAs: 'parameter-invalid',
  tolerate: ({ json }) => Array.isArray(json) && json.length === 0,
  variants: [
    ...['start_lat', 'end_lat'].flatMap((name) => [90.5, -90.5].map((at) => withValue(name, at))),
    ...['start_lng', 'end_lng'].flatMap((name) => [180.5, -180.5].map((at) => withValue(name, at))),
  ],
});

/** Judges whether a product gets an estimate, requested as in the profile. */
const product = (rule: string, type: string, shape: Shape): Check =>
  checkOf({
    rule,
    baseRequest: 'estimate',
    needs: { shape },
    priority: 2,
    run: async (ctx) => {
      const query = ctx.query({}, shape);
      const what = `an estimate of product type ${type}`;
      const answer = await ctx.estimate({ purpose: what, query, shape, wellFormed: true });
      if (answer.outcome !== 'accepted') return (baseline) => accepts(what, answer, baseline);
      const { product_type: asked } = query;
      if (asked !== type)
        throw new Inconclusive(
          `the profile's query asks for product type ${asked}, not for ${type}`,
        );
      requireArray(answer);
      const { length } = answer.records;
      return length > 0
        ? pass(`${length} record(s) for ${type}`)
        : violated(`an estimate for ${type}`, 'status 200 without any record', answer.exchange);
    },
  });

function requireArray({ truncated, json }: EstimateAnswer): void {
  if (truncated) throw new Inconclusive(TOO_LONG);
  if (!Array.isArray(json))
    throw new Inconclusive('the body is not a JSON array (see record/array)');
}

const PLACES = [
  ['天安门', '首都机场'],
  ['Красная площадь', 'ميدان التحرير'],
  ['Zürich Flughafen', 'सड़क 🚕'],
] as const;

const nonAsciiNames = checkOf({
  rule: 'estimate/non-ascii-names',
  baseRequest: 'estimate',
  run: async (ctx) => {
    for (const [from_name, to_name] of PLACES) {
      const what = `the place names ${from_name} and ${to_name}`;
      const query = ctx.query({ from_name, to_name });
      const answer = await ctx.estimate({ purpose: `positive: ${what}`, query, wellFormed: true });
      if (answer.outcome !== 'accepted') return (baseline) => accepts(what, answer, baseline);
    }
    return pass(
      'place names in Chinese, Cyrillic, Arabic, Latin and Devanagari script were accepted',
    );
  },
});

const versionPrefix = estimateRefusals({
  rule: 'estimate/version-prefix',
  baseRequest: 'estimate',
  refusedAs: 'path-unknown',
  variants: [['the path without /v1', () => ({ path: '/estimates/prices' })]],
});

/** Judges nothing: obtains an estimate of each shape of the profile for the observations. */
export const shapeSurvey: Check = {
  id: 'survey:estimate',
  rules: [],
  baseRequest: 'estimate',
  spends: () => ({}),
  run: async (ctx) => {
    for (const shape of ctx.facts.shapes) {
      const query = ctx.query({}, shape);
      const purpose = `an estimate in the shape ${shape}`;
      await ctx.estimate({ purpose, query, shape, wellFormed: true });
    }
    return {};
  },
};

/** Checks of the area `estimate` (interface.md, "2. Estimate prices"). */
export const estimateChecks: readonly Check[] = [
  answersList('estimate/platform', 'platform'),
  answersList('estimate/user', 'user'),
  requiredParameters,
  coordinatesNumeric,
  coordinatesRange,
  ...optionalChecks,
  departureTimePrice,
  product('estimate/private-car', 'private-car', 'plain'),
  product('estimate/express-car', 'express-car', 'express'),
  nonAsciiNames,
  versionPrefix,
];
