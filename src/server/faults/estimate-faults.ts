import type { ServiceRuleId } from '../../interface/index.ts';
import type { FaultText } from './fault.ts';
import { alone, along } from './fault.ts';

type EstimateRule = Extract<
  ServiceRuleId,
  `${'estimate' | 'auth' | 'record' | 'carpool' | 'lock'}/${string}`
>;

/** How each rule on estimates, their authorization, their records and their locks is broken. */
export const ESTIMATE_FAULTS: Readonly<Record<EstimateRule, FaultText>> = {
  'estimate/platform': alone('A platform token gets no estimate.'),
  'estimate/user': alone('A user token gets no estimate.'),
  'estimate/required-parameters': alone('Every parameter may be left out.'),
  'estimate/coordinates-numeric': alone('A coordinate that is no number is taken for 0.'),
  'estimate/coordinates-range': alone('A coordinate out of range is moved to its bound.'),
  'estimate/imei-optional': alone('A request with imei is refused.'),
  'estimate/map-type-optional': alone('A request with map_type is refused.'),
  'estimate/departure-time': alone('A request with departure_time is refused.'),
  'estimate/departure-time-price': alone('Every departure time has the same price.'),
  'estimate/private-car': alone('product_type `private-car` is refused.'),
  'estimate/express-car': alone('product_type `express-car` is refused.'),
  'estimate/non-ascii-names': alone('Place names beyond ASCII are refused.'),
  'estimate/version-prefix': alone('The paths without `/v1` are served too.'),
  'auth/authorization-required': alone('An estimate without Authorization is answered.'),
  'auth/scheme': alone('Any scheme passes before the same credentials.'),
  'auth/unknown-token': alone('An access token that was never issued passes.'),
  'auth/user-signature': alone('The signature of a user estimate is not checked.'),
  'auth/scope-public': alone('A token without scope `public` passes.'),
  'auth/token-of-partner': alone("Another partner's token passes."),
  'record/array': along(
    'The body is `{"estimates": [...]}`.',
    'a platform and a user token each get a JSON array',
    ['estimate/platform', 'estimate/user'],
  ),
  'record/product-type': along(
    'product_type is written with an underscore.',
    'no record then carries the product asked for',
    ['record/echoes-request'],
  ),
  'record/ride-type': along(
    'ride_type is empty.',
    'no record then carries the ride type asked for',
    ['record/echoes-request'],
  ),
  'record/currency-code': alone('currency_code is `yuan`.'),
  'record/estimate-price': alone('estimate_price has half a fen.'),
  'record/time-in-second': alone('time_in_second is a text.'),
  'record/distance-in-meter': alone('distance_in_meter has half a meter.'),
  'record/car-type': alone('car_type is a text.'),
  'record/dynamic': alone('dynamic is a text.'),
  'record/amounts-plausible': alone('time_in_second is negative.'),
  'record/echoes-request': alone('ride_type is `standard`, whatever was asked for.'),
  'record/estimate-id': alone('estimate_id is a list with the id in it.'),
  'record/estimate-id-unique': alone("A partner's estimates of one minute share an estimate_id."),
  'record/pay-type': alone('pay_type is empty.'),
  'record/jump-url': alone('jump_url is relative.'),
  'record/download-url': alone('download_url is relative.'),
  'carpool/tag': alone('With carpooling, carpool_tag is 3.'),
  'carpool/seat-sharing': alone('With tag 2, one element lacks its seat.'),
  'carpool/seats-distinct': alone('With tag 2, every element has seat 1.'),
  'carpool/no-seat-sharing': alone('With tag 1, the element has a seat.'),
  'carpool/plain': alone('A record without carpooling carries an empty carpool_info.'),
  'lock/default-10-minutes': alone('An estimate is locked for 5 minutes.'),
  'lock/partner-60-minutes': alone('A specially agreed partner gets the default lock.'),
};
