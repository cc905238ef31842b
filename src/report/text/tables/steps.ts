import type { BenchStep } from '../../../documents/bench.ts';
import { formatNs, formatShare } from '../quantities.ts';
import type { Column } from './column.ts';

/** Columns of the table of the steps of a bench. */
export const STEP_COLUMNS: readonly Column<BenchStep>[] = [
  { name: 'step', cell: ({ name }) => name },
  { name: 'median', numeric: true, cell: ({ nsMedian }) => formatNs(nsMedian) },
  { name: 'share', numeric: true, cell: ({ share }) => formatShare(share) },
];
