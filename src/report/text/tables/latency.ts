import type { LatencySummaryUs, LatencyUs } from '../../../documents/latency.ts';
import { QUANTILES } from '../quantiles.ts';
import { formatUs } from '../quantities.ts';
import type { Column } from './column.ts';

/** A row of the table of latencies. */
export interface LatencyRow {
  readonly name: string;
  readonly responseUs: number;
  readonly serviceUs: number;
}

/** Columns of the table of latencies. */
export const LATENCY_COLUMNS: readonly Column<LatencyRow>[] = [
  { name: 'latency', cell: ({ name }) => name },
  { name: 'response', numeric: true, cell: ({ responseUs }) => formatUs(responseUs) },
  { name: 'service', numeric: true, cell: ({ serviceUs }) => formatUs(serviceUs) },
];

/** Rows of the table of latencies: each quantile, and the mean. */
export function latencyRows({ response, service }: LatencyUs): LatencyRow[] {
  const fields: { name: string; field: keyof LatencySummaryUs }[] = [
    ...QUANTILES,
    { name: 'mean', field: 'mean' },
  ];
  return fields.map(({ name, field }) => ({
    name,
    responseUs: response[field],
    serviceUs: service[field],
  }));
}
