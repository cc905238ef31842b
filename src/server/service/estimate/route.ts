import {
  type Behaviour,
  PRODUCT_TYPES,
  type ProductType,
  REQUIRED_ESTIMATE_PARAMETERS,
  RIDE_TYPES,
  type ServiceRuleId,
} from '../../../interface/index.ts';
import { parseTimestamp } from '../iso8601.ts';
import { Refusal } from '../messages.ts';

/** Decoded parameters of a query, by name. */
export type QueryParameters = ReadonlyMap<string, string>;

/** A parsed query: its parameters, decoded and as they were sent. */
export interface ParsedQuery {
  readonly decoded: QueryParameters;
  /** Values as they were sent, for the gap `estimate-signed-decoded-or-encoded`. */
  readonly encoded: QueryParameters;
}

/**
 * Parses a raw query (interface.md, "2. Estimate prices"): strict percent-encoded UTF-8, `+` for a
 * space, each name once.
 *
 * @throws Refusal `parameter-invalid`
 */
export function parseQuery(rawQuery: string): ParsedQuery {
  const decoded = new Map<string, string>();
  const encoded = new Map<string, string>();
  for (const part of rawQuery.split('&')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = decode(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? '' : part.slice(at + 1);
    if (decoded.has(name)) throw invalidParameter(name, 'is in the query twice');
    decoded.set(name, decode(value));
    encoded.set(name, value);
  }
  return { decoded, encoded };
}

function decode(text: string): string {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 0x7e) throw badEncoding();
  }
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw badEncoding();
  }
}

function badEncoding(): Refusal {
  return new Refusal('parameter-invalid', 'The query must be percent-encoded UTF-8.', {
    rule: 'estimate/non-ascii-names',
  });
}

/** The ride that an estimate is requested for. */
export interface Route {
  /** Coordinates in degrees. */
  readonly startLat: number;
  readonly startLng: number;
  readonly endLat: number;
  readonly endLng: number;
  readonly productType: ProductType;
  readonly rideType: string;
  /** Unix seconds; null for now. */
  readonly departureS: number | null;
}

/** Ride types with an estimate, whatever the gap `unknown-ride-type` says. */
export const SERVED_RIDE_TYPES = [...RIDE_TYPES, 'carpool', 'carpool-single'] as const;

/** The documented map type, which is always accepted. */
export const DEFAULT_MAP_TYPE = 'soso';

/** Coordinates of a route by parameter, and the largest absolute value of each, in degrees. */
export const COORDINATE_BOUNDS = {
  start_lat: 90,
  start_lng: 180,
  end_lat: 90,
  end_lng: 180,
} as const;

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const MAX_COORDINATE_LENGTH = 64;
const UNIX_SECONDS = /^\d{1,10}$/;

/**
 * Reads the route from decoded parameters (interface.md, "2. Estimate prices"); null if no estimate
 * exists for it.
 *
 * @throws Refusal `parameter-missing` or `parameter-invalid`
 */
export function readRoute(parameters: QueryParameters, behaviour: Behaviour): Route | null {
  for (const name of REQUIRED_ESTIMATE_PARAMETERS) {
    if (parameters.get(name)) continue;
    const detail = { field: name, rule: 'estimate/required-parameters' } as const;
    throw new Refusal('parameter-missing', `The parameter ${name} is missing.`, detail);
  }
  refuseMapType(parameters, behaviour);
  const productType = readType(
    parameters,
    'product_type',
    PRODUCT_TYPES,
    behaviour['unknown-product-type'],
    (text) => (text.includes('express') ? 'express-car' : 'private-car'),
  );
  const unknownRide = behaviour['unknown-ride-type'];
  const rides: readonly string[] = SERVED_RIDE_TYPES;
  const rideType = readType(parameters, 'ride_type', rides, unknownRide, (text) => text);
  const route = {
    startLat: readDegrees(parameters, 'start_lat'),
    startLng: readDegrees(parameters, 'start_lng'),
    endLat: readDegrees(parameters, 'end_lat'),
    endLng: readDegrees(parameters, 'end_lng'),
    departureS: readDeparture(parameters, behaviour['departure-time-text']),
  };
  return productType && rideType ? { ...route, productType, rideType } : null;
}

/** Checks whether a text is a decimal number, with or without an exponent. */
export function isDecimal(text: string): boolean {
  return text.length <= MAX_COORDINATE_LENGTH && DECIMAL.test(text);
}

/** A parameter of a request is refused. */
export function invalidParameter(field: string, what: string, rule?: ServiceRuleId): Refusal {
  const detail = rule === undefined ? { field } : { field, rule };
  return new Refusal('parameter-invalid', `The parameter ${field} ${what}.`, detail);
}

function readDegrees(parameters: QueryParameters, name: keyof typeof COORDINATE_BOUNDS): number {
  const text = parameters.get(name) ?? '';
  if (!isDecimal(text)) {
    throw invalidParameter(name, 'must be a decimal number', 'estimate/coordinates-numeric');
  }
  const degrees = Number(text);
  const bound = COORDINATE_BOUNDS[name];
  if (Math.abs(degrees) <= bound) return degrees;
  throw invalidParameter(name, `must be from -${bound} to ${bound}`, 'estimate/coordinates-range');
}

/**
 * Reads the departure in Unix seconds, or in ISO 8601 (gap `departure-time-text`). An optional
 * parameter without a value counts as left out.
 */
function readDeparture(
  parameters: QueryParameters,
  texts: Behaviour['departure-time-text'],
): number | null {
  const text = parameters.get('departure_time');
  if (!text) return null;
  if (UNIX_SECONDS.test(text)) return Number(text);
  const seconds = texts === 'iso8601' ? unixSecondsOf(text) : null;
  if (seconds !== null) return seconds;
  const what = `must be a Unix time in seconds${texts === 'iso8601' ? ', or a date and time in ISO 8601' : ''}`;
  throw invalidParameter('departure_time', what, 'estimate/departure-time');
}

/** Many clients write a space for the T of ISO 8601; null for a time that Unix seconds do not name. */
function unixSecondsOf(text: string): number | null {
  const parsed = parseTimestamp(text.replace(/^(\S+) (?=\d)/, '$1T'));
  if (parsed === null) return null;
  const seconds = Math.floor(parsed.ms / 1000);
  return UNIX_SECONDS.test(String(seconds)) ? seconds : null;
}

/** Gap `map-types`. */
function refuseMapType(parameters: QueryParameters, behaviour: Behaviour): void {
  const mapType = parameters.get('map_type');
  const accepted = behaviour['map-types'];
  if (!mapType || mapType === DEFAULT_MAP_TYPE) return;
  if (accepted === 'any' || accepted.includes(mapType)) return;
  const what = `must be one of ${[DEFAULT_MAP_TYPE, ...accepted].join(', ')}`;
  throw invalidParameter('map_type', what);
}

/** Gaps `unknown-product-type` and `unknown-ride-type`. */
function readType<T extends string>(
  parameters: QueryParameters,
  name: 'product_type' | 'ride_type',
  known: readonly T[],
  unknown: 'refused' | 'no-estimate' | 'estimated',
  estimatedAs: (text: string) => T,
): T | null {
  const text = parameters.get(name) ?? '';
  const served = known.find((one) => one === text);
  if (served !== undefined) return served;
  if (unknown === 'estimated') return estimatedAs(text);
  if (unknown === 'no-estimate') return null;
  throw invalidParameter(name, `must be one of ${known.join(', ')}`);
}
