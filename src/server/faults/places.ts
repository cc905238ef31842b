import type { ServiceRuleId } from '../../interface/index.ts';
import { type Broken, because, type FaultDefinition, type PlacedFaults } from './fault.ts';
import { type Condition, only } from './only.ts';

const isGrant =
  (type: string): Condition =>
  (one) =>
    one.endpoint === 'token' && one.fields['grant_type'] === type;
const isCarpool: Condition = (one) => one.text('ride_type').startsWith('carpool');

/** Places of faults: in words, and the condition of the requests there. */
const PLACES = {
  refresh: ['On a refresh', isGrant('refresh_token')],
  exchange: ['On an exchange of an auth_code', isGrant('authorization_code')],
  'user-refresh': [
    'On a refresh of a user token',
    (one) => isGrant('refresh_token')(one) && (one.grant?.userId ?? null) !== null,
  ],
  'second-refresh': [
    'On a refresh of a refreshed token',
    (one) => isGrant('refresh_token')(one) && one.isOfRefreshed,
  ],
  'with-scope': ['Where a scope is requested', (one) => one.text('scope') !== ''],
  'user-estimate': ["With a user's header", (one) => one.isSignedEstimate],
  express: [
    'For express-car',
    (one) => one.text('product_type') === 'express-car' && !isCarpool(one),
  ],
  carpool: ['For carpooling', isCarpool],
  'refreshed-token': [
    'With an access_token of a refresh',
    (one) => one.endpoint === 'estimate' && one.isOfRefreshed,
  ],
  'one-in-five': [
    'In one response of five',
    ({ counts, endpoint }) => endpoint !== null && counts[endpoint] % 5 === 0,
  ],
} as const satisfies Record<string, readonly [where: string, Condition]>;

type Place = keyof typeof PLACES;

const GRANTS = ['refresh', 'exchange'] as const;
const ESTIMATES = ['user-estimate', 'express', 'carpool'] as const;

/** Places at which the fault of a rule is also there alone. */
const PLACES_OF: Readonly<Partial<Record<ServiceRuleId, readonly Place[]>>> = {
  'signature/invalid-refused': [...GRANTS, 'with-scope'],
  'signature/key-order': GRANTS,
  'signature/empty-skipped': GRANTS,
  'signature/zero-kept': GRANTS,
  'signature/trimmed': GRANTS,
  'signature/array-json': GRANTS,
  'signature/utf8': GRANTS,
  'signature/ampersands-stripped': GRANTS,
  'token/grant-refresh-token': ['user-refresh', 'second-refresh'],
  'token/timestamp-required': [...GRANTS, 'user-refresh', 'second-refresh', 'with-scope'],
  'token/timestamp-iso8601': GRANTS,
  'token/timestamp-fresh': GRANTS,
  'token/timestamp-expired': GRANTS,
  'token/timestamp-unchecked-in-test': GRANTS,
  'token/nostr-required': [...GRANTS, 'user-refresh', 'second-refresh', 'with-scope'],
  'token/nostr-length': GRANTS,
  'token/nostr-alphabet': GRANTS,
  'token/nostr-case': GRANTS,
  'token/scope-default': ['exchange'],
  'token/scope-echo': ['exchange'],
  'token/response-status': [...GRANTS, 'one-in-five'],
  'token/response-content-type': [...GRANTS, 'one-in-five'],
  'token/response-expires': [...GRANTS, 'one-in-five'],
  'token/response-token-type': [...GRANTS, 'user-refresh', 'second-refresh', 'one-in-five'],
  'lifecycle/refresh-rotates': ['user-refresh', 'second-refresh'],
  'lifecycle/refresh-single-use': ['user-refresh', 'second-refresh'],
  'lifecycle/refresh-single-use-concurrent': ['user-refresh', 'second-refresh'],
  'lifecycle/refresh-never-expires': ['user-refresh', 'second-refresh'],
  'lifecycle/user-token-newest-only': ['express', 'carpool', 'refreshed-token'],
  'lifecycle/expired-replaced-by-refresh': ['user-refresh', 'second-refresh'],
  'estimate/platform': ['express', 'carpool', 'refreshed-token'],
  'estimate/user': ['express', 'carpool', 'refreshed-token'],
  'estimate/required-parameters': ESTIMATES,
  'estimate/coordinates-numeric': ESTIMATES,
  'estimate/coordinates-range': ESTIMATES,
  'estimate/imei-optional': ESTIMATES,
  'estimate/map-type-optional': ESTIMATES,
  'estimate/departure-time': ESTIMATES,
  'estimate/departure-time-price': ESTIMATES,
  'estimate/private-car': ['user-estimate'],
  'estimate/express-car': ['user-estimate'],
  'estimate/non-ascii-names': ESTIMATES,
  'auth/authorization-required': ['express', 'carpool'],
  'auth/scheme': ['express', 'carpool'],
  'auth/unknown-token': ESTIMATES,
  'auth/user-signature': ['express', 'carpool', 'refreshed-token'],
  'auth/scope-public': ESTIMATES,
  'auth/token-of-partner': [...ESTIMATES, 'refreshed-token'],
  'record/array': ESTIMATES,
  'record/product-type': ['user-estimate', 'express', 'one-in-five'],
  'record/ride-type': ['user-estimate', 'express', 'one-in-five'],
  'record/currency-code': [...ESTIMATES, 'one-in-five'],
  'record/estimate-price': [...ESTIMATES, 'one-in-five'],
  'record/time-in-second': [...ESTIMATES, 'refreshed-token', 'one-in-five'],
  'record/distance-in-meter': [...ESTIMATES, 'one-in-five'],
  'record/car-type': [...ESTIMATES, 'one-in-five'],
  'record/dynamic': [...ESTIMATES, 'one-in-five'],
  'record/amounts-plausible': [...ESTIMATES, 'one-in-five'],
  'record/estimate-id': [...ESTIMATES, 'one-in-five'],
  'record/pay-type': [...ESTIMATES, 'one-in-five'],
  'record/jump-url': [...ESTIMATES, 'one-in-five'],
  'record/download-url': [...ESTIMATES, 'one-in-five'],
  'carpool/tag': ['user-estimate'],
  'carpool/seat-sharing': ['user-estimate'],
  'carpool/seats-distinct': ['user-estimate'],
  'carpool/no-seat-sharing': ['user-estimate'],
  'carpool/plain': ['user-estimate', 'express'],
};

const REPLACED_IN_VAIN = because(
  'the token that replaces an expired one does not work',
  'lifecycle/expired-replaced-by-refresh',
);

/** Other rules that break with a fault at a place. */
const ALSO_BROKEN: Readonly<Record<string, readonly Broken[]>> = {
  'estimate/platform#express': because('it is refused for express-car', 'estimate/express-car'),
  'estimate/user#express': because('it is refused for express-car', 'estimate/express-car'),
  'estimate/express-car#user-estimate': because('it is refused for a user', 'estimate/user'),
  'estimate/platform#refreshed-token': REPLACED_IN_VAIN,
  'estimate/user#refreshed-token': REPLACED_IN_VAIN,
};

/** Makes the faults that are there for some requests only: one grant, one header, one product. */
export function placed(faults: Readonly<Record<ServiceRuleId, FaultDefinition>>): PlacedFaults {
  const rules = Object.entries(PLACES_OF) as [ServiceRuleId, readonly Place[]][];
  return Object.fromEntries(
    rules.flatMap(([rule, places]) =>
      places.map((place): [string, FaultDefinition] => {
        const id = `${rule}#${place}`;
        const fault = faults[rule];
        const breaks = [...fault.breaks, ...(ALSO_BROKEN[id] ?? [])];
        const [where, condition] = PLACES[place];
        return [id, only({ ...fault, breaks }, where, condition)];
      }),
    ),
  );
}
