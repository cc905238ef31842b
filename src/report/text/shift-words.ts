import type { ComparisonDocument, StepShift } from '../../documents/comparison.ts';
import { quantileName } from './quantiles.ts';
import { formatShift } from './quantities.ts';

/** A shift and the name of what shifted: a quantile of load runs, or a step of benches. */
export type NamedShift = Pick<StepShift, 'name' | 'shiftPercent' | 'low' | 'high'>;

/** The shifts of a comparison, those of quantiles first. */
export function namedShifts({ quantiles, steps = [] }: ComparisonDocument): NamedShift[] {
  return [...quantiles.map(({ q, ...shift }) => ({ name: quantileName(q), ...shift })), ...steps];
}

/** Formats a shift: `+7.4 % (+4.8 % to +9.9 %)`. */
export function shiftWords({ shiftPercent, low, high }: Omit<NamedShift, 'name'>): string {
  return `${formatShift(shiftPercent)} (${formatShift(low)} to ${formatShift(high)})`;
}
