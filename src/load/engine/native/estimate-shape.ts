import { type EstimateRecord, PRODUCT_TYPES } from '../../../interface/index.ts';

type Field = keyof EstimateRecord;

const INTEGERS = [
  'estimate_price',
  'time_in_second',
  'distance_in_meter',
  'car_type',
] as const satisfies readonly Field[];

const TEXTS = [
  'ride_type',
  'currency_code',
  'estimate_id',
  'pay_type',
] as const satisfies readonly Field[];

const URLS = ['jump_url', 'download_url'] as const satisfies readonly Field[];

/**
 * Checks the shape of the body of an estimate answer: accepts what `estimateResponseSchema` accepts, and
 * null for a carpool field that is absent. Written by hand, since the schema takes several times as long
 * and load checks answers while it measures (interface.md, "Estimate record").
 */
export function isEstimateList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRecord);
}

function isRecord(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    (PRODUCT_TYPES as readonly unknown[]).includes(value['product_type']) &&
    TEXTS.every((name) => isText(value[name])) &&
    INTEGERS.every((name) => Number.isSafeInteger(value[name])) &&
    Number.isFinite(value['dynamic']) &&
    URLS.every((name) => isUrl(value[name])) &&
    isCarpool(value['carpool_tag'] ?? 0, value['carpool_info'] ?? null)
  );
}

const TAGS: ReadonlySet<unknown> = new Set([0, 1, 2, '0', '1', '2']);

function isCarpool(tag: unknown, info: unknown): boolean {
  if (!TAGS.has(tag)) return false;
  if (Number(tag) === 0) return info === null;
  if (!Array.isArray(info) || info.length === 0) return false;
  return Number(tag) === 1
    ? info.length === 1 && info.every((one) => isElement(one, false))
    : info.every((one) => isElement(one, true));
}

function isElement(value: unknown, hasSeat: boolean): boolean {
  if (!isObject(value) || !Number.isSafeInteger(value['estimate_price'])) return false;
  const seat = value['seat'] ?? null;
  return hasSeat ? Number.isSafeInteger(seat) && (seat as number) >= 1 : seat === null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isUrl = (value: unknown): boolean => typeof value === 'string' && URL.canParse(value);
