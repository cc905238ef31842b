import type { EstimateRecord } from '../../interface/index.ts';
import type { EstimateIds } from '../estimate/estimate-ids.ts';
import type { EstimateSteps } from '../estimate/estimate-steps.ts';
import type { Partner } from '../state/partners.ts';
import type { FaultsOf } from './fault.ts';
import { withMethods } from './replace.ts';

/** Faults of the rules on estimate records; each leaves the rest of the record as it should be. */
export const RECORD_FAULTS: FaultsOf<'record'> = {
  'record/array': {
    how: 'The body is `{"estimates": [...]}`.',
    breaks: {
      rules: ['estimate/platform', 'estimate/user'],
      reason: 'a platform and a user token each get a JSON array',
    },
    replace: { writeRecords: (write) => (records) => `{"estimates":${write(records)}}` },
  },
  'record/product-type': {
    how: 'product_type is written with an underscore.',
    breaks: {
      rules: ['record/echoes-request'],
      reason: 'no record then carries the product asked for',
    },
    replace: {
      writeRecords: changing(({ product_type }) => ({
        product_type: product_type.replace('-', '_'),
      })),
    },
  },
  'record/ride-type': {
    how: 'ride_type is empty.',
    breaks: {
      rules: ['record/echoes-request'],
      reason: 'no record then carries the ride type asked for',
    },
    replace: { writeRecords: changing(() => ({ ride_type: '' })) },
  },
  'record/currency-code': {
    how: 'currency_code is `yuan`.',
    replace: { writeRecords: changing(() => ({ currency_code: 'yuan' })) },
  },
  'record/estimate-price': {
    how: 'estimate_price has half a fen.',
    replace: {
      writeRecords: changing(({ estimate_price }) => ({ estimate_price: estimate_price + 0.5 })),
    },
  },
  'record/time-in-second': {
    how: 'time_in_second is a text.',
    replace: {
      writeRecords: changing(({ time_in_second }) => ({ time_in_second: String(time_in_second) })),
    },
  },
  'record/distance-in-meter': {
    how: 'distance_in_meter has half a meter.',
    replace: {
      writeRecords: changing(({ distance_in_meter }) => ({
        distance_in_meter: distance_in_meter + 0.5,
      })),
    },
  },
  'record/car-type': {
    how: 'car_type is a text.',
    replace: { writeRecords: changing(({ car_type }) => ({ car_type: String(car_type) })) },
  },
  'record/dynamic': {
    how: 'dynamic is a text.',
    replace: { writeRecords: changing(({ dynamic }) => ({ dynamic: String(dynamic) })) },
  },
  'record/amounts-plausible': {
    how: 'time_in_second is negative.',
    replace: {
      writeRecords: changing(({ time_in_second }) => ({ time_in_second: -time_in_second })),
    },
  },
  'record/echoes-request': {
    how: 'ride_type is `standard`, whatever was asked for.',
    replace: { writeRecords: changing(() => ({ ride_type: 'standard' })) },
  },
  'record/estimate-id': {
    how: 'estimate_id is a list with the id in it.',
    replace: { writeRecords: changing(({ estimate_id }) => ({ estimate_id: [estimate_id] })) },
  },
  'record/estimate-id-unique': {
    how: "A partner's estimates of one minute share an estimate_id.",
    replace: { estimateIds: repeatingIds },
  },
  'record/pay-type': {
    how: 'pay_type is empty.',
    replace: { writeRecords: changing(() => ({ pay_type: '' })) },
  },
  'record/jump-url': {
    how: 'jump_url is relative.',
    replace: { writeRecords: changing(() => ({ jump_url: '/open' })) },
  },
  'record/download-url': {
    how: 'download_url is relative.',
    replace: { writeRecords: changing(() => ({ download_url: 'download' })) },
  },
};

/** Changes fields of each record. */
export function changing(
  change: (record: EstimateRecord) => object,
): (write: EstimateSteps['writeRecords']) => EstimateSteps['writeRecords'] {
  return (write) => (records) =>
    write(records.map((record) => ({ ...record, ...change(record as EstimateRecord) })));
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
