import { type EstimateFields, FIELD_SHAPES, isText } from '../../../answers/estimate-record.ts';
import { BOM } from '../../parse-json.ts';
import { inconclusive, pass, violated } from '../../verdict.ts';
import type { Needs } from '../contract/check.ts';
import { inSome } from '../contract/judge.ts';
import { show } from '../contract/messages.ts';
import {
  exchangesOf,
  judgeEach,
  type Observation,
  observation,
  recordsOf,
  type SeenRecord,
  sampleOf,
} from '../contract/observation.ts';

/** Defines a rule on each observed record, or on those that `where` selects. */
export function eachRecord(
  rule: string,
  expected: string,
  objectTo: (record: EstimateFields, seen: SeenRecord) => string | null,
  {
    where = () => true,
    none = 'no estimate record was seen',
    needs,
  }: {
    readonly where?: (seen: SeenRecord) => boolean;
    readonly none?: string;
    readonly needs?: Needs;
  } = {},
): Observation {
  return observation(
    rule,
    ['estimate'],
    (seen) => {
      const records = recordsOf(seen).filter(where);
      return judgeEach(records, {
        expected,
        objectTo: (one) => objectTo(one.record, one),
        what: 'records',
        none,
        sample: sampleOf(records, seen),
      });
    },
    needs,
  );
}

const CURRENCIES: ReadonlySet<unknown> = new Set(Intl.supportedValuesOf('currency'));

/** Only recommended, so load takes any. */
const CURRENCY = ['an ISO 4217 code', (value: unknown) => CURRENCIES.has(value)] as const;

/** A rule on the shape of a field, by which load judges answers as well. */
const field = (
  rule: string,
  name: keyof typeof FIELD_SHAPES | 'currency_code',
  [expected, holds] = { ...FIELD_SHAPES, currency_code: CURRENCY }[name],
): Observation =>
  eachRecord(rule, `${name} is ${expected}`, ({ [name]: value }) =>
    holds(value) ? null : `${name} is ${show(value)}`,
  );

/** A byte order mark is reported once: by token/response-content-type where tokens have it too. */
const array = observation('record/array', ['estimate'], (seen) => {
  const answers = seen.estimates.filter(({ answer }) => !answer.truncated);
  const isReported = seen.tokens.some(({ answer }) => answer.body.startsWith(BOM));
  return judgeEach(answers, {
    expected: 'a JSON array of objects',
    objectTo: ({ answer: { body, json, records } }) => {
      if (body.startsWith(BOM) && !isReported) return 'a byte order mark before the JSON';
      if (!Array.isArray(json)) return 'a body that is not a JSON array';
      return records.length < json.length ? 'an array with other values than objects' : null;
    },
    what: 'answers',
    none: 'no estimate response was seen that could be read to its end',
    sample: sampleOf(answers, seen),
  });
});

/** A number, or the text of one; the rule on the field judges its type. */
const isNumber = (value: unknown): boolean => typeof value === 'number' || isText(value);

const AMOUNTS = ['estimate_price', 'time_in_second', 'distance_in_meter'] as const;

const amountsPlausible = eachRecord(
  'record/amounts-plausible',
  'price, time and distance are not negative, dynamic is above 0',
  (record) => {
    const negative = AMOUNTS.find((name) => isNumber(record[name]) && Number(record[name]) < 0);
    if (negative !== undefined) return `${negative} is ${show(record[negative])}`;
    const { dynamic } = record;
    return isNumber(dynamic) && Number(dynamic) <= 0 ? `dynamic is ${show(dynamic)}` : null;
  },
);

/**
 * A value that is not a product type or ride type at all is judged by the rules on these fields.
 */
const ECHOED: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['product_type', FIELD_SHAPES.product_type[1]],
  ['ride_type', isText],
];

const echoesRequest = eachRecord(
  'record/echoes-request',
  'product_type and ride_type are the ones asked for',
  (record, { query }) => {
    const other = ECHOED.find(
      ([name, isKnown]) => isKnown(record[name]) && record[name] !== query[name],
    );
    if (!other) return null;
    const [name] = other;
    return `${name} is ${show(record[name])} where ${show(query[name])} was asked for`;
  },
);

const estimateIdUnique = observation('record/estimate-id-unique', ['estimate'], (seen) => {
  const records = recordsOf(seen).filter(({ record }) => isText(record['estimate_id']));
  const firstSeen = new Map<unknown, string>();
  const again: { readonly id: unknown; readonly earlier: string; readonly exchange: string }[] = [];
  for (const { record, answer } of records) {
    const { exchange } = answer;
    const { estimate_id: id } = record;
    const earlier = firstSeen.get(id);
    if (earlier === undefined) firstSeen.set(id, exchange);
    else again.push({ id, earlier, exchange });
  }
  const [twice] = again;
  if (twice) {
    const { id, earlier, exchange } = twice;
    return violated(
      'a different estimate_id in each record',
      `two records carry the estimate_id ${show(id)} (one seen before ${inSome(again.length, records.length, 'records')})`,
      exchange,
      [...new Set([earlier, exchange])],
    );
  }
  if (firstSeen.size < 2)
    return inconclusive('fewer than two records with an estimate_id were seen');
  const { words, missing } = sampleOf(seen.estimates, seen);
  if (missing !== null)
    return inconclusive(`no estimate_id came twice, as far as seen: ${missing}`);
  return pass(
    `${firstSeen.size} records, each with a different estimate_id${words}`,
    exchangesOf(seen.estimates),
  );
});

/** Rules of the area `record` (interface.md, "Estimate record"), judged over every record seen. */
export const recordObservations: readonly Observation[] = [
  array,
  field('record/product-type', 'product_type'),
  field('record/ride-type', 'ride_type'),
  field('record/currency-code', 'currency_code'),
  field('record/estimate-price', 'estimate_price'),
  field('record/time-in-second', 'time_in_second'),
  field('record/distance-in-meter', 'distance_in_meter'),
  field('record/car-type', 'car_type'),
  field('record/dynamic', 'dynamic'),
  amountsPlausible,
  echoesRequest,
  field('record/estimate-id', 'estimate_id'),
  estimateIdUnique,
  field('record/pay-type', 'pay_type'),
  field('record/jump-url', 'jump_url'),
  field('record/download-url', 'download_url'),
];
