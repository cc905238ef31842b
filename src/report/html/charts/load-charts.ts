import type { LoadDocument } from '../../../documents/load.ts';
import { decodeHistogram, percentileCurve } from '../../latency/distribution.ts';
import { thinSeries } from '../../latency/thin-series.ts';
import { type ChartFigure, chartFigure, limitsIn } from './chart-figure.ts';
import { LOAD_CHARTS, rounded, timeFigures } from './time-charts.ts';

/** Points of a line: more than a screen shows. */
const POINT_LIMIT = 1200;

/** The charts over time of a load run that have data. Empty without a series. */
export function loadFigures(document: LoadDocument, id: string): ChartFigure[] {
  const points = thinSeries(document.series, POINT_LIMIT);
  if (points.length < 2) return [];
  return timeFigures(LOAD_CHARTS, id, points, document).filter(
    ({ data }) => data.series.length > 0,
  );
}

/** Latency by percentile; null if it cannot be read. */
export function percentileChart(
  { histograms, thresholds }: LoadDocument,
  id: string,
): ChartFigure | null {
  const response = decodeHistogram(histograms.response);
  const service = decodeHistogram(histograms.service);
  if (!response || response.length === 0) return null;
  const [curve, below] = [percentileCurve(response), service && percentileCurve(service)];
  const serviceUs = below ? curve.at.map((_, index) => below.us[index] ?? null) : [];
  return chartFigure(
    {
      id: `${id}-percentiles`,
      x: curve.at,
      xKind: 'percentile',
      unit: 'us',
      logarithmic: true,
      height: 260,
      limits: limitsIn('us', thresholds),
      series: [
        { label: 'response', color: 'blue', values: curve.us.map(rounded) },
        ...(below
          ? [{ label: 'service', color: 'teal', dashed: true, values: serviceUs } as const]
          : []),
      ],
    },
    'Latency by percentile',
    'Of successes: response time is from the planned time, service time from sending.',
  );
}
