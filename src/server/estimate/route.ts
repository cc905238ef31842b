import type { Behaviour, ServiceRuleId } from '../../interface/index.ts';
import { PRODUCT_TYPES, REQUIRED_ESTIMATE_PARAMETERS } from '../../interface/index.ts';
import type { FaultSwitches } from '../faults/switches.ts';
import { Refusal } from '../refusal.ts';
import type { QueryParameters } from './query.ts';

/** One of the products that the interface names. */
export type ProductType = (typeof PRODUCT_TYPES)[number];

/** What an estimate is asked for. */
export interface Route {
  /** Degrees. */
  readonly startLat: number;
  /** Degrees. */
  readonly startLng: number;
  /** Degrees. */
  readonly endLat: number;
  /** Degrees. */
  readonly endLng: number;
  readonly productType: ProductType;
  readonly rideType: string;
  /** Unix seconds; null for now. */
  readonly departureS: number | null;
}

/** Ride types that have an estimate whatever the gap `unknown-ride-type` says. */
const RIDE_TYPES = ['compact', 'express', 'carpool', 'carpool-single'] as const;

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const MAX_COORDINATE_LENGTH = 64;
const UNIX_SECONDS = /^\d{1,10}$/;
const DEFAULT_MAP_TYPE = 'soso';

/**
 * Reads the route from decoded parameters; null where no estimate exists for it.
 *
 * @throws Refusal `parameter-missing` or `parameter-invalid`
 * @see interface.md, "2. Estimate prices"
 */
export function readRoute(
  parameters: QueryParameters,
  behaviour: Behaviour,
  faults: FaultSwitches,
): Route | null {
  for (const name of REQUIRED_ESTIMATE_PARAMETERS) {
    if (!parameters.get(name) && !faults['estimate/required-parameters']) {
      throw new Refusal('parameter-missing', `The parameter ${name} is missing.`, {
        field: name,
        rule: 'estimate/required-parameters',
      });
    }
  }
  refuseBrokenOptionals(parameters, faults);
  readMapType(parameters, behaviour);
  const productType = readProductType(parameters, behaviour, faults);
  const rideType = readRideType(parameters, behaviour);
  const route = {
    startLat: readDegrees(parameters, 'start_lat', 90, faults),
    startLng: readDegrees(parameters, 'start_lng', 180, faults),
    endLat: readDegrees(parameters, 'end_lat', 90, faults),
    endLng: readDegrees(parameters, 'end_lng', 180, faults),
    departureS: readDeparture(parameters),
  };
  return productType && rideType ? { ...route, productType, rideType } : null;
}

/** The defaults of required parameters, here and below, serve only the server whose rule is broken. */
function readDegrees(
  parameters: QueryParameters,
  name: string,
  bound: number,
  faults: FaultSwitches,
): number {
  const text = parameters.get(name) || '0';
  if (text.length > MAX_COORDINATE_LENGTH || !DECIMAL.test(text)) {
    if (faults['estimate/coordinates-numeric']) return 0;
    throw invalid(name, 'must be a decimal number', 'estimate/coordinates-numeric');
  }
  const degrees = Number(text);
  if (Math.abs(degrees) > bound) {
    if (faults['estimate/coordinates-range']) return Math.sign(degrees) * bound;
    throw invalid(name, `must be from -${bound} to ${bound}`, 'estimate/coordinates-range');
  }
  return degrees;
}

/** An optional parameter without content is left out. */
function readDeparture(parameters: QueryParameters): number | null {
  const text = parameters.get('departure_time');
  if (!text) return null;
  if (UNIX_SECONDS.test(text)) return Number(text);
  throw invalid('departure_time', 'must be a Unix time in seconds', 'estimate/departure-time');
}

function readMapType(parameters: QueryParameters, behaviour: Behaviour): void {
  const mapType = parameters.get('map_type');
  const accepted = behaviour['map-types'];
  if (!mapType || mapType === DEFAULT_MAP_TYPE) return;
  if (accepted !== 'any' && !accepted.includes(mapType)) {
    const names = [DEFAULT_MAP_TYPE, ...accepted].join(', ');
    throw new Refusal('parameter-invalid', `The parameter map_type must be one of ${names}.`, {
      field: 'map_type',
    });
  }
}

function readProductType(
  parameters: QueryParameters,
  behaviour: Behaviour,
  faults: FaultSwitches,
): ProductType | null {
  const text = parameters.get('product_type') || 'private-car';
  const known = PRODUCT_TYPES.find((name) => name === text);
  if (known !== undefined) {
    if (faults[`estimate/${known}`]) throw invalid('product_type', 'is not served');
    return known;
  }
  switch (behaviour['unknown-product-type']) {
    case 'refused':
      throw invalid('product_type', `must be one of ${PRODUCT_TYPES.join(', ')}`);
    case 'no-estimate':
      return null;
    case 'estimated':
      return text.includes('express') ? 'express-car' : 'private-car';
  }
}

function readRideType(parameters: QueryParameters, behaviour: Behaviour): string | null {
  const text = parameters.get('ride_type') || 'compact';
  if ((RIDE_TYPES as readonly string[]).includes(text)) return text;
  switch (behaviour['unknown-ride-type']) {
    case 'refused':
      throw invalid('ride_type', `must be one of ${RIDE_TYPES.join(', ')}`);
    case 'no-estimate':
      return null;
    case 'estimated':
      return text;
  }
}

/** Optional parameters and foreign scripts that a service with a broken rule does not take. */
function refuseBrokenOptionals(parameters: QueryParameters, faults: FaultSwitches): void {
  const isForeign = (name: string): boolean => /[^\0-\x7f]/.test(parameters.get(name) ?? '');
  if (faults['estimate/imei-optional'] && parameters.get('imei')) {
    throw invalid('imei', 'is not taken', 'estimate/imei-optional');
  }
  if (faults['estimate/map-type-optional'] && parameters.get('map_type')) {
    throw invalid('map_type', 'is not taken', 'estimate/map-type-optional');
  }
  if (faults['estimate/departure-time'] && parameters.get('departure_time')) {
    throw invalid('departure_time', 'is not taken', 'estimate/departure-time');
  }
  if (faults['estimate/non-ascii-names'] && (isForeign('from_name') || isForeign('to_name'))) {
    throw invalid('from_name', 'must be ASCII', 'estimate/non-ascii-names');
  }
}

function invalid(field: string, what: string, rule?: ServiceRuleId): Refusal {
  const detail = rule === undefined ? { field } : { field, rule };
  return new Refusal('parameter-invalid', `The parameter ${field} ${what}.`, detail);
}
