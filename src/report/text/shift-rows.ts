import type { ComparisonDocument } from '../../documents/comparison.ts';
import { quantileName } from './latency-rows.ts';
import { formatShift } from './quantities.ts';

/** What a comparison compared, by its name: quantiles of load runs, or steps of benches. */
export interface ShiftRow {
  name: string;
  /** Below 0 is faster. */
  shiftPercent: number;
  low: number;
  high: number;
}

/** The shifts of a comparison, quantiles first. */
export function shiftRows({ quantiles, steps = [] }: ComparisonDocument): ShiftRow[] {
  return [...quantiles.map(({ q, ...shift }) => ({ name: quantileName(q), ...shift })), ...steps];
}

/** `+7.4 % (+4.8 % to +9.9 %)`. */
export function shiftWords({ shiftPercent, low, high }: Omit<ShiftRow, 'name'>): string {
  return `${formatShift(shiftPercent)} (${formatShift(low)} to ${formatShift(high)})`;
}
