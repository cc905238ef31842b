import type { SeriesPoint, ThresholdTerms } from '../../../documents/load.ts';
import type { ChartSpan } from './chart-data.ts';

/** Value of a line at a point. */
export type Measure = (point: SeriesPoint) => number | null | undefined;

/** A latency of a second; none without an answer: 0 would be an excellent one. */
export const latency =
  (of: (point: SeriesPoint) => number): Measure =>
  (point) =>
    point.drained || of(point) === 0 ? null : of(point);

/** Values of a second by the metric of a threshold. */
const IN_SECOND: Readonly<Record<string, Measure>> = {
  p50: latency(({ p50 }) => p50),
  p99: latency(({ p99 }) => p99),
  max: latency(({ max }) => max),
  rate: ({ rate, drained }) => (drained ? null : rate),
  errors: ({ failed, rate }) => (failed === 0 ? 0 : failed / (failed + rate)),
};

/** True for a second that missed the bound of a threshold. */
export function isMissed(
  { metric, comparison, bound }: ThresholdTerms,
  point: SeriesPoint,
): boolean {
  const value = IN_SECOND[metric]?.(point);
  // A stage that plans less than the bound of the whole run misses nothing.
  const isUnasked = metric === 'rate' && (point.plannedRate ?? bound) < bound;
  if (value == null || isUnasked) return false;
  if (value === bound) return !comparison.endsWith('=');
  return comparison.startsWith('<') ? value > bound : value < bound;
}

/** Share of the requests of a second that a generator may send too few or too many, as for its verdict. */
const MOST_OFF = 0.05;

/** True for a second in which the generator was late: it was off its plan, or, without one, had no core. */
export function isLate({ plannedRate, sent, ready, generator }: SeriesPoint): boolean {
  if (plannedRate === undefined) return (generator?.coreWait ?? 0) > MOST_OFF;
  if (sent === undefined || ready === undefined) return false;
  // As of 100 requests: one that slips into the next second is none of those.
  return Math.abs(ready - sent) > MOST_OFF * Math.max(100, ready);
}

/** Spans of the seconds for which something is true; neighbours are one span. */
export function spansWhere(
  points: readonly SeriesPoint[],
  isTrue: (point: SeriesPoint) => boolean,
): ChartSpan[] {
  const spans: [from: number, to: number][] = [];
  for (const [at, point] of points.entries()) {
    if (!isTrue(point)) continue;
    const to = points[at + 1]?.t ?? point.t + (at === 0 ? 1 : point.t - points[at - 1]!.t);
    const before = spans.at(-1);
    if (before?.[1] === point.t) before[1] = to;
    else spans.push([point.t, to]);
  }
  return spans;
}
