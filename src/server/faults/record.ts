import type { EstimateRecord } from '../../interface/index.ts';
import type { EstimateIds } from '../estimate/estimate-ids.ts';
import type { Partner } from '../state/partners.ts';
import { type FaultsOf, fault } from './fault.ts';
import type { Replacement } from './parts.ts';
import { withMethods } from './replace.ts';

/** Faults of the rules on estimate records; each leaves the rest of the record as it should be. */
export const RECORD_FAULTS: FaultsOf<'record'> = {
  'record/array': fault(
    'The body is `{"estimates": [...]}`.',
    { writeRecords: (write) => (records) => `{"estimates":${write(records)}}` },
    {
      rules: ['estimate/platform', 'estimate/user'],
      reason: 'a platform and a user token each get a JSON array',
    },
  ),
  'record/product-type': fault(
    'product_type is written with an underscore.',
    {
      writeRecords: changing(({ product_type }) => ({
        product_type: product_type.replace('-', '_'),
      })),
    },
    {
      rules: ['record/echoes-request'],
      reason: 'no record then carries the product asked for',
    },
  ),
  'record/ride-type': fault(
    'ride_type is empty.',
    { writeRecords: changing(() => ({ ride_type: '' })) },
    {
      rules: ['record/echoes-request'],
      reason: 'no record then carries the ride type asked for',
    },
  ),
  'record/currency-code': fault('currency_code is `yuan`.', {
    writeRecords: changing(() => ({ currency_code: 'yuan' })),
  }),
  'record/estimate-price': fault('estimate_price has half a fen.', {
    writeRecords: changing(({ estimate_price }) => ({ estimate_price: estimate_price + 0.5 })),
  }),
  'record/time-in-second': fault('time_in_second is a text.', {
    writeRecords: changing(({ time_in_second }) => ({ time_in_second: String(time_in_second) })),
  }),
  'record/distance-in-meter': fault('distance_in_meter has half a meter.', {
    writeRecords: changing(({ distance_in_meter }) => ({
      distance_in_meter: distance_in_meter + 0.5,
    })),
  }),
  'record/car-type': fault('car_type is a text.', {
    writeRecords: changing(({ car_type }) => ({ car_type: String(car_type) })),
  }),
  'record/dynamic': fault('dynamic is a text.', {
    writeRecords: changing(({ dynamic }) => ({ dynamic: String(dynamic) })),
  }),
  'record/amounts-plausible': fault('time_in_second is negative.', {
    writeRecords: changing(({ time_in_second }) => ({ time_in_second: -time_in_second })),
  }),
  'record/echoes-request': fault('ride_type is `standard`, whatever was asked for.', {
    writeRecords: changing(() => ({ ride_type: 'standard' })),
  }),
  'record/estimate-id': fault('estimate_id is a list with the id in it.', {
    writeRecords: changing(({ estimate_id }) => ({ estimate_id: [estimate_id] })),
  }),
  'record/estimate-id-unique': fault("A partner's estimates of one minute share an estimate_id.", {
    estimateIds: repeatingIds,
  }),
  'record/pay-type': fault('pay_type is empty.', {
    writeRecords: changing(() => ({ pay_type: '' })),
  }),
  'record/jump-url': fault('jump_url is relative.', {
    writeRecords: changing(() => ({ jump_url: '/open' })),
  }),
  'record/download-url': fault('download_url is relative.', {
    writeRecords: changing(() => ({ download_url: 'download' })),
  }),
};

/** Changes fields of each record. */
export function changing(change: (record: EstimateRecord) => object): Replacement<'writeRecords'> {
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
