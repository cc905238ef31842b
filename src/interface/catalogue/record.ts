import { must, rulesOf, should } from './rule.ts';

/** Rules for a service about the fields of an estimate record. */
export const RECORD_RULES = rulesOf('service', ['partner'], {
  'record/array': must(
    'The body of an estimate response is a JSON array of objects.',
    'Estimate record',
  ),
  'record/product-type': must(
    '`product_type` is `private-car` or `express-car`.',
    'Estimate record',
  ),
  'record/ride-type': must('`ride_type` is a non-empty string.', 'Estimate record'),
  'record/currency-code': should('`currency_code` is an ISO 4217 code.', 'Estimate record'),
  'record/estimate-price': must('`estimate_price` is an integer (fen).', 'Estimate record'),
  'record/time-in-second': must('`time_in_second` is an integer.', 'Estimate record'),
  'record/distance-in-meter': must('`distance_in_meter` is an integer.', 'Estimate record'),
  'record/car-type': must('`car_type` is an integer.', 'Estimate record'),
  'record/dynamic': must('`dynamic` is a number.', 'Estimate record'),
  'record/amounts-plausible': should(
    'Price, time and distance are not negative, and `dynamic` is above 0.',
    'Estimate record',
  ),
  'record/echoes-request': should(
    '`product_type` and `ride_type` are the ones requested.',
    'Estimate record',
  ),
  'record/estimate-id': must('`estimate_id` is a non-empty string.', 'Estimate record'),
  'record/estimate-id-unique': should(
    'No two records have the same `estimate_id`.',
    'Estimate record',
  ),
  'record/pay-type': must(
    '`pay_type` is a non-empty string of codes separated by commas.',
    'Estimate record',
  ),
  'record/jump-url': must('`jump_url` is an absolute URL of any scheme.', 'Estimate record'),
  'record/download-url': must(
    '`download_url` is an absolute URL of any scheme.',
    'Estimate record',
  ),
});
