import type { ChartData } from '../../html/charts/chart-data.ts';
import { quantileName } from '../../text/quantiles.ts';
import { formatUs } from '../../text/quantities.ts';

/** Formats a value of the x axis. */
export function placeWords(kind: ChartData['xKind'], value: number): string {
  if (kind === 'seconds') return `${Number(value.toFixed(1))} s`;
  if (kind === 'latency') return formatUs(value);
  return quantileName(Number((1 - 10 ** -value).toPrecision(Math.max(2, Math.ceil(value) + 2))));
}
