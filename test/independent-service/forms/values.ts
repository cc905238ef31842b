import type { Fields, Form } from '../form.ts';
import { textOf } from '../state.ts';
import { carpool } from './base.ts';
import { answer, answerWith, record } from './builders.ts';

/** Values that break a rule on a field, by rule and field. */
const RECORD: Readonly<
  Record<string, readonly [field: string, values: Readonly<Record<string, unknown>>]>
> = {
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

const TOKEN: Readonly<
  Record<string, readonly [field: string, values: Readonly<Record<string, unknown>>]>
> = {
  'token/response-access-token': [
    'access_token',
    { empty: '', null: null, missing: undefined, object: { token: 'x' }, list: ['x'] },
  ],
  'token/response-refresh-token': [
    'refresh_token',
    { null: null, missing: undefined, number: 12_345, list: ['x'] },
  ],
  'token/response-expires': [
    'expires_in_second',
    {
      zero: 0,
      negative: -7200,
      fraction: 7200.5,
      null: null,
      missing: undefined,
      boolean: true,
      'iso-time': '2026-07-08T12:00:00Z',
    },
  ],
  'token/response-token-type': [
    'token_type',
    {
      basic: 'Basic',
      null: null,
      missing: undefined,
      empty: '',
      number: 1,
      list: ['bearer'],
      suffix: 'bearer_token',
    },
  ],
};

const byValue = (
  table: typeof RECORD,
  make: (field: string, value: unknown) => Form,
): [string, Form][] =>
  Object.entries(table).flatMap(([rule, [field, values]]) =>
    Object.entries(values).map(([name, value]): [string, Form] => [
      `${rule}#${name}`,
      make(field, value),
    ]),
  );

const scope = (change: (scope: string) => unknown): Form =>
  answer((json) => {
    json['scope'] = change(textOf(json['scope']));
  });

const defaultScope = (value: unknown): Form =>
  answer((json, r) => {
    if (r.kind === 'platform' && !r.fields['scope']) json['scope'] = value;
  });

const seats = (...list: readonly Fields[]): Form => carpool('pool-seats', list);
const price = 900;

const encoded = (type: string | null, encode?: (text: string) => Buffer): Form => ({
  contentType: () => ({ type, ...(encode ? { encode } : {}) }),
});

const noted = (text: string): string => text.replace(/}$/, ',"note":"Zürich"}');

/** Values that break a rule otherwise than its base form. */
export const VALUES: Readonly<Record<string, Form>> = {
  ...Object.fromEntries(byValue(RECORD, record)),
  ...Object.fromEntries(byValue(TOKEN, answerWith)),
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
  'token/scope-echo#first-only': scope((text) => text.split(' ')[0]),
  'token/scope-echo#last-only': scope((text) => text.split(' ').at(-1)),
  'token/scope-echo#commas': scope((text) => text.replaceAll(' ', ',')),
  'token/scope-echo#list': scope((text) => text.split(' ')),
  'token/scope-echo#upper-case': scope((text) => text.toUpperCase()),
  'token/scope-echo#wider': answer((json, r) => {
    if (r.kind === 'platform' && 'scope' in r.fields)
      json['scope'] = `${textOf(json['scope'])} admin`;
  }),
  'token/scope-echo#missing': answer((json, r) => {
    if ('scope' in r.fields) delete json['scope'];
  }),
  'token/scope-echo#always-public': answer((json) => {
    json['scope'] = 'public';
  }),
  'token/scope-echo#two-of-three': scope((text) => text.split(' ').slice(0, 2).join(' ')),
  'token/scope-default#empty': defaultScope(''),
  'token/scope-default#missing': defaultScope(undefined),
  'token/scope-default#null': defaultScope(null),
  'token/scope-default#all': defaultScope('public rides.read rides.request profile'),
  'token/scope-default#other': defaultScope('profile'),
  'token/scope-default#upper-case': defaultScope('PUBLIC'),
  'token/response-status#accepted': { status: () => 202 },
  'token/response-status#refresh-created': {
    status: (r) => (r.kind === 'refresh' ? 201 : undefined),
  },
  'token/response-status#exchange-created': {
    status: (r) => (r.kind === 'user' ? 201 : undefined),
  },
  'token/response-status#with-scope': { status: (r) => ('scope' in r.fields ? 203 : undefined) },
  'token/response-content-type#latin-1-bytes': encoded('application/json', (text) =>
    Buffer.from(noted(text), 'latin1'),
  ),
  'token/response-content-type#latin-1-named': encoded('application/json; charset=ISO-8859-1'),
  'token/response-content-type#gbk': encoded('application/json; charset=gbk'),
  'token/response-content-type#utf-16': encoded('application/json; charset=utf-16le', (text) =>
    Buffer.from(text, 'utf16le'),
  ),
  'token/response-content-type#utf-16-unnamed': encoded('application/json', (text) =>
    Buffer.from(text, 'utf16le'),
  ),
  'token/response-content-type#form': encoded('application/x-www-form-urlencoded', (text) =>
    Buffer.from(new URLSearchParams(JSON.parse(text) as Record<string, string>).toString()),
  ),
  'token/response-content-type#windows': encoded('application/json; charset="windows-1252"'),
  // Carpooling.
  'carpool/tag#three': {
    records: (one) => {
      if ('carpool_tag' in one) one['carpool_tag'] = 3;
    },
  },
  'carpool/tag#text': {
    records: (one) => {
      if ('carpool_tag' in one) one['carpool_tag'] = 'yes';
    },
  },
  'carpool/tag#boolean': {
    records: (one) => {
      if ('carpool_tag' in one) one['carpool_tag'] = true;
    },
  },
  'carpool/tag#fraction': {
    records: (one) => {
      if ('carpool_tag' in one) one['carpool_tag'] = 1.5;
    },
  },
  'carpool/tag#negative': {
    records: (one) => {
      if ('carpool_tag' in one) one['carpool_tag'] = -1;
    },
  },
  'carpool/tag#padded': {
    records: (one) => {
      if ('carpool_tag' in one) one['carpool_tag'] = ` ${textOf(one['carpool_tag'])}`;
    },
  },
  'carpool/tag#plain-three': {
    records: (one) => {
      if (!('carpool_tag' in one)) one['carpool_tag'] = 3;
    },
  },
  'carpool/seat-sharing#empty': seats(),
  'carpool/seat-sharing#object': carpool('pool-seats', { 1: price, 2: 1500 }),
  'carpool/seat-sharing#missing': carpool('pool-seats', undefined),
  'carpool/seat-sharing#price-as-text': seats({ seat: 1, estimate_price: '900' }),
  'carpool/seat-sharing#price-fraction': seats({ seat: 1, estimate_price: 900.5 }),
  'carpool/seat-sharing#price-missing-in-second': seats(
    { seat: 1, estimate_price: price },
    { seat: 2 },
  ),
  'carpool/seat-sharing#price-negative': seats(
    { seat: 1, estimate_price: -900 },
    { seat: 2, estimate_price: 1500 },
  ),
  'carpool/seat-sharing#seat-as-text': seats(
    { seat: '1', estimate_price: price },
    { seat: '2', estimate_price: 1500 },
  ),
  'carpool/seat-sharing#seat-missing': seats(
    { estimate_price: price },
    { seat: 2, estimate_price: 1500 },
  ),
  'carpool/seat-sharing#seat-zero': seats(
    { seat: 0, estimate_price: price },
    { seat: 1, estimate_price: 1500 },
  ),
  'carpool/seat-sharing#seat-negative': seats(
    { seat: -1, estimate_price: price },
    { seat: 1, estimate_price: 1500 },
  ),
  'carpool/seat-sharing#seat-fraction': seats({ seat: 1.5, estimate_price: price }),
  'carpool/seat-sharing#null-inside': carpool('pool-seats', [
    { seat: 1, estimate_price: price },
    null,
  ]),
  'carpool/seats-distinct#three-alike': seats(
    { seat: 1, estimate_price: price },
    { seat: 2, estimate_price: price },
    { seat: 1, estimate_price: price },
  ),
  'carpool/seats-distinct#same-price': seats(
    { seat: 2, estimate_price: price },
    { seat: 2, estimate_price: price },
  ),
  'carpool/seats-distinct#as-float': seats(
    { seat: 2, estimate_price: price },
    { seat: 2.0, estimate_price: 1500 },
  ),
  'carpool/no-seat-sharing#two': carpool('pool', [
    { estimate_price: price },
    { estimate_price: 1500 },
  ]),
  'carpool/no-seat-sharing#none': carpool('pool', []),
  'carpool/no-seat-sharing#object': carpool('pool', { estimate_price: price }),
  'carpool/no-seat-sharing#price-as-text': carpool('pool', [{ estimate_price: '900' }]),
  'carpool/no-seat-sharing#price-missing': carpool('pool', [{}]),
  'carpool/no-seat-sharing#price-negative': carpool('pool', [{ estimate_price: -900 }]),
  'carpool/no-seat-sharing#seat-zero': carpool('pool', [{ estimate_price: price, seat: 0 }]),
  'carpool/no-seat-sharing#missing': carpool('pool', undefined),
  'carpool/plain#empty-object': {
    records: (one) => {
      if (!textOf(one['ride_type']).startsWith('pool')) one['carpool_info'] = {};
    },
  },
  'carpool/plain#tag-one': {
    records: (one) => {
      if (!textOf(one['ride_type']).startsWith('pool'))
        Object.assign(one, { carpool_tag: 1, carpool_info: [{ estimate_price: price }] });
    },
  },
  'carpool/plain#tag-zero-with-info': {
    records: (one) => {
      if (!textOf(one['ride_type']).startsWith('pool'))
        Object.assign(one, { carpool_tag: 0, carpool_info: [{ estimate_price: price }] });
    },
  },
  'carpool/plain#express-only': {
    records: (one) => {
      if (one['ride_type'] === 'express') one['carpool_info'] = [{ estimate_price: price }];
    },
  },
};
