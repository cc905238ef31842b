import { PRODUCT_TYPES } from '../../../interface/limits.ts';
import { inconclusive, type Judgement, pass, violated } from '../../verdict.ts';
import type { EstimateFields } from '../contract/answer.ts';
import type { Observation, Seen, SeenEstimate } from '../contract/observation.ts';
import { observation } from '../contract/templates.ts';

/** What is wrong with one record; null where nothing is. */
type Objection = (record: EstimateFields, seen: SeenEstimate) => string | null;

/** A rule on each record of each estimate that was seen. */
export const eachRecord = (rule: string, expected: string, objectTo: Objection): Observation =>
  observation(rule, ['estimate'], (seen) => judgeRecords(seen, expected, objectTo));

/** Judges each record; one that breaks the rule is enough. */
function judgeRecords(seen: Seen, expected: string, objectTo: Objection): Judgement {
  let judged = 0;
  for (const estimate of seen.estimates) {
    const { exchange, records } = estimate.answer;
    for (const record of records) {
      judged++;
      const got = objectTo(record, estimate);
      if (got !== null) return violated(expected, got, exchange, [exchange]);
    }
  }
  if (judged === 0) return inconclusive('no estimate record was seen');
  return pass(`${expected}, in each of ${judged} records`, someOf(seen));
}

function someOf(seen: Seen): readonly string[] {
  return seen.estimates.slice(0, 3).map(({ answer }) => answer.exchange);
}

/** A value as a reader may see it. */
export function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

const field = (
  rule: string,
  name: string,
  expected: string,
  holds: (value: unknown) => boolean,
): Observation =>
  eachRecord(rule, `${name} is ${expected}`, (record) =>
    holds(record[name]) ? null : `${name} is ${show(record[name])}`,
  );

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** JSON knows one kind of number: 1200.0 is the integer 1200. */
const integer = (rule: string, name: string): Observation =>
  field(rule, name, 'an integer', Number.isInteger);

const array = observation('record/array', ['estimate'], (seen) => {
  const expected = 'a JSON array of objects';
  for (const { answer } of seen.estimates) {
    if (answer.truncated) continue;
    const got = !Array.isArray(answer.json)
      ? 'a body that is no JSON array'
      : answer.records.length < answer.json.length
        ? 'an array with something else than objects in it'
        : null;
    if (got !== null) return violated(expected, got, answer.exchange, [answer.exchange]);
  }
  const whole = seen.estimates.filter(({ answer }) => !answer.truncated).length;
  if (whole === 0) return inconclusive('no estimate answer was seen that could be read to its end');
  return pass(`${expected}, in each of ${whole} answers`, someOf(seen));
});

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

const isUrl = (value: unknown): boolean =>
  typeof value === 'string' && /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(value) && URL.canParse(value);

const isCodeList = (value: unknown): boolean =>
  typeof value === 'string' && value.split(',').every((code) => code.trim() !== '');

const AMOUNTS = ['estimate_price', 'time_in_second', 'distance_in_meter'] as const;

const amountsPlausible = eachRecord(
  'record/amounts-plausible',
  'price, time and distance are not negative, dynamic is above 0',
  (record) => {
    const negative = AMOUNTS.find((name) => Number(record[name]) < 0);
    if (negative !== undefined) return `${negative} is ${show(record[negative])}`;
    return Number(record['dynamic']) <= 0 ? `dynamic is ${show(record['dynamic'])}` : null;
  },
);

const isKnown = (name: string, value: unknown): boolean =>
  isText(value) &&
  (name !== 'product_type' || (PRODUCT_TYPES as readonly unknown[]).includes(value));

const echoesRequest = eachRecord(
  'record/echoes-request',
  'product_type and ride_type are the ones asked for',
  (record, { query }) => {
    // What is no product type or ride type at all is judged by the rules on these fields.
    const echoed = ['product_type', 'ride_type'].filter((name) => isKnown(name, record[name]));
    const other = echoed.find((name) => record[name] !== query[name]);
    return other === undefined
      ? null
      : `${other} is ${show(record[other])} where ${show(query[other])} was asked for`;
  },
);

const estimateIdUnique = observation('record/estimate-id-unique', ['estimate'], (seen) => {
  const firstSeen = new Map<unknown, string>();
  for (const { answer } of seen.estimates) {
    for (const { estimate_id: id } of answer.records) {
      if (!isText(id)) continue;
      const earlier = firstSeen.get(id);
      if (earlier !== undefined) {
        return violated(
          'an estimate_id of its own in each record',
          `two records carry the estimate_id ${show(id)}`,
          answer.exchange,
          [...new Set([earlier, answer.exchange])],
        );
      }
      firstSeen.set(id, answer.exchange);
    }
  }
  if (firstSeen.size < 2)
    return inconclusive('fewer than two records with an estimate_id were seen');
  return pass(`${firstSeen.size} records, each with an estimate_id of its own`, someOf(seen));
});

/** Rules of the area `record` (interface.md, "Estimate record"), judged over every record seen. */
export const recordObservations: readonly Observation[] = [
  array,
  field('record/product-type', 'product_type', PRODUCT_TYPES.join(' or '), (value) =>
    (PRODUCT_TYPES as readonly unknown[]).includes(value),
  ),
  field('record/ride-type', 'ride_type', 'a non-empty string', isText),
  field('record/currency-code', 'currency_code', 'an ISO 4217 code', (value) =>
    CURRENCIES.has(value as string),
  ),
  integer('record/estimate-price', 'estimate_price'),
  integer('record/time-in-second', 'time_in_second'),
  integer('record/distance-in-meter', 'distance_in_meter'),
  integer('record/car-type', 'car_type'),
  field('record/dynamic', 'dynamic', 'a number', (value) => typeof value === 'number'),
  amountsPlausible,
  echoesRequest,
  field('record/estimate-id', 'estimate_id', 'a non-empty string', isText),
  estimateIdUnique,
  field('record/pay-type', 'pay_type', 'codes separated by commas', isCodeList),
  field('record/jump-url', 'jump_url', 'an absolute URL', isUrl),
  field('record/download-url', 'download_url', 'an absolute URL', isUrl),
];
