import {
  type ProductType,
  REQUIRED_ESTIMATE_PARAMETERS,
  type ServiceRuleId,
} from '../../interface/index.ts';
import { COORDINATE_BOUNDS, invalidParameter, isDecimal } from '../service/estimate/route.ts';
import { Refusal } from '../service/messages.ts';
import { METHOD_OF_PATH } from '../service/service.ts';
import { type FaultsOf, fault } from './fault.ts';
import type { Replacement } from './parts.ts';
import { withMethods } from './with-methods.ts';

/** Values for required parameters that were left out. */
const FILLERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(REQUIRED_ESTIMATE_PARAMETERS.map((name) => [name, '0'])),
  product_type: 'private-car',
  ride_type: 'compact',
};

/** Faults of the rules on estimates and their lock. */
export const ESTIMATE_FAULTS: FaultsOf<'estimate' | 'lock'> = {
  'estimate/platform': fault('A platform token gets no estimate.', {
    authorize: refusingTokens(false, 'estimate/platform'),
  }),
  'estimate/user': fault('A user token gets no estimate.', {
    authorize: refusingTokens(true, 'estimate/user'),
  }),
  'estimate/required-parameters': fault('Every parameter may be left out.', {
    readRoute: (read) => (parameters) => {
      const given = [...parameters].filter(([, value]) => value !== '');
      return read(new Map([...Object.entries(FILLERS), ...given]));
    },
  }),
  'estimate/coordinates-numeric': fault('A coordinate that is not a number is taken for 0.', {
    readRoute: readingCoordinates((text) => (isDecimal(text) ? text : '0')),
  }),
  'estimate/coordinates-range': fault('A coordinate out of range is moved to its bound.', {
    readRoute: readingCoordinates((text, bound) => {
      const isOutside = isDecimal(text) && Math.abs(Number(text)) > bound;
      return isOutside ? String(Math.sign(Number(text)) * bound) : text;
    }),
  }),
  'estimate/imei-optional': fault('A request with imei is refused.', {
    readRoute: refusingParameter('imei', 'estimate/imei-optional'),
  }),
  'estimate/map-type-optional': fault('A request with map_type is refused.', {
    readRoute: refusingParameter('map_type', 'estimate/map-type-optional'),
  }),
  'estimate/departure-time': fault('A request with departure_time is refused.', {
    readRoute: refusingParameter('departure_time', 'estimate/departure-time'),
  }),
  'estimate/departure-time-price': fault('Every departure time has the same price.', {
    pricing: (pricing) => withMethods(pricing, { fare: (route) => pricing.fare(route, 0) }),
  }),
  'estimate/private-car': fault('product_type `private-car` is refused.', {
    readRoute: refusingProduct('private-car'),
  }),
  'estimate/express-car': fault('product_type `express-car` is refused.', {
    readRoute: refusingProduct('express-car'),
  }),
  'estimate/non-ascii-names': fault('Place names beyond ASCII are refused.', {
    readRoute: (read) => (parameters) => {
      const names = ['from_name', 'to_name'].map((name) => parameters.get(name) ?? '');
      if (names.every((name) => /^[\0-\x7f]*$/.test(name))) return read(parameters);
      throw invalidParameter('from_name', 'must be ASCII', 'estimate/non-ascii-names');
    },
  }),
  'estimate/version-prefix': fault('The paths without `/v1` are served too.', {
    servedPath: (served) => (path) =>
      METHOD_OF_PATH.has(`/v1${path}`) ? `/v1${path}` : served(path),
  }),
  'lock/default-10-minutes': fault('An estimate is locked for 5 minutes.', {
    estimateLocks: (locks) => ({ ...locks, defaultMs: locks.defaultMs / 2 }),
  }),
  'lock/partner-60-minutes': fault('A specially agreed partner gets the default lock.', {
    estimateLocks: (locks) => ({ ...locks, longMs: locks.defaultMs }),
  }),
};

/** Refuses the access tokens of users, or those of platforms. */
function refusingTokens(ofUsers: boolean, rule: ServiceRuleId): Replacement<'authorize'> {
  return (authorize) => (authorization, state, nowMs) => {
    const partner = authorize(authorization, state, nowMs);
    const grant = state.tokens.findAccess(authorization.accessToken);
    if (grant === undefined || (grant.userId !== null) !== ofUsers) return partner;
    const detail = { field: 'Authorization', rule };
    throw new Refusal('access-token-invalid', 'The access_token is not accepted.', detail);
  };
}

/** Reads other texts for the coordinates. */
function readingCoordinates(
  change: (text: string, bound: number) => string,
): Replacement<'readRoute'> {
  return (read) => (parameters) => {
    const changed = new Map(parameters);
    for (const [name, bound] of Object.entries(COORDINATE_BOUNDS)) {
      const text = parameters.get(name);
      if (text) changed.set(name, change(text, bound));
    }
    return read(changed);
  };
}

function refusingParameter(name: string, rule: ServiceRuleId): Replacement<'readRoute'> {
  return (read) => (parameters) => {
    if (!parameters.get(name)) return read(parameters);
    throw invalidParameter(name, 'is not accepted', rule);
  };
}

function refusingProduct(product: ProductType): Replacement<'readRoute'> {
  return (read) => (parameters) => {
    if (parameters.get('product_type') !== product) return read(parameters);
    throw invalidParameter('product_type', 'is not served');
  };
}
