import type { SeriesPoint } from '../../documents/load.ts';

/**
 * Reduces a series to at most `limit` points. Neighbours are merged into one, with the mean rate, the
 * sum of failures and the health of the last; of latencies it has the highest, since percentiles
 * cannot be averaged.
 */
export function thinSeries(series: readonly SeriesPoint[], limit: number): SeriesPoint[] {
  const size = Math.ceil(series.length / limit);
  if (size <= 1) return [...series];
  const thinned: SeriesPoint[] = [];
  for (let from = 0; from < series.length; from += size) {
    thinned.push(merge(series.slice(from, from + size)));
  }
  return thinned;
}

function merge(points: readonly SeriesPoint[]): SeriesPoint {
  const last = points.at(-1);
  const first = points[0];
  if (!first || !last) throw new RangeError('no points to merge');
  const highest = (field: 'p50' | 'p99' | 'max'): number =>
    points.reduce((most, point) => Math.max(most, point[field]), 0);
  // A rate of late answers would lower that of the seconds before.
  const measured = points.filter(({ drained }) => !drained);
  const rated = measured.length === 0 ? points : measured;
  const mean = (of: (point: SeriesPoint) => number): number =>
    rated.reduce((sum, point) => sum + of(point), 0) / rated.length;
  const sumOf = (of: (point: SeriesPoint) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0);
  const { drained: _, ...latest } = last;
  return {
    ...latest,
    ...(measured.length === 0 && { drained: true as const }),
    t: first.t,
    rate: mean(({ rate }) => rate),
    p50: highest('p50'),
    p99: highest('p99'),
    max: highest('max'),
    failed: sumOf(({ failed }) => failed),
    ...(first.sent !== undefined && { sent: sumOf(({ sent = 0 }) => sent) }),
    ...(first.ready !== undefined && { ready: sumOf(({ ready = 0 }) => ready) }),
    ...(first.plannedRate === undefined
      ? {}
      : { plannedRate: mean(({ plannedRate = 0 }) => plannedRate) }),
  };
}
