import type { ChartData } from '../../html/charts/chart-data.ts';
import { quantileName } from '../../text/latency-rows.ts';
import { formatUs } from '../../text/quantities.ts';

/** A value of the chart's x axis for a reader. */
export function placeWords(kind: ChartData['xKind'], value: number): string {
  if (kind === 'seconds') return `${Number(value.toFixed(1))} s`;
  if (kind === 'latency') return formatUs(value);
  return quantileName(Number((1 - 10 ** -value).toPrecision(Math.max(2, Math.ceil(value) + 2))));
}
