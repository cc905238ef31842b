import { must, rulesOf, should } from './rule.ts';

/** Rules for a service about estimate requests. */
export const ESTIMATE_RULES = rulesOf('service', ['partner'], {
  'estimate/platform': must(
    'The service responds to an estimate request with a platform token with HTTP 200 and a JSON array.',
    'Authentication',
  ),
  'estimate/user': must(
    'The service responds to a signed estimate request with a user token with HTTP 200 and a JSON array.',
    'Authentication',
    { needs: ['partner', 'code'] },
  ),
  'estimate/required-parameters': must(
    'The service refuses an estimate request that lacks any one of `start_lat`, `start_lng`, `from_name`, `end_lat`, `end_lng`, `to_name`, `product_type`, `ride_type`.',
    '2. Estimate prices',
  ),
  'estimate/coordinates-numeric': must(
    'The service refuses a coordinate that is not a number.',
    '2. Estimate prices',
  ),
  'estimate/coordinates-range': should(
    'The service refuses a latitude beyond ±90 or a longitude beyond ±180.',
    '2. Estimate prices',
  ),
  'estimate/imei-optional': must(
    'The service accepts an estimate request with and without `imei`.',
    '2. Estimate prices',
  ),
  'estimate/map-type-optional': must(
    'The service accepts an estimate request without `map_type`, and one with `soso`.',
    '2. Estimate prices',
  ),
  'estimate/departure-time': must(
    'The service accepts an estimate request without `departure_time`, and one with a Unix time in seconds.',
    '2. Estimate prices',
  ),
  'estimate/departure-time-price': must(
    'A different departure time gives a different price: over a day of departure times the price is not constant.',
    '2. Estimate prices',
  ),
  'estimate/private-car': must(
    'The service returns an estimate for product type `private-car`.',
    'What the service does',
  ),
  'estimate/express-car': must(
    'The service returns an estimate for product type `express-car`.',
    'What the service does',
  ),
  'estimate/non-ascii-names': should(
    'The service accepts place names in any script, as percent-encoded UTF-8.',
    '2. Estimate prices',
  ),
  'estimate/version-prefix': should(
    'The service does not serve the path without `/v1`.',
    'Versioning',
  ),
});
