import type { EstimateRecord, ServiceRuleId } from '../../../interface/index.ts';
import { type Broken, because, type FaultDefinition, type FaultForms } from '../fault.ts';
import { joined, named } from '../tables.ts';
import { changing } from './rules.ts';

/** Values of one field that break a rule, by form. */
type Values = readonly [
  field: keyof EstimateRecord,
  values: Readonly<Record<string, unknown>>,
  breaks?: readonly Broken[],
];

const NOT_ECHOED = because('no record then carries what was asked for', 'record/echoes-request');

const VALUES: Readonly<Partial<Record<ServiceRuleId, Values>>> = {
  'record/product-type': [
    'product_type',
    { 'other-case': 'Private-Car', empty: '', null: null, number: 1, missing: undefined },
    NOT_ECHOED,
  ],
  'record/ride-type': [
    'ride_type',
    { null: null, number: 3, list: ['compact'], missing: undefined },
    NOT_ECHOED,
  ],
  'record/currency-code': [
    'currency_code',
    { 'lower-case': 'cny', symbol: '¥', empty: '', null: null, number: 156, missing: undefined },
  ],
  'record/estimate-price': [
    'estimate_price',
    { text: '3000', yuan: 30.55, null: null, missing: undefined, list: [3000], boolean: true },
  ],
  'record/time-in-second': [
    'time_in_second',
    { null: null, missing: undefined, fraction: 1500.5, range: '1500-1800', duration: 'PT25M' },
  ],
  'record/distance-in-meter': [
    'distance_in_meter',
    { text: '12000', kilometres: 12.3, missing: undefined, null: null, unit: '12 km' },
  ],
  'record/car-type': [
    'car_type',
    { null: null, missing: undefined, fraction: 1.5, list: [100], name: 'compact' },
  ],
  'record/dynamic': [
    'dynamic',
    { null: null, missing: undefined, boolean: true, percent: '120%', list: [1.2] },
  ],
  'record/amounts-plausible': [
    'estimate_price',
    { 'negative-price': -3000, 'minus-one': -1 },
    because(
      'the price that was answered is not the locked one',
      'lock/default-10-minutes',
      'lock/partner-60-minutes',
    ),
  ],
  'record/estimate-id': [
    'estimate_id',
    { empty: '', null: null, missing: undefined, number: 17, object: { id: 'e' } },
  ],
  'record/pay-type': [
    'pay_type',
    {
      null: null,
      number: 1,
      missing: undefined,
      list: ['1', '2'],
      'leading-comma': ',1',
      'trailing-comma': '1,',
      'empty-code': '1,,2',
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
      number: 3,
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
    },
  ],
};

type Tag = '1' | '2';
type Info = NonNullable<EstimateRecord['carpool_info']>;

const CARPOOL: Readonly<
  Record<
    string,
    readonly [how: string, (record: EstimateRecord) => object, breaks?: readonly Broken[]]
  >
> = {
  'carpool/tag#minus-one': ['carpool_tag is -1.', withTag(-1)],
  'carpool/tag#text': ['carpool_tag is `yes`.', withTag('yes')],
  'carpool/tag#boolean': ['carpool_tag is true.', withTag(true)],
  'carpool/tag#list': ['carpool_tag is a list.', withTag(['2'])],
  'carpool/seat-sharing#no-price': info('2', 'The elements have no price.', (all) =>
    all.map(({ seat }) => ({ seat })),
  ),
  'carpool/seat-sharing#text-seat': info('2', 'seat is a text.', (all) =>
    all.map((one) => ({ ...one, seat: String(one.seat) })),
  ),
  'carpool/seat-sharing#fraction-price': info('2', 'A price has half a fen.', (all) =>
    all.map((one) => ({ ...one, estimate_price: one.estimate_price + 0.5 })),
  ),
  'carpool/seat-sharing#empty': info('2', 'carpool_info is empty.', () => []),
  'carpool/seat-sharing#object': info('2', 'carpool_info is an object.', (all) => ({
    first: all[0],
  })),
  'carpool/seat-sharing#null': info('2', 'carpool_info is null.', () => null),
  'carpool/seat-sharing#null-seat': info('2', 'seat is null.', (all) =>
    all.map((one) => ({ ...one, seat: null })),
  ),
  'carpool/seats-distinct#twice': info('2', 'The last element is there twice.', (all) => [
    ...all,
    all.at(-1),
  ]),
  'carpool/no-seat-sharing#two': info('1', 'There are two elements.', (all) => [...all, ...all]),
  'carpool/no-seat-sharing#none': info('1', 'There is no element.', () => []),
  'carpool/no-seat-sharing#text-price': info('1', 'The price is a text.', (all) =>
    all.map((one) => ({ estimate_price: String(one.estimate_price) })),
  ),
  'carpool/no-seat-sharing#null': info('1', 'carpool_info is null.', () => null),
  'carpool/plain#tag': [
    'A record without carpooling has carpool_tag 1.',
    (record) => (record.carpool_tag === undefined ? { carpool_tag: '1' } : {}),
    because('a record with tag 1 has an element', 'carpool/no-seat-sharing'),
  ],
  'carpool/no-seat-sharing#null-seat': info('1', 'seat is null.', (all) =>
    all.map((one) => ({ ...one, seat: null })),
  ),
  'carpool/plain#null-tag': [
    'A record without carpooling has carpool_tag null.',
    (record) => (record.carpool_tag === undefined ? { carpool_tag: null } : {}),
  ],
  'carpool/plain#null-info': [
    'A record without carpooling has carpool_info null.',
    (record) => (record.carpool_tag === undefined ? { carpool_info: null } : {}),
  ],
  'carpool/plain#info': [
    'A record without carpooling has a carpool_info.',
    (record) =>
      record.carpool_tag === undefined ? { carpool_info: [{ estimate_price: 900 }] } : {},
  ],
};

/** Rules whose fault is also there in one answer of five. */
/** Forms of the rules on records. */
export const RECORD_FORMS: FaultForms = {
  ...joined(
    Object.entries(VALUES).map(([rule, [field, values, breaks]]) =>
      named(rule as ServiceRuleId, values, (value) =>
        changing(`${field} is ${wordsFor(value)}.`, () => ({ [field]: value }), breaks),
      ),
    ),
  ),
  'record/amounts-plausible#dynamic-zero': changing('dynamic is 0.', () => ({ dynamic: 0 })),
  'record/amounts-plausible#distance-of-16-bits': changing(
    'distance_in_meter is cut to 16 bits.',
    ({ distance_in_meter }) => ({ distance_in_meter: (distance_in_meter << 16) >> 16 }),
  ),
  'record/amounts-plausible#price-of-16-bits': changing(
    'estimate_price is cut to 16 bits.',
    ({ estimate_price }) => ({ estimate_price: (estimate_price << 16) >> 16 }),
  ),
  'record/amounts-plausible#distance': changing('distance_in_meter is negative.', (record) => ({
    distance_in_meter: -record.distance_in_meter,
  })),
  'record/echoes-request#other-product': changing(
    'product_type is the other one.',
    ({ product_type }) => ({
      product_type: product_type === 'express-car' ? 'private-car' : 'express-car',
    }),
  ),
  ...Object.fromEntries(
    Object.entries(CARPOOL).map(([form, row]): [string, FaultDefinition] => [
      form,
      changing(...row),
    ]),
  ),
};

function wordsFor(value: unknown): string {
  return value === undefined ? 'left out' : `\`${JSON.stringify(value)}\``;
}

function withTag(tag: unknown) {
  return (record: EstimateRecord): object => (record.carpool_tag ? { carpool_tag: tag } : {});
}

function info(
  tag: Tag,
  how: string,
  change: (all: Info) => unknown,
): readonly [string, (record: EstimateRecord) => object] {
  return [
    `With tag ${tag}: ${how}`,
    ({ carpool_tag, carpool_info = [] }) =>
      carpool_tag === tag ? { carpool_info: change(carpool_info) } : {},
  ];
}
