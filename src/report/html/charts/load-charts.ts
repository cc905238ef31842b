import type { LoadDocument } from '../../../documents/load.ts';
import {
  type Buckets,
  bucketCounts,
  decodeHistogram,
  type PercentileCurve,
  percentileCurve,
} from '../../latency/distribution.ts';
import { thinSeries } from '../../latency/thin-series.ts';
import type { ChartSeries } from './chart-data.ts';
import { type ChartFigure, chartFigure, latencyLimits } from './chart-figure.ts';
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

const HEIGHT = 260;
const RESPONSE = { label: 'response', color: 'blue' } as const;
const SERVICE = { label: 'service', color: 'teal', dashed: true } as const;

/** The distribution of latencies by percentile and as a histogram; empty if it cannot be read. */
export function distributionCharts(document: LoadDocument, id: string): ChartFigure[] {
  const { histograms, thresholds } = document;
  const response = decodeHistogram(histograms.response);
  const service = decodeHistogram(histograms.service);
  if (!response || response.length === 0) return [];
  const limits = latencyLimits(thresholds);
  return [
    percentileChart(id, percentileCurve(response), service && percentileCurve(service), limits),
    histogramChart(id, bucketCounts([response, service ?? []]), service !== null),
  ];
}

function percentileChart(
  id: string,
  response: PercentileCurve,
  service: PercentileCurve | null,
  limits: ReturnType<typeof latencyLimits>,
): ChartFigure {
  const serviceUs = service ? response.at.map((_, index) => service.us[index] ?? null) : [];
  const series: ChartSeries[] = [
    { ...RESPONSE, values: response.us.map(rounded) },
    ...(service ? [{ ...SERVICE, values: serviceUs }] : []),
  ];
  return chartFigure(
    {
      id: `${id}-percentiles`,
      x: response.at,
      xKind: 'percentile',
      unit: 'us',
      logarithmic: true,
      height: HEIGHT,
      limits,
      series,
    },
    'Latency by percentile',
    'Of successes: response time is from the planned time, service time from sending.',
  );
}

function histogramChart(id: string, { fromUs, counts }: Buckets, hasService: boolean): ChartFigure {
  const [response = [], service = []] = counts;
  const series: ChartSeries[] = [
    { ...RESPONSE, values: response, drawn: 'steps', filled: true },
    ...(hasService ? [{ ...SERVICE, values: service, drawn: 'steps' } as const] : []),
  ];
  return chartFigure(
    { id: `${id}-histogram`, x: fromUs, xKind: 'latency', unit: 'count', height: HEIGHT, series },
    'Histogram',
    'Successes by latency, in buckets of equal width on a logarithmic scale.',
  );
}
