import type { EstimateRecord, ServiceRuleId } from '../../interface/index.ts';
import type { FaultSwitches } from './switches.ts';

/** A record as a service with a broken rule writes it. */
type FaultyRecord = Record<string, unknown>;

/** What is wrong in a record, by the rule that is broken; the rest of the record is as it should be. */
const DISTORTIONS: { readonly [id in ServiceRuleId]?: (record: EstimateRecord) => FaultyRecord } = {
  'record/product-type': ({ product_type }) => ({ product_type: product_type.replace('-', '_') }),
  'record/ride-type': () => ({ ride_type: '' }),
  'record/currency-code': () => ({ currency_code: 'yuan' }),
  'record/estimate-price': ({ estimate_price }) => ({ estimate_price: estimate_price + 0.5 }),
  'record/time-in-second': ({ time_in_second }) => ({ time_in_second: `${time_in_second}` }),
  'record/distance-in-meter': ({ distance_in_meter }) => ({
    distance_in_meter: distance_in_meter + 0.5,
  }),
  'record/car-type': ({ car_type }) => ({ car_type: `${car_type}` }),
  'record/dynamic': ({ dynamic }) => ({ dynamic: `${dynamic}` }),
  'record/amounts-plausible': ({ time_in_second }) => ({ time_in_second: -time_in_second }),
  'record/echoes-request': () => ({ ride_type: 'standard' }),
  'record/estimate-id': ({ estimate_id }) => ({ estimate_id: [estimate_id] }),
  'record/pay-type': () => ({ pay_type: '' }),
  'record/jump-url': () => ({ jump_url: '/open' }),
  'record/download-url': () => ({ download_url: 'download' }),
  'carpool/tag': ({ carpool_tag }) => (carpool_tag ? { carpool_tag: '3' } : {}),
  'carpool/seat-sharing': ({ carpool_tag, carpool_info }) =>
    carpool_tag === '2'
      ? {
          carpool_info: carpool_info?.map(({ seat, estimate_price }) =>
            seat === 1 ? { estimate_price } : { seat, estimate_price },
          ),
        }
      : {},
  'carpool/seats-distinct': ({ carpool_tag, carpool_info }) =>
    carpool_tag === '2'
      ? { carpool_info: carpool_info?.map((element) => ({ ...element, seat: 1 })) }
      : {},
  'carpool/no-seat-sharing': ({ carpool_tag, carpool_info }) =>
    carpool_tag === '1'
      ? { carpool_info: carpool_info?.map((element) => ({ ...element, seat: 1 })) }
      : {},
  'carpool/plain': ({ carpool_tag }) => (carpool_tag === undefined ? { carpool_info: [] } : {}),
};

/** Writes the records of an answer, with those rules broken. */
export type BodyWriter = (records: readonly EstimateRecord[]) => string;

/** The writer of estimate bodies: plain JSON, unless a rule on records is broken. */
export function bodyWriterWith(faults: FaultSwitches): BodyWriter {
  const distortions = Object.entries(DISTORTIONS)
    .filter(([id]) => faults[id as ServiceRuleId])
    .map(([, distort]) => distort);
  if (faults['record/array']) return (records) => JSON.stringify({ estimates: records });
  if (distortions.length === 0) return (records) => JSON.stringify(records);
  return (records) =>
    JSON.stringify(
      records.map((record) =>
        Object.fromEntries(
          [record, ...distortions.map((distort) => distort(record))].flatMap(Object.entries),
        ),
      ),
    );
}
