import type { ServiceRuleText } from './rule.ts';

/** Rules for a service about estimate requests. */
export const ESTIMATE_RULES = [
  {
    id: 'estimate/platform',
    level: 'must',
    statement:
      'The service answers an estimate request with a platform token with HTTP 200 and a JSON array.',
    section: 'Authentication',
    needs: ['partner'],
  },
  {
    id: 'estimate/user',
    level: 'must',
    statement:
      'The service answers a signed estimate request with a user token with HTTP 200 and a JSON array.',
    section: 'Authentication',
    needs: ['partner', 'code'],
  },
  {
    id: 'estimate/required-parameters',
    level: 'must',
    statement:
      'The service refuses an estimate request that lacks any one of `start_lat`, `start_lng`, `from_name`, `end_lat`, `end_lng`, `to_name`, `product_type`, `ride_type`.',
    section: '2. Estimate prices',
    needs: ['partner'],
  },
  {
    id: 'estimate/coordinates-numeric',
    level: 'must',
    statement: 'The service refuses a coordinate that is not a number.',
    section: '2. Estimate prices',
    needs: ['partner'],
  },
  {
    id: 'estimate/coordinates-range',
    level: 'should',
    statement: 'The service refuses a latitude beyond ±90 or a longitude beyond ±180.',
    section: '2. Estimate prices',
    needs: ['partner'],
  },
  {
    id: 'estimate/imei-optional',
    level: 'must',
    statement: 'The service accepts an estimate request with and without `imei`.',
    section: '2. Estimate prices',
    needs: ['partner'],
  },
  {
    id: 'estimate/map-type-optional',
    level: 'must',
    statement: 'The service accepts an estimate request without `map_type`, and one with `soso`.',
    section: '2. Estimate prices',
    needs: ['partner'],
  },
  {
    id: 'estimate/departure-time',
    level: 'must',
    statement:
      'The service accepts an estimate request without `departure_time`, and one with a Unix time in seconds.',
    section: '2. Estimate prices',
    needs: ['partner'],
  },
  {
    id: 'estimate/departure-time-price',
    level: 'must',
    statement:
      'A different departure time gives a different price: over a day of departure times the price is not constant.',
    section: '2. Estimate prices',
    needs: ['partner'],
  },
  {
    id: 'estimate/private-car',
    level: 'must',
    statement: 'The service returns an estimate for product type `private-car`.',
    section: 'What the service does',
    needs: ['partner'],
  },
  {
    id: 'estimate/express-car',
    level: 'must',
    statement: 'The service returns an estimate for product type `express-car`.',
    section: 'What the service does',
    needs: ['partner'],
  },
  {
    id: 'estimate/non-ascii-names',
    level: 'should',
    statement: 'The service accepts place names in any script, as percent-encoded UTF-8.',
    section: '2. Estimate prices',
    needs: ['partner'],
  },
  {
    id: 'estimate/version-prefix',
    level: 'should',
    statement: 'The service does not serve the path without `/v1`.',
    section: 'Versioning',
    needs: ['partner'],
  },
] as const satisfies readonly ServiceRuleText[];
