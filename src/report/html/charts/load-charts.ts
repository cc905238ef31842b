import type { LoadDocument, ThresholdResult } from '../../../documents/load.ts';
import { decodeHistogram } from '../../latency/decode-histogram.ts';
import { bucketCounts, percentileCurve } from '../../latency/distribution.ts';
import { thinSeries } from '../../latency/thin-series.ts';
import { quantileName } from '../../text/latency-rows.ts';
import { formatCount, formatUs } from '../../text/quantities.ts';
import { table } from '../blocks.ts';
import type { ChartLimit } from './chart-data.ts';
import { type ChartFigure, chartFigure } from './chart-figure.ts';
import { LOAD_CHARTS, rounded } from './time-charts.ts';
import { TimePlot } from './time-plot.ts';

/** Points of a line: more than a screen shows, few enough to zoom smoothly. */
const POINT_LIMIT = 1200;

/** The charts over time of a load run; they share pointer and zoom. Empty without a series. */
export function timeCharts(document: LoadDocument, id: string): ChartFigure[] {
  const points = thinSeries(document.series, POINT_LIMIT);
  if (points.length < 2) return [];
  const { rate } = document.intended;
  const planned = points.map((point) => ({
    ...point,
    plannedRate: point.plannedRate ?? rate ?? undefined,
  }));
  const plot = new TimePlot(id, planned);
  return LOAD_CHARTS.map((chart) =>
    plot.figure(chart, chart.name === 'latency' ? latencyLimits(document.thresholds) : []),
  ).filter((figure) => figure !== null);
}

/** The distribution of latencies: by percentile, and as a histogram. Empty if it cannot be read. */
export function distributionCharts(document: LoadDocument, id: string): ChartFigure[] {
  const response = decodeHistogram(document.histograms.response);
  const service = decodeHistogram(document.histograms.service);
  if (!response || response.length === 0) return [];
  return [
    percentileChart(id, percentileCurve(response), service && percentileCurve(service), document),
    histogramChart(id, bucketCounts([response, service ?? []]), service !== null),
  ];
}

type Curve = ReturnType<typeof percentileCurve>;

function percentileChart(
  id: string,
  response: Curve,
  service: Curve | null,
  document: LoadDocument,
): ChartFigure {
  const serviceUs = service ? response.at.map((_, index) => service.us[index] ?? null) : [];
  const rows = response.at
    .map((at, index) => [at, response.us[index] ?? 0, serviceUs[index] ?? null] as const)
    .filter((_, index) => index % 10 === 0 || index === response.at.length - 1);
  return chartFigure(
    {
      id: `${id}-percentiles`,
      x: response.at,
      xKind: 'percentile',
      unit: 'us',
      logarithmic: true,
      height: 260,
      limits: latencyLimits(document.thresholds),
      series: [
        { label: 'response', color: 'blue', values: response.us.map(rounded) },
        ...(service
          ? [{ label: 'service', color: 'teal', dashed: true, values: serviceUs } as const]
          : []),
      ],
    },
    'Latency by percentile',
    'Each step to the right is ten times rarer. Response runs from the planned time, service from the send.',
    table(
      'Latency by percentile',
      [
        { name: 'Percentile' },
        { name: 'Response', numeric: true },
        { name: 'Service', numeric: true },
      ],
      rows.map(([at, responseUs, us]) => [
        quantileName(Number((1 - 10 ** -at).toPrecision(6))),
        formatUs(responseUs),
        us === null ? '–' : formatUs(us),
      ]),
      { hideCaption: true },
    ),
  );
}

function histogramChart(
  id: string,
  { fromUs, counts }: ReturnType<typeof bucketCounts>,
  withService: boolean,
): ChartFigure {
  const [response = [], service = []] = counts;
  const rows = fromUs
    .map((us, at) => [us, response[at] ?? 0, service[at] ?? 0] as const)
    .filter(([, a, b]) => a + b > 0);
  return chartFigure(
    {
      id: `${id}-histogram`,
      x: fromUs,
      xKind: 'latency',
      unit: 'count',
      height: 260,
      series: [
        { label: 'response', color: 'blue', values: response, drawn: 'steps', filled: true },
        ...(withService
          ? [
              {
                label: 'service',
                color: 'teal',
                dashed: true,
                values: service,
                drawn: 'steps',
              } as const,
            ]
          : []),
      ],
    },
    'Histogram',
    'Requests by latency, in buckets of even width on a logarithmic scale.',
    table(
      'Requests by latency',
      [{ name: 'From' }, { name: 'Response', numeric: true }, { name: 'Service', numeric: true }],
      rows.map(([us, a, b]) => [formatUs(us), formatCount(a), formatCount(b)]),
      { hideCaption: true },
    ),
  );
}

/** The thresholds on percentiles and the maximum of response time, as levels of a chart. */
export function latencyLimits(
  thresholds: readonly Pick<ThresholdResult, 'expression' | 'metric' | 'bound'>[],
): ChartLimit[] {
  return thresholds
    .slice(0, 5)
    .flatMap(({ expression, metric, bound }) =>
      bound !== undefined && /^(p[\d.]+|max)$/.test(metric ?? '')
        ? [{ label: expression, value: bound }]
        : [],
    );
}
