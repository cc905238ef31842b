import type { ServiceRuleId } from '../../../interface/index.ts';
import { type Broken, because, type FaultDefinition, type FaultForms } from '../fault.ts';
import { type Condition, only } from '../only.ts';
import { FAULT_OF_RULE } from '../rules/all.ts';

const isGrant =
  (type: string): Condition =>
  (one) =>
    one.endpoint === 'token' && one.fields['grant_type'] === type;
const isCarpool: Condition = (one) => one.text('ride_type').startsWith('carpool');

/** The requests that a form concerns: its name, the place of the fault in words, and the condition. */
const CARRIERS = {
  refresh: ['On a refresh', isGrant('refresh_token')],
  exchange: ['On an exchange of an auth_code', isGrant('authorization_code')],
  'user-refresh': [
    'On a refresh of a user token',
    (one) => isGrant('refresh_token')(one) && (one.grant?.userId ?? null) !== null,
  ],
  'second-refresh': [
    'On a refresh of a refreshed token',
    (one) => isGrant('refresh_token')(one) && (one.life?.generation ?? 0) > 0,
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
    (one) => one.endpoint === 'estimate' && (one.life?.generation ?? 0) > 0,
  ],
} as const satisfies Record<string, readonly [where: string, Condition]>;

type Carrier = keyof typeof CARRIERS;

/** Rules whose fault is also there for some requests only, by those requests. */
const ON: readonly (readonly [carriers: readonly Carrier[], rules: readonly ServiceRuleId[]])[] = [
  [
    ['refresh', 'exchange'],
    [
      'signature/invalid-refused',
      'signature/key-order',
      'signature/empty-skipped',
      'signature/zero-kept',
      'signature/trimmed',
      'signature/array-json',
      'signature/utf8',
      'signature/ampersands-stripped',
      'token/timestamp-required',
      'token/timestamp-iso8601',
      'token/timestamp-fresh',
      'token/timestamp-expired',
      'token/timestamp-unchecked-in-test',
      'token/nostr-required',
      'token/nostr-length',
      'token/nostr-alphabet',
      'token/nostr-case',
      'token/response-status',
      'token/response-content-type',
      'token/response-expires',
      'token/response-token-type',
    ],
  ],
  [['exchange'], ['token/scope-default', 'token/scope-echo']],
  [
    ['user-refresh', 'second-refresh'],
    [
      'token/grant-refresh-token',
      'token/nostr-required',
      'token/timestamp-required',
      'token/response-token-type',
      'lifecycle/refresh-rotates',
      'lifecycle/refresh-single-use',
      'lifecycle/refresh-single-use-concurrent',
      'lifecycle/refresh-never-expires',
      'lifecycle/expired-replaced-by-refresh',
    ],
  ],
  [
    ['with-scope'],
    ['token/nostr-required', 'token/timestamp-required', 'signature/invalid-refused'],
  ],
  [
    ['user-estimate', 'express', 'carpool'],
    [
      'estimate/required-parameters',
      'estimate/coordinates-numeric',
      'estimate/coordinates-range',
      'estimate/imei-optional',
      'estimate/map-type-optional',
      'estimate/departure-time',
      'estimate/departure-time-price',
      'estimate/non-ascii-names',
      'auth/scope-public',
      'auth/token-of-partner',
      'auth/unknown-token',
      'record/array',
      'record/currency-code',
      'record/estimate-price',
      'record/time-in-second',
      'record/distance-in-meter',
      'record/car-type',
      'record/dynamic',
      'record/amounts-plausible',
      'record/estimate-id',
      'record/pay-type',
      'record/jump-url',
      'record/download-url',
    ],
  ],
  [
    ['express', 'carpool'],
    [
      'auth/authorization-required',
      'auth/scheme',
      'auth/user-signature',
      'estimate/platform',
      'estimate/user',
      'lifecycle/user-token-newest-only',
    ],
  ],
  [['user-estimate'], ['estimate/private-car', 'estimate/express-car']],
  [
    ['user-estimate', 'express'],
    ['record/product-type', 'record/ride-type', 'carpool/plain'],
  ],
  [
    ['user-estimate'],
    ['carpool/tag', 'carpool/seat-sharing', 'carpool/seats-distinct', 'carpool/no-seat-sharing'],
  ],
  [
    ['refreshed-token'],
    [
      'auth/token-of-partner',
      'auth/user-signature',
      'estimate/platform',
      'estimate/user',
      'lifecycle/user-token-newest-only',
      'record/time-in-second',
    ],
  ],
];

const REPLACED_IN_VAIN = because(
  'the token that replaces an expired one does not work',
  'lifecycle/expired-replaced-by-refresh',
);

/** Other rules that break with a form. */
const ALSO_BROKEN: Readonly<Record<string, readonly Broken[]>> = {
  'estimate/platform#express': because('it is refused for express-car', 'estimate/express-car'),
  'estimate/user#express': because('it is refused for express-car', 'estimate/express-car'),
  'estimate/express-car#user-estimate': because('it is refused for a user', 'estimate/user'),
  'estimate/platform#refreshed-token': REPLACED_IN_VAIN,
  'estimate/user#refreshed-token': REPLACED_IN_VAIN,
};

/** Faults that are there for some requests only: one grant, one header, one product. */
export const CARRIER_FORMS: FaultForms = Object.fromEntries(
  ON.flatMap(([carriers, rules]) =>
    carriers.flatMap((carrier) =>
      rules.map((rule): [string, FaultDefinition] => {
        const form = `${rule}#${carrier}`;
        const fault = FAULT_OF_RULE[rule];
        const breaks = [...fault.breaks, ...(ALSO_BROKEN[form] ?? [])];
        const [where, condition] = CARRIERS[carrier];
        return [form, only({ ...fault, breaks }, where, condition)];
      }),
    ),
  ),
);
