import { expect, it } from 'vitest';
import { pricesOf } from '../../../../../src/conformance/service/rules/estimate/price.ts';
import { estimate } from '../seen.ts';

const pricesIn = (...records: readonly object[]) => pricesOf(estimate(records).answer);

it('compares the prices of all records, those of carpool elements included', () => {
  const seats = [{ seat: 1, estimate_price: 5 }, { estimate_price: 6 }];
  const all = pricesIn({ estimate_price: 7, carpool_info: seats }, { estimate_price: 8 });
  expect(all).toBe(pricesIn({ estimate_price: 7, carpool_info: seats }, { estimate_price: 8 }));
  for (const other of [
    [{ estimate_price: 7, carpool_info: seats }],
    [{ estimate_price: 7, carpool_info: seats }, { estimate_price: 9 }],
    [{ estimate_price: 7, carpool_info: [seats[0]!] }, { estimate_price: 8 }],
    [
      { estimate_price: 7, carpool_info: [{ estimate_price: 4 }, seats[1]!] },
      { estimate_price: 8 },
    ],
  ])
    expect(pricesIn(...other)).not.toBe(all);
});

it('has nothing to compare in a record without a price', () => {
  expect(pricesIn()).toBeNull();
  for (const price of [undefined, null, '7', 7.5, -1])
    expect(pricesIn({ estimate_price: 7 }, { estimate_price: price })).toBeNull();
  expect(pricesIn({ estimate_price: 0 })).toBe('0');
});

it('takes carpool elements as they come', () => {
  expect(pricesIn({ estimate_price: 7, carpool_info: [null, { estimate_price: 5 }] })).toBe('7,,5');
  expect(pricesIn({ estimate_price: 7, carpool_info: 'x' })).toBe('7');
});
