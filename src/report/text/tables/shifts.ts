import type { ComparisonDocument } from '../../../documents/comparison.ts';
import { formatShift } from '../quantities.ts';
import type { NamedShift } from '../shift-words.ts';
import type { Column } from './column.ts';

/** Columns of the table of shifts. */
export function shiftColumns({ steps }: ComparisonDocument): readonly Column<NamedShift>[] {
  return [
    { name: steps ? 'step' : 'quantile', cell: ({ name }) => name },
    { name: 'shift', numeric: true, cell: ({ shiftPercent }) => formatShift(shiftPercent) },
    { name: 'from', numeric: true, cell: ({ low }) => formatShift(low) },
    { name: 'to', numeric: true, cell: ({ high }) => formatShift(high) },
  ];
}
