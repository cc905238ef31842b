import type { LoadDocument } from '../../../documents/load.ts';
import {
  type Buckets,
  bucketCounts,
  decodeHistogram,
  type PercentileCurve,
  percentileCurve,
} from '../../latency/distribution.ts';
import { formatCount, formatUs, quantileName } from '../../text/quantities.ts';
import { column, numbers } from '../../text/tables.ts';
import { table } from '../blocks.ts';
import type { ChartSeries } from './chart-data.ts';
import { type ChartFigure, chartFigure, latencyLimits } from './chart-figure.ts';
import { rounded } from './time-charts.ts';

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
  const title = 'Latency by percentile';
  const rows = response.at
    .map((at, index) => ({ at, us: response.us[index] ?? 0, serviceUs: serviceUs[index] ?? null }))
    .filter((_, index) => index % 10 === 0 || index === response.at.length - 1);
  const columns = [
    column('percentile', ({ at }: Row) => quantileName(Number((1 - 10 ** -at).toPrecision(6)))),
    numbers('response', ({ us }: Row) => formatUs(us)),
    numbers('service', ({ serviceUs: us }: Row) => (us === null ? '–' : formatUs(us))),
  ];
  type Row = (typeof rows)[number];
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
    title,
    'Response time is measured from the planned time, service time from sending.',
    table(title, columns, rows),
  );
}

function histogramChart(id: string, { fromUs, counts }: Buckets, hasService: boolean): ChartFigure {
  const [response = [], service = []] = counts;
  const series: ChartSeries[] = [
    { ...RESPONSE, values: response, drawn: 'steps', filled: true },
    ...(hasService ? [{ ...SERVICE, values: service, drawn: 'steps' } as const] : []),
  ];
  const rows = fromUs
    .map((us, at) => ({ us, response: response[at] ?? 0, service: service[at] ?? 0 }))
    .filter((row) => row.response + row.service > 0);
  type Row = (typeof rows)[number];
  const columns = [
    column('from', ({ us }: Row) => formatUs(us)),
    numbers('response', (row: Row) => formatCount(row.response)),
    numbers('service', (row: Row) => formatCount(row.service)),
  ];
  return chartFigure(
    { id: `${id}-histogram`, x: fromUs, xKind: 'latency', unit: 'count', height: HEIGHT, series },
    'Histogram',
    'Requests by latency, in buckets of equal width on a logarithmic scale.',
    table('Requests by latency', columns, rows),
  );
}
