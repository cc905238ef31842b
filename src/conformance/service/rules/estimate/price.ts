import type { EstimateAnswer } from '../../contract/messages.ts';

/**
 * Prices of an estimate, those of its carpool elements included, as a text to compare; null if a
 * record has no price that can be compared.
 */
export function pricesOf({ records }: EstimateAnswer): string | null {
  const prices = records.map((record) => record['estimate_price']);
  if (prices.length === 0 || !prices.every(isPrice)) return null;
  return records.map((record) => [record['estimate_price'], ...carpoolPrices(record)]).join();
}

const isPrice = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;

function carpoolPrices({ carpool_info: info }: Readonly<Record<string, unknown>>): unknown[] {
  if (!Array.isArray(info)) return [];
  const elements = info as ({ readonly estimate_price?: unknown } | null)[];
  return elements.map((element) => element?.estimate_price);
}
