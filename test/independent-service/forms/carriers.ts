import { type Attempt, type Fields, type Form, only } from '../form.ts';
import { textOf } from '../state.ts';
import { BASE } from './base.ts';
import { answer, answerWith, forgive, record, refuse } from './builders.ts';

type Carrier = (r: Attempt) => boolean;

const isPool = ({ fields }: Attempt): boolean => textOf(fields['ride_type']).startsWith('pool');

/** The requests that a rule holds for. */
const CARRIER = {
  refresh: (r) => r.kind === 'refresh',
  exchange: (r) => r.kind === 'user',
  'user-refresh': (r) => r.kind === 'refresh' && r.user !== null,
  user: (r) => r.user !== null,
  'user-estimate': (r) => r.asUser,
  'platform-header': (r) => r.endpoint === 'estimate' && !r.asUser,
  express: (r) => r.fields['product_type'] === 'express-car' && !isPool(r),
  carpool: isPool,
  'refreshed-token': (r) => r.endpoint === 'estimate' && (r.token?.generation ?? 0) > 0,
  'second-refresh': (r) => r.kind === 'refresh' && (r.refresh?.generation ?? 0) > 0,
  'with-scope': (r) => r.endpoint === 'token' && 'scope' in r.fields,
} satisfies Record<string, Carrier>;

type CarrierName = keyof typeof CARRIER;

const ON: readonly (readonly [carriers: readonly CarrierName[], rules: readonly string[]])[] = [
  [
    ['refresh', 'exchange'],
    [
      'signature/invalid-refused',
      'signature/wrong-key-refused',
      'signature/key-order',
      'signature/trimmed',
      'signature/zero-kept',
      'signature/utf8',
      'signature/array-json',
      'signature/empty-skipped',
      'signature/ampersands-stripped',
      'token/json-body',
      'token/timestamp-required',
      'token/timestamp-iso8601',
      'token/timestamp-fresh',
      'token/timestamp-expired',
      'token/nostr-required',
      'token/nostr-length',
      'token/nostr-alphabet',
      'token/nostr-case',
      'token/authorization-required',
      'token/authorization-shape',
      'token/partner-unknown',
      'token/response-status',
      'token/response-content-type',
      'token/response-access-token',
      'token/response-refresh-token',
      'token/response-expires',
      'token/response-token-type',
    ],
  ],
  [['exchange'], ['token/scope-echo', 'token/scope-default']],
  [
    ['user-refresh', 'second-refresh'],
    [
      'lifecycle/refresh-single-use',
      'lifecycle/refresh-rotates',
      'lifecycle/refresh-never-expires',
      'lifecycle/expired-replaced-by-refresh',
      'lifecycle/refresh-single-use-concurrent',
      'token/grant-refresh-token',
      'token/response-status',
      'token/response-token-type',
      'token/nostr-required',
      'token/response-expires',
    ],
  ],
  [
    ['user-estimate'],
    [
      'signature/key-order',
      'signature/utf8',
      'signature/trimmed',
      'signature/empty-skipped',
      'signature/ampersands-stripped',
      'estimate/required-parameters',
      'estimate/coordinates-numeric',
      'estimate/coordinates-range',
      'estimate/imei-optional',
      'estimate/map-type-optional',
      'estimate/departure-time',
      'estimate/departure-time-price',
      'estimate/private-car',
      'estimate/express-car',
      'estimate/non-ascii-names',
      'auth/unknown-token',
      'auth/scope-public',
      'auth/token-of-partner',
      'lifecycle/access-token-expires',
      'lifecycle/access-token-valid-until-expiry',
      'lifecycle/user-token-newest-only',
      'record/array',
      'record/product-type',
      'record/ride-type',
      'record/currency-code',
      'record/estimate-price',
      'record/time-in-second',
      'record/distance-in-meter',
      'record/car-type',
      'record/dynamic',
      'record/amounts-plausible',
      'record/echoes-request',
      'record/estimate-id',
      'record/estimate-id-unique',
      'record/pay-type',
      'record/jump-url',
      'record/download-url',
      'carpool/tag',
      'carpool/seat-sharing',
      'carpool/seats-distinct',
      'carpool/no-seat-sharing',
      'carpool/plain',
    ],
  ],
  [['platform-header'], ['lifecycle/user-token-newest-only']],
  [
    ['express', 'carpool'],
    [
      'auth/authorization-required',
      'auth/scheme',
      'auth/unknown-token',
      'auth/user-signature',
      'auth/scope-public',
      'auth/token-of-partner',
      'estimate/platform',
      'estimate/user',
      'estimate/required-parameters',
      'estimate/coordinates-numeric',
      'estimate/coordinates-range',
      'estimate/imei-optional',
      'estimate/map-type-optional',
      'estimate/departure-time',
      'estimate/non-ascii-names',
      'lifecycle/access-token-expires',
      'lifecycle/user-token-newest-only',
      'estimate/departure-time-price',
      'record/array',
      'record/currency-code',
      'record/estimate-price',
      'record/time-in-second',
      'record/distance-in-meter',
      'record/car-type',
      'record/dynamic',
      'record/amounts-plausible',
      'record/estimate-id',
      'record/estimate-id-unique',
      'record/pay-type',
      'record/jump-url',
      'record/download-url',
    ],
  ],
  [
    ['express'],
    ['record/product-type', 'record/ride-type', 'record/echoes-request', 'carpool/plain'],
  ],
  [
    ['refreshed-token'],
    [
      'lifecycle/access-token-expires',
      'lifecycle/access-token-valid-until-expiry',
      'auth/token-of-partner',
      'estimate/platform',
      'estimate/user',
      'lifecycle/user-token-newest-only',
    ],
  ],
  [
    ['with-scope'],
    [
      'token/nostr-required',
      'token/timestamp-required',
      'token/timestamp-expired',
      'token/nostr-length',
      'signature/key-order',
    ],
  ],
];

/** Rules whose base form needs other words on another carrier. */
const OTHER: Readonly<Record<string, Form>> = {
  'token/grant-type-required#refresh': {
    grants: (type, fields) => (type === undefined && 'refresh_token' in fields ? 'refresh' : null),
  },
  'token/grant-type-required#exchange': {
    grants: (type, fields) => (type === undefined && 'auth_code' in fields ? 'user' : null),
  },
  'token/grant-type-known#refresh': {
    grants: (type, fields) => (type !== undefined && 'refresh_token' in fields ? 'refresh' : null),
  },
  'token/grant-type-known#exchange': {
    grants: (type, fields) => (type !== undefined && 'auth_code' in fields ? 'user' : null),
  },
  'auth/scheme#user-estimate': forgive('authorization-shape', (r) => r.asUser),
  'auth/authorization-required#without-any-header-on-express': only(
    BASE['auth/authorization-required']!,
    CARRIER.express,
  ),
  'signature/covers-fields#refresh': { signs: (r) => r.kind === 'refresh' },
  'signature/covers-fields#exchange': { signs: (r) => r.kind === 'user' },
  'token/scope-echo#refresh': answer((json: Fields, r) => {
    if (r.kind === 'refresh') json['scope'] = 'public profile rides.read';
  }),
  'token/scope-echo#refresh-widened': answer((json: Fields, r) => {
    if (r.kind === 'refresh') json['scope'] = 'public rides.read rides.request';
  }),
  'token/response-expires#zero-on-refresh': only(
    answerWith('expires_in_second', 0),
    CARRIER.refresh,
  ),
  'token/auth-code-required#with-refresh-token': forgive(
    'code-missing',
    (r) => 'refresh_token' in r.fields,
  ),
  'estimate/imei-optional#express-demands': refuse(
    'parameter',
    (r) => r.endpoint === 'estimate' && CARRIER.express(r) && !r.fields['imei'],
  ),
  'estimate/map-type-optional#user-demands': refuse(
    'parameter',
    (r) => r.asUser && !r.fields['map_type'],
  ),
  'record/ride-type#carpool': only(record('ride_type', null), CARRIER.carpool),
};

/** Rules that hold for one kind of request only, see "What is wrong" of a negative on one carrier. */
export const CARRIERS: Readonly<Record<string, Form>> = {
  ...Object.fromEntries(
    ON.flatMap(([carriers, rules]) =>
      carriers.flatMap((carrier) =>
        rules.map((rule) => [`${rule}#${carrier}`, only(BASE[rule]!, CARRIER[carrier])]),
      ),
    ),
  ),
  ...OTHER,
};
