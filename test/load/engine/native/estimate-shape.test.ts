import { expect, it } from 'vitest';
import { estimateResponseSchema } from '../../../../src/interface/index.ts';
import { isEstimateList } from '../../../../src/load/engine/native/estimate-shape.ts';
import fc from '../../../support/property.ts';
import { ESTIMATE_BODY } from '../../fake-target.ts';

const [RECORD] = JSON.parse(ESTIMATE_BODY) as Record<string, unknown>[];

/** Values of every kind, right ones of each field among them. */
const anyValue = fc.oneof(
  fc.constantFrom<unknown>(0, 1, 2, 3, -1, 1.5, 2 ** 53, -(2 ** 53), 1e300, true, null, {}, [0]),
  fc.constantFrom('', '0', '1', '2', '3', '01', ' ', '1,2', 'CNY', 'private-car', 'boat'),
  fc.constantFrom('app://x', 'https://example.test/a?b=c#d', ' https://a.test ', 'mailto:a@b.test'),
  fc.constantFrom('example.test/a', '//example.test', '/a', 'http://', 'http:a', 'x://a b', 'x:'),
  fc.webUrl(),
  fc.jsonValue({ maxDepth: 2 }),
);

const anySeat = fc.oneof(fc.integer({ min: 0, max: 4 }), anyValue);
const price = fc.oneof({ weight: 4, arbitrary: fc.integer() }, { weight: 1, arbitrary: anyValue });
const anyElement = fc.oneof(
  fc.record({ seat: anySeat, estimate_price: price }),
  fc.record({ estimate_price: price }),
);

const carpool = fc.oneof(
  fc.constant({}),
  fc.record({
    carpool_tag: fc.constantFrom<unknown>(0, 1, 2, '0', '1', '2', 3, '3', true),
    carpool_info: fc.oneof(
      { weight: 4, arbitrary: fc.array(anyElement, { maxLength: 2 }) },
      { weight: 1, arbitrary: anyValue },
    ),
  }),
);

const FIELDS = Object.keys(RECORD ?? {});

/** A record with a few fields changed, or left out. */
const record = fc
  .record({
    fields: carpool,
    changes: fc.oneof(
      fc.constant({}),
      fc.dictionary(fc.constantFrom(...FIELDS), anyValue, { minKeys: 1, maxKeys: 1 }),
    ),
    missing: fc.option(fc.constantFrom(...FIELDS), { nil: null, freq: 1 }),
  })
  .map(({ fields, changes, missing }) => {
    const changed: Record<string, unknown> = { ...RECORD, ...fields, ...changes };
    if (missing !== null) delete changed[missing];
    return changed;
  });

const body = fc.oneof(
  { weight: 8, arbitrary: fc.array(record, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.array(fc.oneof(record, anyValue), { maxLength: 2 }) },
  { weight: 1, arbitrary: anyValue },
);

/** The value without what stands for an absent carpool field: services may write null. */
function withoutNulls(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((one: unknown) => {
    if (typeof one !== 'object' || one === null) return one;
    const { carpool_tag: tag, carpool_info: info, ...rest } = one as Record<string, unknown>;
    const elements: unknown = Array.isArray(info) ? info.map(withoutNullSeat) : info;
    return {
      ...rest,
      ...(tag !== null && tag !== undefined && { carpool_tag: tag }),
      ...(elements !== null && elements !== undefined && { carpool_info: elements }),
    };
  });
}

function withoutNullSeat(element: unknown): unknown {
  if (typeof element !== 'object' || element === null || Array.isArray(element)) return element;
  const { seat, ...rest } = element as Record<string, unknown>;
  return seat === null ? rest : element;
}

it('accepts what the schema accepts, and nothing else but null for an absent field', () => {
  let accepted = 0;
  fc.assert(
    fc.property(body, (value) => {
      // As it arrives: there is no undefined in JSON, and 1e400 is no number of it.
      const received: unknown = JSON.parse(JSON.stringify(value));
      const isRight = estimateResponseSchema.safeParse(withoutNulls(received)).success;
      if (isRight) accepted++;
      expect(isEstimateList(received)).toBe(isRight);
    }),
    { numRuns: 5_000 },
  );
  expect(accepted).toBeGreaterThan(500);
  expect(accepted).toBeLessThan(4_500);
});

it('takes null for an absent carpool field', () => {
  expect(isEstimateList([{ ...RECORD, carpool_tag: null, carpool_info: null }])).toBe(true);
  const single = [{ seat: null, estimate_price: 1 }];
  expect(isEstimateList([{ ...RECORD, carpool_tag: 1, carpool_info: single }])).toBe(true);
});
