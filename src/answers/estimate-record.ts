import { PRODUCT_TYPES } from '../interface/limits.ts';
import { UnheldNumber } from './json-text.ts';

/** One record of an estimate as received. */
export type EstimateFields = Readonly<Record<string, unknown>>;

/** Expectation of a field, in words, and the test of a value. */
type FieldShape = readonly [expected: string, holds: (value: unknown) => boolean];

/** A text that is not blank. */
export const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

const isProductType = (value: unknown): boolean =>
  (PRODUCT_TYPES as readonly unknown[]).includes(value);

/** JSON has one kind of number: 1200.0 is the integer 1200. */
const INTEGER: FieldShape = ['an integer', Number.isInteger];

/** A float may be nearer to another number than to any other double. */
const isFloat = (value: unknown): boolean =>
  Number.isFinite(value instanceof UnheldNumber ? Number(value.text) : value);

const TEXT: FieldShape = ['a non-empty string', isText];

const URL_SHAPE: FieldShape = [
  'an absolute URL',
  (value) =>
    typeof value === 'string' && /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(value) && URL.canParse(value),
];

const CODES: FieldShape = [
  'codes separated by commas',
  (value) => typeof value === 'string' && value.split(',').every((code) => code.trim() !== ''),
];

/** The fields that a record must have (interface.md, "Estimate record"). */
export const FIELD_SHAPES = {
  product_type: [PRODUCT_TYPES.join(' or '), isProductType],
  ride_type: TEXT,
  estimate_price: INTEGER,
  time_in_second: INTEGER,
  distance_in_meter: INTEGER,
  car_type: INTEGER,
  dynamic: ['a number', isFloat],
  estimate_id: TEXT,
  pay_type: CODES,
  jump_url: URL_SHAPE,
  download_url: URL_SHAPE,
} as const satisfies Readonly<Record<string, FieldShape>>;

/** The tag as a number; NaN if there is none, or none that the interface names. */
export function carpoolTagOf({ carpool_tag: tag }: EstimateFields): number {
  const isNumber = typeof tag === 'number' || (typeof tag === 'string' && /^[0-2]$/.test(tag));
  return isNumber ? Number(tag) : Number.NaN;
}

/** Checks whether carpool_tag is a tag, or none. */
export function hasKnownTag(record: EstimateFields): boolean {
  return (record['carpool_tag'] ?? null) === null || [0, 1, 2].includes(carpoolTagOf(record));
}

const isInteger = (value: unknown, least: number): boolean =>
  Number.isInteger(value) && (value as number) >= least;

/** The elements of carpool_info; null if it is not a list of objects. */
export function carpoolElementsOf({
  carpool_info: info,
}: EstimateFields): readonly EstimateFields[] | null {
  return Array.isArray(info) && info.every(isObject) ? info : null;
}

/** Checks an element of a carpool with seat sharing. */
export function isSharedSeat({ seat, estimate_price: price }: EstimateFields): boolean {
  return isInteger(seat, 1) && isInteger(price, 0);
}

/** The first seat count that two elements have; undefined if each has another. */
export function seatTwice(record: EstimateFields): unknown {
  const seats = (carpoolElementsOf(record) ?? []).map(({ seat }) => seat).filter(Number.isInteger);
  return seats.find((seat, at) => seats.indexOf(seat) < at);
}

/** Checks the only element of a carpool without seat sharing. */
export function isWithoutSeat(element: EstimateFields): boolean {
  return !('seat' in element) && isInteger(element['estimate_price'], 0);
}

/** Checks whether a record says that there is no carpooling. */
export function isUntagged(record: EstimateFields): boolean {
  return (record['carpool_tag'] ?? null) === null || carpoolTagOf(record) === 0;
}

function carpoolHolds(record: EstimateFields): boolean {
  if (!hasKnownTag(record)) return false;
  if (isUntagged(record))
    return record['carpool_tag'] !== null && record['carpool_info'] === undefined;
  const elements = carpoolElementsOf(record) ?? [];
  if (carpoolTagOf(record) === 1) return elements.length === 1 && elements.every(isWithoutSeat);
  return elements.length > 0 && elements.every(isSharedSeat) && seatTwice(record) === undefined;
}

/** Checks for a JSON object. */
export function isObject(value: unknown): value is EstimateFields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/**
 * Finds the first place at which the body of an estimate answer breaks a rule that it must follow, with what
 * is expected there, and none of the values; null if there is none.
 */
export function estimateProblem(body: unknown): string | null {
  if (!Array.isArray(body)) return 'body: must be an array';
  for (const [at, record] of body.entries()) {
    if (!isObject(record)) return `[${at}]: must be an object`;
    for (const [name, [expected, holds]] of SHAPES) {
      if (!holds(record[name])) return `[${at}].${name}: must be ${expected}`;
    }
    if (!carpoolHolds(record)) return `[${at}].carpool_info: must be as its carpool_tag says`;
  }
  return null;
}

const SHAPES = Object.entries<FieldShape>(FIELD_SHAPES);
