import type { SeriesPoint } from '../../documents/load.ts';

/**
 * Adds the latencies of late answers to the last second before them. On their own, a few late answers
 * would be drawn as a collapse or a peak of a second in which nothing was planned.
 */
export function withLateAnswers(points: readonly SeriesPoint[]): SeriesPoint[] {
  const lastAt = points.findLastIndex(({ drained }) => !drained);
  const late = points.slice(lastAt + 1);
  return points.map((point, at) => {
    if (at !== lastAt || late.length === 0) return point;
    const highest = (field: 'p50' | 'p99' | 'max'): number =>
      Math.max(point[field], ...late.map((one) => one[field]));
    // Half of the answers of a second are on time, unless it has none.
    const p50 = point.p50 > 0 ? point.p50 : highest('p50');
    return { ...point, p50, p99: highest('p99'), max: highest('max') };
  });
}
