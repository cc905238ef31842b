import type { ThresholdResult } from '../../../documents/load.ts';
import { formatIn, formatShare } from '../quantities.ts';
import type { Column } from './column.ts';

/** Columns of the table of thresholds. */
export const THRESHOLD_COLUMNS = {
  threshold: { name: 'threshold', cell: ({ expression }) => ({ code: expression }) },
  outcome: {
    name: 'outcome',
    cell: ({ held }) =>
      held ? { tone: 'good', words: 'held' } : { tone: 'bad', words: 'fell short' },
  },
  observed: { name: 'observed', numeric: true, cell: observedWords },
  margin: {
    name: 'margin',
    numeric: true,
    cell: (threshold) => {
      const percent = marginPercent(threshold);
      return percent === null ? '–' : formatShare(percent / 100);
    },
  },
} satisfies Record<string, Column<ThresholdResult>>;

/** Formats the observed value of a threshold. */
export function observedWords({ observed, unit }: ThresholdResult): string {
  if (observed === null) return 'no data';
  return unit === undefined ? String(observed) : formatIn(unit, observed);
}

/** Distance to the bound, percent of it; below 0 if the bound was passed. Null if unknown. */
export function marginPercent({ observed, bound, comparison }: ThresholdResult): number | null {
  if (observed === null || !bound || !comparison) return null;
  const distance = comparison.startsWith('<') ? bound - observed : observed - bound;
  return (distance / bound) * 100;
}
