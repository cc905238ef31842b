import type { Attempt, Fields, Form } from '../form.ts';
import { dayOf, MINUTE_MS, textOf } from '../state.ts';
import { carpool } from './base.ts';
import { byValue, record, type WrongValues } from './builders.ts';
import { memoryOf, notesOf, remember } from './memory.ts';

/** Changes a record where a condition on its request holds. */
const recordWhere = (
  isMeant: (r: Attempt, record: Fields) => boolean,
  change: (record: Fields, r: Attempt) => void,
): Form => ({
  records: (one, r) => {
    if (isMeant(r, one)) change(one, r);
  },
});

const isExpensive = (_r: Attempt, one: Fields): boolean => Number(one['estimate_price']) > 3000;

const hasDeparture = (r: Attempt): boolean => r.fields['departure_time'] !== undefined;

/** True for a departure from 17 to 20 o'clock UTC, now or as asked. */
const isPeak = (r: Attempt): boolean => {
  const departure = Number(r.fields['departure_time'] ?? r.service.now() / 1000);
  const hour = Math.floor(departure / 3600) % 24;
  return hour >= 17 && hour < 20;
};

/** Length of a route as the crow flies. */
function routeMeters({ fields }: Attempt): number {
  const [lat, lng, lat2, lng2] = ['start_lat', 'start_lng', 'end_lat', 'end_lng'].map((name) =>
    Number(fields[name]),
  ) as [number, number, number, number];
  return Math.round(Math.hypot(lat - lat2, lng - lng2) * 111_000);
}

const FIELDS: WrongValues = {
  'record/product-type': [
    'product_type',
    {
      'other-case': 'Private-Car',
      underscore: 'private_car',
      null: null,
      number: 1,
      empty: '',
      space: 'private-car ',
    },
  ],
  'record/ride-type': [
    'ride_type',
    { null: null, number: 3, list: ['compact'], missing: undefined },
  ],
  'record/currency-code': [
    'currency_code',
    {
      'lower-case': 'cny',
      symbol: '¥',
      number: 156,
      'two-letters': 'CN',
      missing: undefined,
      null: null,
      unknown: 'XYZ',
    },
  ],
  'record/estimate-price': [
    'estimate_price',
    { text: '3000', yuan: 30.55, null: null, missing: undefined, list: [3000], boolean: true },
  ],
  'record/time-in-second': [
    'time_in_second',
    {
      fraction: 1500.25,
      null: null,
      missing: undefined,
      range: '1500-1800',
      'iso-duration': 'PT25M',
    },
  ],
  'record/distance-in-meter': [
    'distance_in_meter',
    { text: '12000', kilometres: 12.3, missing: undefined, unit: '12 km' },
  ],
  'record/car-type': [
    'car_type',
    { 'text-number': '100', null: null, missing: undefined, fraction: 1.5, list: [100] },
  ],
  'record/dynamic': [
    'dynamic',
    { null: null, missing: undefined, boolean: true, percent: '120%', list: [1.2] },
  ],
  'record/amounts-plausible': ['estimate_price', { 'negative-price': -3000, 'minus-one': -1 }],
  'record/estimate-id': [
    'estimate_id',
    { empty: '', null: null, missing: undefined, object: { id: 'e' } },
  ],
  'record/pay-type': [
    'pay_type',
    {
      empty: '',
      number: 2,
      'leading-comma': ',1',
      'empty-code': '1,,2',
      list: ['1', '2'],
      null: null,
      missing: undefined,
      blank: ' ',
      'blank-code': '1, ',
    },
  ],
  'record/jump-url': [
    'jump_url',
    {
      empty: '',
      null: null,
      missing: undefined,
      'no-scheme': 'www.example.com/app',
      'protocol-relative': '//example.com/app',
      spaced: 'some app://x y',
      'scheme-only': 'https://',
      object: { url: 'someapp://x' },
    },
  ],
  'record/download-url': [
    'download_url',
    {
      empty: '',
      null: null,
      missing: undefined,
      'no-scheme': 'example.com/download',
      'protocol-relative': '//example.com/d',
      relative: 'download/app',
      'scheme-only': 'http://',
      list: ['https://example.com'],
    },
  ],
};

const MORE_AMOUNTS: Readonly<Record<string, readonly [string, unknown]>> = {
  'negative-distance': ['distance_in_meter', -12_000],
  'dynamic-zero': ['dynamic', 0],
  'dynamic-negative': ['dynamic', -1.2],
};

/** Records that are wrong, always or in some circumstance only. */
export const RECORD: Readonly<Record<string, Form>> = {
  ...byValue(FIELDS, record),
  ...Object.fromEntries(
    Object.entries(MORE_AMOUNTS).map(([name, [field, value]]) => [
      `record/amounts-plausible#${name}`,
      record(field, value),
    ]),
  ),
  'record/estimate-price#carpool-text': carpool('pool', [{ estimate_price: '900' }]),
  'record/array#object': { body: (records) => records[0] },
  'record/array#by-number': { body: (records) => Object.fromEntries(records.entries()) },
  'record/array#text': { body: (records) => JSON.stringify(records) },
  'record/array#nested': { body: (records) => [records] },
  'record/array#null-inside': { body: (records) => [...records, null] },
  'record/array#text-inside': { body: (records) => records.map((one) => JSON.stringify(one)) },
  'record/array#null': { body: () => null },
  'record/echoes-request#other-product': {
    records: (one) => {
      one['product_type'] = one['product_type'] === 'private-car' ? 'express-car' : 'private-car';
    },
  },
  'record/echoes-request#express-as-compact': {
    records: (one) => {
      if (one['product_type'] === 'express-car') one['ride_type'] = 'compact';
    },
  },
  'record/echoes-request#upper-case': {
    records: (one) => {
      one['ride_type'] = textOf(one['ride_type']).toUpperCase();
    },
  },
  'record/estimate-id-unique#by-query': {
    estimateId: (r) => `e-${textOf(r.fields['ride_type'])}-${textOf(r.fields['from_name'])}`,
  },
  'record/estimate-id-unique#by-second': {
    estimateId: (r) => `e-${Math.floor(r.service.now() / 1000)}`,
  },
  'record/estimate-id-unique#by-token': { estimateId: (r) => `e-${r.token?.text}` },
  'record/estimate-id-unique#of-ten': {
    estimateId: (r) => `e-${(r.token?.uses ?? 0) % 10}-${r.token?.text}`,
  },
  'record/estimate-id-unique#asked-at-once': {
    estimateId: (r) => `e-${Math.floor(r.service.now())}-${textOf(r.fields)}`,
  },
  'record/estimate-id-unique#of-255': {
    estimateId: (r) => {
      const count = memoryOf(r, 'estimates', 0) + 1;
      remember(r, 'estimates', count);
      return `e-${count % 255}`;
    },
  },
  'record/estimate-id-unique#by-partner': {
    // In whole seconds: whether two tokens are issued in one millisecond is up to the machine.
    estimateId: (r) => {
      const { partner, uses = 0, issued = 0 } = r.token ?? {};
      return `e-${partner?.id}-${uses}-${Math.floor(issued / 1000)}`;
    },
  },
  'record/estimate-id-unique#of-a-day': {
    estimateId: (r) => {
      const own = notesOf(r.service);
      const day = dayOf(r.service.now(), 0);
      own.set(day, (own.get(day) ?? 0) + 1);
      return `e-${own.get(day)}`;
    },
  },
  'record/estimate-id-unique#of-a-thousand': {
    estimateId: ({ service }) => `e-${service.chance.drawBelow(1000)}`,
  },
  'record/echoes-request#second-record': {
    body: (records) => [
      ...records,
      {
        ...records[0],
        estimate_id: `${textOf(records[0]?.['estimate_id'])}-2`,
        ride_type: 'luxury',
      },
    ],
  },
  'record/echoes-request#cached-by-route': recordWhere(
    () => true,
    (one, r) => {
      const { start_lat, start_lng, end_lat, end_lng } = r.fields;
      const key = `route ${textOf([start_lat, start_lng, end_lat, end_lng])}`;
      const [at, type] = memoryOf<readonly [number, unknown]>(r, key, [0, '']);
      if (r.service.now() - at < MINUTE_MS) one['ride_type'] = type;
      else remember(r, key, [r.service.now(), one['ride_type']]);
    },
  ),
  'record/estimate-price#fraction-when-expensive': recordWhere(isExpensive, (one) => {
    one['estimate_price'] = Number(one['estimate_price']) * 1.15 + 0.5;
  }),
  'record/dynamic#text-when-expensive': recordWhere(isExpensive, (one) => {
    one['dynamic'] = '1.5x';
  }),
  'record/time-in-second#null-with-departure': recordWhere(hasDeparture, (one) => {
    one['time_in_second'] = null;
  }),
  'record/pay-type#null-with-departure': recordWhere(hasDeparture, (one) => {
    one['pay_type'] = null;
  }),
  'carpool/seat-sharing#one-without-price-at-the-peak': recordWhere(
    (r, one) => isPeak(r) && one['ride_type'] === 'pool-seats',
    (one) => {
      one['carpool_info'] = [{ seat: 1, estimate_price: 900 }, { seat: 2 }];
    },
  ),
  'carpool/seats-distinct#alike-at-the-peak': recordWhere(
    (r, one) => isPeak(r) && one['ride_type'] === 'pool-seats',
    (one) => {
      one['carpool_info'] = [1, 1].map((seat) => ({ seat, estimate_price: 900 }));
    },
  ),
  'carpool/no-seat-sharing#seat-at-the-peak': recordWhere(
    (r, one) => isPeak(r) && one['ride_type'] === 'pool',
    (one) => {
      one['carpool_info'] = [{ seat: 1, estimate_price: 900 }];
    },
  ),
  'carpool/tag#text-at-the-peak': recordWhere(
    (r, one) => isPeak(r) && one['ride_type'] === 'pool',
    (one) => {
      one['carpool_tag'] = 'full';
    },
  ),
  'carpool/plain#info-at-the-peak': recordWhere(
    (r, one) => isPeak(r) && one['ride_type'] === 'express',
    (one) => {
      one['carpool_info'] = [];
    },
  ),
  ...Object.fromEntries(
    (['distance_in_meter', 'time_in_second', 'estimate_price'] as const).map((name) => [
      `record/amounts-plausible#${name.split('_')[0]}-of-16-bits`,
      recordWhere(
        (r) => routeMeters(r) > 0,
        (one, r) => {
          const meters = routeMeters(r);
          const value = { distance_in_meter: meters, time_in_second: meters / 20 };
          const exact = { ...value, estimate_price: meters / 5 + 1000 }[name];
          one[name] = (Math.round(exact) << 16) >> 16;
        },
      ),
    ]),
  ),
  'record/distance-in-meter#kilometres-from-100': recordWhere(
    (r) => routeMeters(r) > 100_000,
    (one, r) => {
      one['distance_in_meter'] = `${Math.round(routeMeters(r) / 1000)} km`;
    },
  ),
  'record/time-in-second#null-beyond-two-hours': recordWhere(
    (r) => routeMeters(r) > 150_000,
    (one) => {
      one['time_in_second'] = null;
    },
  ),
  'record/jump-url#relative-for-names': recordWhere(
    (r) => /[^ -~]/.test(textOf(r.fields['from_name'] ?? '')),
    (one) => {
      one['jump_url'] = '/estimate?id=1';
    },
  ),
};
