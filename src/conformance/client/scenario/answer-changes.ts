import type { SeededRandom } from '../../seeded-random.ts';
import type { RefusalContent } from './scenario.ts';

type JsonRecord = Record<string, unknown>;

/** Undocumented fields of every JSON type. */
const UNKNOWN_FIELDS: Readonly<JsonRecord> = {
  surge_reason: 'rain',
  eta_minutes: 4,
  eco: true,
  coupon: null,
  driver: { rating: 4.9, languages: ['zh', 'en'] },
  tags: ['new', '夜间'],
};

/** The body of a refusal; the token or estimate in it is invented and must not be used. */
export function refusalBody(
  status: number,
  carrying: RefusalContent,
  source: SeededRandom,
): string {
  const error = { code: 'not-now', message: `The scenario answers with ${status} here.` };
  switch (carrying) {
    case 'nothing':
      return '';
    case 'error':
      return JSON.stringify({ error });
    case 'token':
      return JSON.stringify({
        access_token: source.text(22),
        refresh_token: source.text(22),
        expires_in_second: 7200,
        token_type: 'bearer',
        scope: 'public',
        error,
      });
    case 'estimate':
      return JSON.stringify([
        {
          product_type: 'private-car',
          ride_type: 'compact',
          currency_code: 'CNY',
          estimate_price: 1,
          time_in_second: 60,
          distance_in_meter: 100,
          car_type: 100,
          dynamic: 1.5,
          estimate_id: `refused-${source.text(16)}`,
          pay_type: '1',
          jump_url: 'https://rides.example/open',
          download_url: 'https://rides.example/download',
        },
      ]);
  }
}

/** A JSON body with its value changed; null if it is not JSON. */
export function changeJson(body: string, change: (value: unknown) => unknown): string | null {
  try {
    return JSON.stringify(change(JSON.parse(body)));
  } catch {
    return null;
  }
}

/** The records of an estimate answer, each changed; any other value as it is. */
export function eachRecord(value: unknown, change: (record: JsonRecord) => JsonRecord): unknown {
  return Array.isArray(value) ? value.map((record) => change(record as JsonRecord)) : value;
}

/** A record in a documented carpool shape, whatever was requested (interface.md, "Shape rules"). */
export function asCarpool(
  { carpool_tag: _tag, carpool_info: _info, ...record }: JsonRecord,
  { tag, as }: { readonly tag: 0 | 1 | 2; readonly as: 'text' | 'number' },
): JsonRecord {
  const tagged = { ...record, carpool_tag: as === 'text' ? String(tag) : tag };
  const share = (part: number): number => Math.round(Number(record['estimate_price']) * part);
  if (tag === 0) return tagged;
  if (tag === 1) return { ...tagged, carpool_info: [{ estimate_price: share(0.7) }] };
  const [one, two] = [share(0.6), share(0.75)];
  const seats = [
    { seat: 1, estimate_price: one },
    { seat: 2, estimate_price: two },
  ];
  return { ...tagged, carpool_info: seats };
}

/** A value with undocumented fields in each of its objects. */
export function withUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [name, withUnknownFields(one)]);
  return { ...UNKNOWN_FIELDS, ...Object.fromEntries(members), remark: 'last' };
}
