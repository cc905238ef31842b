import type { LatencySummaryUs } from '../../documents/latency.ts';

/** The quantiles of a latency summary, and their names. */
export const QUANTILES: readonly { name: string; field: keyof LatencySummaryUs; q: number }[] = [
  { name: 'min', field: 'min', q: 0 },
  { name: 'p50', field: 'p50', q: 0.5 },
  { name: 'p90', field: 'p90', q: 0.9 },
  { name: 'p99', field: 'p99', q: 0.99 },
  { name: 'p99.9', field: 'p99_9', q: 0.999 },
  { name: 'p99.99', field: 'p99_99', q: 0.9999 },
  { name: 'max', field: 'max', q: 1 },
];

/** Names a quantile: `p99.9` for 0.999, `max` for 1. */
export function quantileName(q: number): string {
  const known = QUANTILES.find((quantile) => quantile.q === q);
  return known ? known.name : `p${Number((q * 100).toPrecision(8))}`;
}
