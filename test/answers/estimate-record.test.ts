import { expect, it } from 'vitest';
import { type EstimateFields, estimateProblem } from '../../src/answers/estimate-record.ts';
import { parseAsItCame } from '../../src/answers/json-text.ts';
import { carpoolObservations } from '../../src/conformance/service/rules/carpool.ts';
import { recordObservations } from '../../src/conformance/service/rules/record.ts';
import { RULES } from '../../src/interface/catalogue.ts';
import { estimate, RECORD, seen } from '../conformance/service/rules/seen.ts';
import fc from '../support/property.ts';

const MUSTS = [...recordObservations, ...carpoolObservations].filter(({ rule }) =>
  RULES.some(({ id, level }) => id === rule && level === 'must'),
);

/** Rules that check finds broken in an answer. */
const brokenIn = (records: readonly EstimateFields[]): string[] =>
  MUSTS.filter(
    ({ judge }) =>
      judge(seen({ estimates: [estimate(records, { shape: null })] })).verdict === 'violated',
  ).map(({ rule }) => rule);

/** Values of every kind, right ones of each field among them, as JSON writes them. */
const anyText = fc.oneof(
  fc.constantFrom('0', '1', '2', '3', '-1', '1.5', '1200.0', '9007199254740993', '1e300'),
  fc.constantFrom('1e400', '9007199254740992.5', '1.00000000000000000001', 'true', 'null'),
  fc.constantFrom('{}', '[0]', '""', '" "', '"2"', '"1,2"', '",1"', '"private-car"', '"boat"'),
  fc.constantFrom('"app://x"', '" https://a.test "', '"x://a b"', '"/a"', '"http://"', '"x:"'),
  fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.stringify(value)),
);

const price = fc.oneof({ weight: 4, arbitrary: fc.nat().map(String) }, anyText);
const element = fc.tuple(fc.constantFrom('1', '2', '3', 'null', null), price);
const carpool = fc
  .tuple(
    fc.constantFrom('0', '1', '2', '"0"', '"1"', '"2"', '3', 'null'),
    fc.array(element, { maxLength: 2 }),
  )
  .map(([tag, elements]) => {
    const info = elements.map(([seat, of]) =>
      seat === null ? `{"estimate_price":${of}}` : `{"seat":${seat},"estimate_price":${of}}`,
    );
    return `"carpool_tag":${tag},"carpool_info":[${info.join(',')}]`;
  });

const NAMES = Object.keys(RECORD);

const recordText = fc
  .tuple(
    fc.option(fc.tuple(fc.constantFrom(...NAMES, 'carpool_tag'), anyText), { freq: 2 }),
    fc.option(fc.constantFrom(...NAMES), { freq: 2 }),
    fc.option(carpool, { freq: 2 }),
  )
  .map(([change, missing, added]) => {
    const fields = new Map(NAMES.map((name) => [name, JSON.stringify(RECORD[name])]));
    if (change !== null) fields.set(...change);
    if (missing !== null) fields.delete(missing);
    const texts = Array.from(fields, ([name, value]) => `"${name}":${value}`);
    const more = added === null || fields.has('carpool_tag') ? [] : [added];
    return `{${[...texts, ...more].join(',')}}`;
  });

it('finds an answer wrong exactly where a rule that check judges is broken', () => {
  let right = 0;
  fc.assert(
    fc.property(recordText, (text) => {
      const records = parseAsItCame(`[${text}]`) as EstimateFields[];
      const isRight = estimateProblem(records) === null;
      if (isRight) right++;
      expect([text, isRight]).toEqual([text, brokenIn(records).length === 0]);
    }),
    { numRuns: 1000 },
  );
  expect(right).toBeGreaterThan(60);
  expect(right).toBeLessThan(940);
});

it.each<[change: string, problem: string | null]>([
  ['"estimate_price":9007199254740993', null],
  ['"estimate_price":1e400', '[1].estimate_price: must be an integer'],
  ['"estimate_price":9007199254740992.5', '[1].estimate_price: must be an integer'],
  ['"dynamic":1.00000000000000000001', null],
  ['"dynamic":1e400', '[1].dynamic: must be a number'],
  ['"currency_code":null', null],
  ['"ride_type":" "', '[1].ride_type: must be a non-empty string'],
  ['"carpool_tag":3', '[1].carpool_info: must be as its carpool_tag says'],
  ['"carpool_tag":null', '[1].carpool_info: must be as its carpool_tag says'],
  ['"carpool_tag":0', null],
])('judges a record with %s', (change, problem) => {
  const record = JSON.stringify(RECORD);
  const changed = `${record.slice(0, -1)},${change}}`;
  expect(estimateProblem(parseAsItCame(`[${record},${changed}]`))).toBe(problem);
});

it('names a body that is no list of objects', () => {
  expect(estimateProblem({})).toBe('body: must be an array');
  expect(estimateProblem([RECORD, 1])).toBe('[1]: must be an object');
  expect(estimateProblem([])).toBeNull();
});
