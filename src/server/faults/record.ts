import type { EstimateRecord } from '../../interface/index.ts';
import type { EstimateIds } from '../service/estimate/estimate-ids.ts';
import type { Partner } from '../service/state/partners.ts';
import { type Broken, because, type FaultDefinition, type FaultsOf, fault } from './fault.ts';
import { withMethods } from './with-methods.ts';

/** Faults of the rules on estimate records; each leaves the rest of the record as it should be. */
export const RECORD_FAULTS: FaultsOf<'record' | 'carpool'> = {
  'record/array': fault(
    'The body is `{"estimates": [...]}`.',
    { writeRecords: (write) => (records) => `{"estimates":${write(records)}}` },
    because(
      'a platform and a user token each get a JSON array',
      'estimate/platform',
      'estimate/user',
    ),
  ),
  'record/product-type': withField(
    'product_type',
    'is written with an underscore',
    (type) => type.replace('-', '_'),
    because('no record then carries the product asked for', 'record/echoes-request'),
  ),
  'record/ride-type': withField(
    'ride_type',
    'is empty',
    () => '',
    because('no record then carries the ride type asked for', 'record/echoes-request'),
  ),
  'record/currency-code': withField('currency_code', 'is `yuan`', () => 'yuan'),
  'record/estimate-price': withField('estimate_price', 'has half a fen', (fen) => fen + 0.5),
  'record/time-in-second': withField('time_in_second', 'is a text', String),
  'record/distance-in-meter': withField(
    'distance_in_meter',
    'has half a meter',
    (meters) => meters + 0.5,
  ),
  'record/car-type': withField('car_type', 'is a text', String),
  'record/dynamic': withField('dynamic', 'is a text', String),
  'record/amounts-plausible': withField('time_in_second', 'is negative', (seconds) => -seconds),
  'record/echoes-request': withField(
    'ride_type',
    'is `standard`, whatever was asked for',
    () => 'standard',
  ),
  'record/estimate-id': withField('estimate_id', 'is a list with the id in it', (id) => [id]),
  'record/estimate-id-unique': fault("A partner's estimates of one minute share an estimate_id.", {
    estimateIds: repeatingIds,
  }),
  'record/pay-type': withField('pay_type', 'is empty', () => ''),
  'record/jump-url': withField('jump_url', 'is relative', () => '/open'),
  'record/download-url': withField('download_url', 'is relative', () => 'download'),
  'carpool/tag': changing('With carpooling, carpool_tag is 3.', ({ carpool_tag }) =>
    carpool_tag ? { carpool_tag: '3' } : {},
  ),
  'carpool/seat-sharing': withElements(
    '2',
    'With tag 2, one element lacks its seat.',
    ({ seat, estimate_price }) => (seat === 1 ? { estimate_price } : { seat, estimate_price }),
  ),
  'carpool/seats-distinct': withElements(
    '2',
    'With tag 2, every element has seat 1.',
    (element) => ({ ...element, seat: 1 }),
  ),
  'carpool/no-seat-sharing': withElements(
    '1',
    'With tag 1, the element has a seat.',
    (element) => ({ ...element, seat: 1 }),
  ),
  'carpool/plain': changing(
    'A record without carpooling carries an empty carpool_info.',
    ({ carpool_tag }) => (carpool_tag === undefined ? { carpool_info: [] } : {}),
  ),
};

/** Defines a fault that changes fields of each record. */
function changing(
  how: string,
  change: (record: EstimateRecord) => object,
  breaks?: readonly Broken[],
): FaultDefinition {
  const changed = (record: object): object => ({ ...record, ...change(record as EstimateRecord) });
  return fault(how, { writeRecords: (write) => (all) => write(all.map(changed)) }, breaks);
}

/** @param what the field is or has, in the broken record */
function withField<Name extends keyof EstimateRecord>(
  name: Name,
  what: string,
  change: (value: EstimateRecord[Name]) => unknown,
  breaks?: readonly Broken[],
): FaultDefinition {
  return changing(`${name} ${what}.`, (record) => ({ [name]: change(record[name]) }), breaks);
}

type Element = NonNullable<EstimateRecord['carpool_info']>[number];

function withElements(
  tag: '1' | '2',
  how: string,
  change: (element: Element) => object,
): FaultDefinition {
  return changing(how, ({ carpool_tag, carpool_info }) =>
    carpool_tag === tag ? { carpool_info: carpool_info?.map(change) } : {},
  );
}

function repeatingIds(ids: EstimateIds): EstimateIds {
  let last: { readonly id: string; readonly partner: Partner; readonly atMs: number } | null = null;
  return withMethods(ids, {
    issue: (partner, priceFen, nowMs) => {
      if (last?.partner === partner && nowMs - last.atMs < 60_000) return last.id;
      last = { id: ids.issue(partner, priceFen, nowMs), partner, atMs: nowMs };
      return last.id;
    },
  });
}
