import type { BehaviourInput } from '../../../../src/interface/behaviour-schema.ts';
import { ERROR_CONDITIONS } from '../../../../src/interface/error-conditions.ts';
import fc from '../../../support/property.ts';

const of = <const T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

const status = of(301, 400, 401, 403, 404, 409, 415, 422, 429, 500, 503, 599);

const errorStatus = fc
  .array(fc.tuple(of(...ERROR_CONDITIONS), status), { maxLength: 8 })
  .map((pairs) => Object.fromEntries(pairs));

/** Answers to all gaps that a request shows, each one that the register allows. */
export const anyBehaviour: fc.Arbitrary<BehaviourInput> = fc.record(
  {
    'signed-fields-token': of<'all' | string[]>(
      'all',
      'all',
      ['_', 'nostr'],
      ['grant_type', '_', 'nostr', 'refresh_token', 'auth_code', 'scope'],
    ),
    'signed-booleans-and-objects': of('numeric', 'literal'),
    'estimate-signed-decoded-or-encoded': of('decoded', 'encoded'),
    'timestamp-without-offset': of('utc', 'refused'),
    'estimate-content-type-required': of('no', 'yes'),
    'refused-request-extends-ban': of('no', 'yes'),
    'signed-fields-estimate': of<'all' | string[]>('all', 'all', ['from_name', 'to_name', 'imei']),
    'text-zero-signed': of('kept', 'skipped'),
    'slash-in-list': of('escaped', 'plain'),
    'signature-hex-case': of('any', 'lower'),
    'timestamp-future': of('accepted', 'within-validity', 'refused'),
    'nostr-replay': of('accepted', 'refused'),
    'unknown-scope': of('refused', 'granted', 'dropped'),
    'failed-requests-count': of('no', 'yes'),
    'day-boundary': of('calendar-utc', 'rolling'),
    'ban-reach': of('kind', 'tokens', 'everything'),
    'user-quota-reach': of('partner', 'user'),
    'refresh-replay-consequence': of('refused', 'family-ended'),
    'user-token-platform-header': of('accepted', 'refused'),
    'error-status': errorStatus,
    'error-body': of('json', 'text', 'empty'),
    'unknown-product-type': of('refused', 'no-estimate', 'estimated'),
    'unknown-ride-type': of('refused', 'no-estimate', 'estimated'),
    'map-types': of<'any' | string[]>('any', ['soso'], ['soso', 'wgs84']),
    'no-estimate-answer': of('empty-array', 'refused'),
    'car-type-codes': of([100], [1, 2, 3, 4]),
    'pay-type-codes': of(['1'], ['a', 'b', 'c']),
    'estimate-rate-limit': of<'none' | { perSecond: number }>('none', 'none', { perSecond: 30 }),
    'token-type-spelling': of('bearer', 'bear', 'Bearer'),
    'version-policy': of('v1-only', 'any-version'),
    'refresh-scope': fc.record({
      unnamed: of('kept', 'public'),
      wider: of('granted', 'kept', 'refused'),
    }),
    'auth-code-reuse': of('refused', 'accepted'),
    'departure-time-text': of('iso8601', 'refused'),
    'platform-token-after-refresh': of('valid', 'ended'),
    'newest-user-token-reach': of('user', 'partner'),
    'whitespace-trimmed': of('ascii', 'unicode', 'php'),
    'null-and-empty-list-signed': of('skipped', 'lists', 'both'),
    'token-content-type-required': of('no', 'yes'),
    'token-rate-limit': of<'none' | { perSecond: number }>('none', 'none', { perSecond: 10 }),
  },
  { requiredKeys: [] },
);
