import {
  type ProductType,
  REQUIRED_ESTIMATE_PARAMETERS,
  type ServiceRuleId,
} from '../../interface/index.ts';
import type { EstimateSteps } from '../estimate/estimate-steps.ts';
import type { QueryParameters } from '../estimate/query.ts';
import { COORDINATE_BOUNDS, invalidParameter, isDecimal } from '../estimate/route.ts';
import { METHOD_OF_PATH } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import type { FaultsOf } from './fault.ts';
import { withMethods } from './replace.ts';

/** Values for required parameters that were left out. */
const FILLERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(REQUIRED_ESTIMATE_PARAMETERS.map((name) => [name, '0'])),
  product_type: 'private-car',
  ride_type: 'compact',
};

/** Faults of the rules on estimates. */
export const ESTIMATE_FAULTS: FaultsOf<'estimate'> = {
  'estimate/platform': {
    how: 'A platform token gets no estimate.',
    replace: { authorize: refusingTokens(false, 'estimate/platform') },
  },
  'estimate/user': {
    how: 'A user token gets no estimate.',
    replace: { authorize: refusingTokens(true, 'estimate/user') },
  },
  'estimate/required-parameters': {
    how: 'Every parameter may be left out.',
    replace: {
      readRoute: reading((parameters) => {
        const given = [...parameters].filter(([, value]) => value !== '');
        return new Map([...Object.entries(FILLERS), ...given]);
      }),
    },
  },
  'estimate/coordinates-numeric': {
    how: 'A coordinate that is no number is taken for 0.',
    replace: { readRoute: readingCoordinates((text) => (isDecimal(text) ? text : '0')) },
  },
  'estimate/coordinates-range': {
    how: 'A coordinate out of range is moved to its bound.',
    replace: {
      readRoute: readingCoordinates((text, bound) => {
        const isOutside = isDecimal(text) && Math.abs(Number(text)) > bound;
        return isOutside ? String(Math.sign(Number(text)) * bound) : text;
      }),
    },
  },
  'estimate/imei-optional': {
    how: 'A request with imei is refused.',
    replace: { readRoute: refusingParameter('imei', 'estimate/imei-optional') },
  },
  'estimate/map-type-optional': {
    how: 'A request with map_type is refused.',
    replace: { readRoute: refusingParameter('map_type', 'estimate/map-type-optional') },
  },
  'estimate/departure-time': {
    how: 'A request with departure_time is refused.',
    replace: { readRoute: refusingParameter('departure_time', 'estimate/departure-time') },
  },
  'estimate/departure-time-price': {
    how: 'Every departure time has the same price.',
    replace: {
      pricing: (pricing) => withMethods(pricing, { fare: (route) => pricing.fare(route, 0) }),
    },
  },
  'estimate/private-car': {
    how: 'product_type `private-car` is refused.',
    replace: { readRoute: refusingProduct('private-car') },
  },
  'estimate/express-car': {
    how: 'product_type `express-car` is refused.',
    replace: { readRoute: refusingProduct('express-car') },
  },
  'estimate/non-ascii-names': {
    how: 'Place names beyond ASCII are refused.',
    replace: {
      readRoute: (read) => (parameters) => {
        const names = ['from_name', 'to_name'].map((name) => parameters.get(name) ?? '');
        if (names.every((name) => /^[\0-\x7f]*$/.test(name))) return read(parameters);
        throw invalidParameter('from_name', 'must be ASCII', 'estimate/non-ascii-names');
      },
    },
  },
  'estimate/version-prefix': {
    how: 'The paths without `/v1` are served too.',
    replace: {
      servedPath: (served) => (path) =>
        METHOD_OF_PATH.has(`/v1${path}`) ? `/v1${path}` : served(path),
    },
  },
};

type ReadRoute = EstimateSteps['readRoute'];

/** Refuses the access tokens of users, or those of platforms. */
function refusingTokens(
  ofUsers: boolean,
  rule: ServiceRuleId,
): (authorize: EstimateSteps['authorize']) => EstimateSteps['authorize'] {
  return (authorize) => (authorization, state, nowMs) => {
    const partner = authorize(authorization, state, nowMs);
    const grant = state.tokens.findAccess(authorization.accessToken);
    if (grant === undefined || (grant.userId !== null) !== ofUsers) return partner;
    const detail = { field: 'Authorization', rule };
    throw new Refusal('access-token-invalid', 'The access_token is not accepted.', detail);
  };
}

/** Reads changed parameters. */
function reading(
  change: (parameters: QueryParameters) => QueryParameters,
): (read: ReadRoute) => ReadRoute {
  return (read) => (parameters) => read(change(parameters));
}

function readingCoordinates(
  change: (text: string, bound: number) => string,
): (read: ReadRoute) => ReadRoute {
  return reading((parameters) => {
    const changed = new Map(parameters);
    for (const [name, bound] of Object.entries(COORDINATE_BOUNDS)) {
      const text = parameters.get(name);
      if (text) changed.set(name, change(text, bound));
    }
    return changed;
  });
}

function refusingParameter(name: string, rule: ServiceRuleId): (read: ReadRoute) => ReadRoute {
  return (read) => (parameters) => {
    if (!parameters.get(name)) return read(parameters);
    throw invalidParameter(name, 'is not accepted', rule);
  };
}

function refusingProduct(product: ProductType): (read: ReadRoute) => ReadRoute {
  return (read) => (parameters) => {
    if (parameters.get('product_type') !== product) return read(parameters);
    throw invalidParameter('product_type', 'is not served');
  };
}
