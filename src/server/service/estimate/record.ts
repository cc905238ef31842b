import type { Behaviour, EstimateRecord } from '../../../interface/index.ts';
import type { Fare } from './pricing.ts';
import type { Route } from './route.ts';

const JUMP_URL = 'https://rides.example/open';
const DOWNLOAD_URL = 'https://rides.example/download';
/** Price of a shared ride as a share of the full price, by seats; index 0 is one seat. */
const SHARE_OF_PRICE = [0.6, 0.75];
const SHARE_WITHOUT_SEATS = 0.7;

/** Creates estimate records; the ride type determines their shape (interface.md, "Estimate record"). */
export class RecordWriter {
  readonly #carTypes: readonly number[];
  readonly #payTypes: readonly string[];

  constructor(behaviour: Behaviour) {
    this.#carTypes = behaviour['car-type-codes'];
    this.#payTypes = behaviour['pay-type-codes'];
  }

  record(
    { productType, rideType }: Pick<Route, 'productType' | 'rideType'>,
    fare: Fare,
    estimateId: string,
  ): EstimateRecord {
    return {
      product_type: productType,
      ride_type: rideType,
      currency_code: 'CNY',
      estimate_price: fare.priceFen,
      time_in_second: fare.timeS,
      distance_in_meter: fare.distanceM,
      car_type: this.#carTypes[codeIndex(rideType, this.#carTypes.length)] ?? 0,
      dynamic: fare.dynamic,
      estimate_id: estimateId,
      pay_type: this.#payTypes.slice(0, productType === 'private-car' ? 1 : 2).join(','),
      jump_url: `${JUMP_URL}?product_type=${productType}`,
      download_url: DOWNLOAD_URL,
      ...carpoolFields(rideType, fare.priceFen),
    };
  }
}

/** Carpool fields of a record; the tag is a string, as in the samples. */
function carpoolFields(
  rideType: string,
  priceFen: number,
): Pick<EstimateRecord, 'carpool_tag' | 'carpool_info'> {
  switch (rideType) {
    case 'carpool':
      return {
        carpool_tag: '2',
        carpool_info: SHARE_OF_PRICE.map((share, index) => ({
          seat: index + 1,
          estimate_price: Math.round(priceFen * share),
        })),
      };
    case 'carpool-single':
      return {
        carpool_tag: '1',
        carpool_info: [{ estimate_price: Math.round(priceFen * SHARE_WITHOUT_SEATS) }],
      };
    default:
      return {};
  }
}

/** Index of a ride type's code: a hash, so that a type has the same code in every run. */
function codeIndex(rideType: string, count: number): number {
  let sum = 0;
  for (let at = 0; at < rideType.length; at++) sum = (sum * 31 + rideType.charCodeAt(at)) >>> 0;
  return sum % count;
}
