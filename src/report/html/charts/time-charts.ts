import type { SeriesPoint } from '../../../documents/load.ts';
import type { Unit } from '../../text/quantities.ts';
import type { ChartColor, ChartData, ChartLimit, ChartSeries } from './chart-data.ts';

/** What a line shows of each step of a run. */
type Measure = (point: SeriesPoint) => number | null | undefined;

/** A line of a chart over time. */
interface TimeLine {
  readonly label: string;
  readonly color: ChartColor;
  readonly measure: Measure;
  readonly style?: Pick<ChartSeries, 'dashed' | 'drawn'>;
}

/** A chart over the time of a run; the report draws it when it is over, the live page while it goes. */
export interface TimeChart {
  readonly name: string;
  readonly title: string;
  readonly explanation: string;
  readonly unit: Unit;
  readonly logarithmic?: boolean;
  readonly lines: readonly TimeLine[];
}

/** A step in which nothing was answered has no latency; 0 would be a good one. */
const latency =
  (of: (point: SeriesPoint) => number): Measure =>
  (point) =>
    point.rate > 0 || point.failed > 0 ? of(point) : null;

/** The latency of each step. */
const LATENCY_LINES: readonly TimeLine[] = [
  { label: 'p50', color: 'blue', measure: latency(({ p50 }) => p50) },
  { label: 'p99', color: 'orange', measure: latency(({ p99 }) => p99) },
  { label: 'max', color: 'red', measure: latency(({ max }) => max), style: { dashed: true } },
];

/** The charts of a load run. */
export const LOAD_CHARTS: readonly TimeChart[] = [
  {
    name: 'rate',
    title: 'Rate',
    explanation: 'Answers a second, planned and reached.',
    unit: 'rate',
    lines: [
      {
        label: 'planned',
        color: 'gray',
        measure: ({ plannedRate }) => plannedRate,
        style: { dashed: true },
      },
      { label: 'reached', color: 'blue', measure: ({ rate }) => rate },
    ],
  },
  {
    name: 'latency',
    title: 'Response time',
    explanation: 'From the planned time of each request; logarithmic.',
    unit: 'us',
    logarithmic: true,
    lines: LATENCY_LINES,
  },
  {
    name: 'failed',
    title: 'Failures',
    explanation: 'Requests that failed in each step.',
    unit: 'count',
    lines: [
      {
        label: 'failed',
        color: 'red',
        measure: ({ failed }) => failed,
        style: { drawn: 'bars' },
      },
    ],
  },
  {
    name: 'health',
    title: 'Utilisation',
    explanation: '100 % is one core, or one event loop that is never idle.',
    unit: 'share',
    lines: [
      {
        label: 'generator loop',
        color: 'blue',
        measure: ({ generator }) => generator?.eventLoopUtilization,
      },
      {
        label: 'generator CPU',
        color: 'teal',
        measure: ({ generator }) => generator?.cpu,
        style: { dashed: true },
      },
      {
        label: 'server loop',
        color: 'orange',
        measure: ({ server }) => server?.eventLoopUtilization,
      },
      {
        label: 'server CPU',
        color: 'purple',
        measure: ({ server }) => server?.cpu,
        style: { dashed: true },
      },
    ],
  },
  {
    name: 'lag',
    title: 'Send lag of the generator',
    explanation:
      'p99, from when a request could have gone to its write: the fault of the generator alone.',
    unit: 'us',
    lines: [
      {
        label: 'send lag p99',
        color: 'teal',
        measure: ({ generator }) => generator?.sendLagP99Us,
      },
    ],
  },
  {
    name: 'memory',
    title: 'Memory of the server',
    explanation: 'Resident set.',
    unit: 'bytes',
    lines: [{ label: 'resident', color: 'purple', measure: ({ server }) => server?.rssBytes }],
  },
];

/** The charts of a server that is watched; `failed` of a step are its refusals. */
export const SERVE_CHARTS: readonly TimeChart[] = [
  {
    name: 'rate',
    title: 'Requests',
    explanation: 'Answered with 200, and refused, in each second.',
    unit: 'rate',
    lines: [
      { label: 'answered', color: 'blue', measure: ({ rate }) => rate },
      { label: 'refused', color: 'red', measure: ({ failed }) => failed, style: { dashed: true } },
    ],
  },
  {
    name: 'latency',
    title: 'Time to the answer',
    explanation: 'From the whole request to the end of its answer, in this process; logarithmic.',
    unit: 'us',
    logarithmic: true,
    lines: LATENCY_LINES,
  },
];

/** A chart over some points, with the lines that have a value among them. */
export function timeChartData(
  group: string,
  { name, unit, logarithmic = false, lines }: TimeChart,
  points: readonly SeriesPoint[],
  limits: readonly ChartLimit[],
): ChartData {
  const series = lines.map(({ label, color, measure, style }) => ({
    label,
    color,
    values: points.map((point) => rounded(measure(point) ?? null)),
    ...style,
  }));
  return {
    id: `${group}-${name}`,
    x: points.map(({ t }) => t),
    xKind: 'seconds',
    unit,
    logarithmic,
    series: series.filter(({ values }) => values.some((value) => value !== null)),
    limits,
    group,
    height: name === 'latency' ? 260 : 180,
  };
}

/** Five significant digits: a page carries no more. */
export function rounded<T extends number | null>(value: T): T {
  return (value === null ? value : Number(value.toPrecision(5))) as T;
}
