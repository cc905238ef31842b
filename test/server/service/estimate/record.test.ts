import { expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../../../src/interface/default-behaviour.ts';
import { RecordWriter } from '../../../../src/server/service/estimate/record.ts';

const FARE = { priceFen: 2345, timeS: 900, distanceM: 8000, dynamic: 1.25 };
const writer = new RecordWriter({
  ...DEFAULT_BEHAVIOUR,
  'car-type-codes': [11, 22, 33],
  'pay-type-codes': ['a', 'b', 'c'],
});
const record = (rideType: string, productType: 'private-car' | 'express-car' = 'private-car') =>
  writer.record({ productType, rideType }, FARE, 'e-1');

it('a record states the fare in fen, seconds and meters', () => {
  expect(record('compact')).toEqual({
    product_type: 'private-car',
    ride_type: 'compact',
    currency_code: 'CNY',
    estimate_price: 2345,
    time_in_second: 900,
    distance_in_meter: 8000,
    car_type: expect.toBeOneOf([11, 22, 33]),
    dynamic: 1.25,
    estimate_id: 'e-1',
    pay_type: 'a',
    jump_url: 'https://rides.example/open?product_type=private-car',
    download_url: 'https://rides.example/download',
  });
  expect(record('express', 'express-car')).toMatchObject({
    product_type: 'express-car',
    pay_type: 'a,b',
    jump_url: 'https://rides.example/open?product_type=express-car',
  });
});

it('a shared ride has a cheaper price for each number of seats', () => {
  expect(record('carpool')).toMatchObject({
    carpool_tag: '2',
    carpool_info: [
      { seat: 1, estimate_price: 1407 },
      { seat: 2, estimate_price: 1759 },
    ],
  });
  expect(record('carpool-single')).toMatchObject({
    carpool_tag: '1',
    carpool_info: [{ estimate_price: 1642 }],
  });
  expect(record('carpool-single').carpool_info?.[0]).not.toHaveProperty('seat');
});

it('a ride type has the same car type in every run, and others have others', () => {
  const types = ['compact', 'express', 'luxury', 'a', 'b', 'c'].map(
    (rideType) => record(rideType).car_type,
  );
  expect(types).toEqual([33, 22, 22, 22, 33, 11]);
});

it('ride types spread over the car types', () => {
  const many = new RecordWriter({
    ...DEFAULT_BEHAVIOUR,
    'car-type-codes': Array.from({ length: 97 }, (_, code) => code),
  });
  const types = ['compact', 'express', 'ab', 'ba'].map(
    (rideType) => many.record({ productType: 'private-car', rideType }, FARE, 'e-1').car_type,
  );
  // Of Java's hash of a string, the rest of a division by 97.
  expect(types).toEqual([50, 92, 1, 31]);
});
