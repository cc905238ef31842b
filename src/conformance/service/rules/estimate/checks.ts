import { REQUIRED_ESTIMATE_PARAMETERS } from '../../../../interface/limits.ts';
import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { EstimateAnswer } from '../../contract/answer.ts';
import type { Check } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import type { Shape } from '../../contract/target.ts';
import { judgeAcceptance, type Negative, refusals } from '../../contract/templates.ts';
import { optionalChecks } from './optional.ts';
import { departureTimePrice } from './price.ts';

/** Whether estimates with the tokens of one grant succeed and hold a list. */
const answersList = (rule: string, as: 'platform' | 'user'): Check => ({
  id: rule,
  rules: [rule],
  baseRequest: as === 'user' ? 'user-estimate' : 'estimate',
  priority: 1,
  spends: () => ({}),
  run: async (ctx) => {
    const answer = ctx.opening as EstimateAnswer | null;
    const what = `an estimate with a ${as} token`;
    if (!answer || answer.outcome === 'broken') {
      return inconclusive(`no answer to ${what}${answer ? `: ${answer.failure}` : ''}`);
    }
    if (ctx.accessToken === '') return inconclusive(`no ${as} token could be had`);
    if (answer.outcome === 'refused') {
      return violated(`status 200 for ${what}`, `status ${answer.status}`, answer.exchange);
    }
    if (answer.truncated) return inconclusive('the answer is longer than is read for judging');
    if (!Array.isArray(answer.json)) {
      return violated('a JSON array', 'status 200 and no JSON array', answer.exchange);
    }
    return pass(`status 200 and a JSON array for ${what}`);
  },
});

const requiredParameters = refusals({
  rule: 'estimate/required-parameters',
  baseRequest: 'estimate',
  count: REQUIRED_ESTIMATE_PARAMETERS.length,
  variants: (ctx) =>
    REQUIRED_ESTIMATE_PARAMETERS.map((name) => ({
      kind: 'estimate',
      wrong: `no ${name}`,
      query: ctx.query({ [name]: undefined }),
    })),
});

const spoilt = (ctx: CheckContext, name: string, value: string): Negative => ({
  kind: 'estimate',
  wrong: `${name} ${value}`,
  query: ctx.query({ [name]: value }),
});

const coordinatesNumeric = refusals({
  rule: 'estimate/coordinates-numeric',
  baseRequest: 'estimate',
  count: 6,
  variants: (ctx) => [
    spoilt(ctx, 'start_lat', 'abc'),
    spoilt(ctx, 'start_lng', 'abc'),
    spoilt(ctx, 'end_lat', 'abc'),
    spoilt(ctx, 'end_lng', 'abc'),
    spoilt(ctx, 'start_lat', '39.9x'),
    spoilt(ctx, 'end_lng', '116.3.1'),
  ],
});

/** "No estimate" for a place that does not exist is a way of refusing it: its answer is a gap. */
const coordinatesRange = refusals({
  rule: 'estimate/coordinates-range',
  baseRequest: 'estimate',
  count: 8,
  tolerate: (answer) => Array.isArray(answer.json) && answer.json.length === 0,
  variants: (ctx) =>
    ['start_lat', 'end_lat', 'start_lng', 'end_lng'].flatMap((name) => {
      const bound = name.endsWith('lat') ? 90.5 : 180.5;
      return [spoilt(ctx, name, String(bound)), spoilt(ctx, name, String(-bound))];
    }),
});

/** Whether a product gets an estimate, asked for as the profile says. */
const product = (rule: string, type: string, shape: Shape): Check => ({
  id: rule,
  rules: [rule],
  baseRequest: 'estimate',
  needs: { shape },
  priority: 2,
  spends: () => ({}),
  run: async (ctx) => {
    const query = ctx.query({}, shape);
    const what = `an estimate of product type ${type}`;
    const answer = await ctx.estimate({ purpose: what, query, shape, wellFormed: true });
    if (answer.outcome === 'accepted') return judgeProduct(answer, type, query['product_type']);
    return (controls) => judgeAcceptance(what, answer, controls);
  },
});

function judgeProduct(answer: EstimateAnswer, type: string, asked: string | undefined): Judgement {
  if (asked !== type) {
    return inconclusive(`the profile's query asks for product type ${asked}, not for ${type}`);
  }
  if (answer.truncated) return inconclusive('the answer is longer than is read for judging');
  if (!Array.isArray(answer.json))
    return inconclusive('the body is no JSON array (see record/array)');
  if (answer.records.length > 0) return pass(`${answer.records.length} record(s) for ${type}`);
  return violated(`an estimate for ${type}`, 'status 200 without any record', answer.exchange);
}

const nonAsciiNames: Check = {
  id: 'estimate/non-ascii-names',
  rules: ['estimate/non-ascii-names'],
  baseRequest: 'estimate',
  spends: () => ({}),
  run: async (ctx) => {
    const names = [
      ['天安门', '首都机场'],
      ['Красная площадь', 'ميدان التحرير'],
      ['Zürich Flughafen', 'सड़क 🚕'],
    ] as const;
    for (const [from_name, to_name] of names) {
      const what = `the place names ${from_name} and ${to_name}`;
      const query = ctx.query({ from_name, to_name });
      const answer = await ctx.estimate({ purpose: `positive: ${what}`, query, wellFormed: true });
      if (answer.outcome !== 'accepted')
        return (controls) => judgeAcceptance(what, answer, controls);
    }
    return pass(
      'place names in Chinese, Cyrillic, Arabic, Latin and Devanagari script were accepted',
    );
  },
};

const versionPrefix = refusals({
  rule: 'estimate/version-prefix',
  baseRequest: 'estimate',
  count: 1,
  variants: (ctx) => [
    {
      kind: 'estimate',
      wrong: 'the path without /v1',
      query: ctx.query(),
      path: '/estimates/prices',
    },
  ],
});

/** Judges nothing: brings each shape of the profile before the eyes of the passive rules. */
export const shapeSurvey: Check = {
  id: 'survey:estimate',
  rules: [],
  baseRequest: 'estimate',
  spends: () => ({}),
  run: async (ctx) => {
    for (const shape of ctx.facts.shapes) {
      await ctx.estimate({
        purpose: `an estimate in the shape ${shape}`,
        query: ctx.query({}, shape),
        shape,
        wellFormed: true,
      });
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
