import type { LoadDocument } from '../../../documents/load.ts';
import { headlineOf } from '../headline.ts';
import { formatCount, formatRate, formatUs } from '../quantities.ts';
import type { Column } from './column.ts';

/** Columns of the table of the runs of a set. */
export const RUN_COLUMNS = {
  run: { name: 'run', cell: (_, index) => `${index + 1}` },
  verdict: {
    name: 'verdict',
    cell: (run) => {
      const { tone, verdict } = headlineOf(run);
      return { tone, words: verdict };
    },
  },
  achieved: { name: 'achieved', numeric: true, cell: ({ achieved }) => formatRate(achieved.rate) },
  p50: { name: 'p50', numeric: true, cell: ({ latencyUs }) => formatUs(latencyUs.response.p50) },
  p99: { name: 'p99', numeric: true, cell: ({ latencyUs }) => formatUs(latencyUs.response.p99) },
  max: { name: 'max', numeric: true, cell: ({ latencyUs }) => formatUs(latencyUs.response.max) },
  failed: { name: 'failed', numeric: true, cell: ({ achieved }) => formatCount(achieved.failed) },
} satisfies Record<string, Column<LoadDocument>>;
