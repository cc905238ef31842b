import type { SeriesPoint, ThresholdTerms } from '../../../documents/load.ts';
import type { Unit } from '../../text/quantities.ts';
import type { ChartColor, ChartData, ChartLimit, ChartSeries } from './chart-data.ts';
import { type ChartFigure, chartFigure, limitsIn, stageMarks } from './chart-figure.ts';
import { isLate, isMissed, latency, type Measure, spansWhere } from './seconds.ts';

/** A line of a chart over time. */
interface TimeLine {
  readonly label: string;
  readonly color: ChartColor;
  readonly measure: Measure;
  readonly style?: Pick<ChartSeries, 'dashed' | 'drawn'>;
}

/** A chart over time; a report draws it after the run, the live page during it. */
interface TimeChart {
  readonly name: string;
  readonly title: string;
  readonly explanation: string;
  readonly unit: Unit;
  readonly logarithmic?: boolean;
  readonly lines: readonly TimeLine[];
}

const line = (
  label: string,
  color: ChartColor,
  measure: Measure,
  style?: TimeLine['style'],
): TimeLine => ({ label, color, measure, ...(style && { style }) });

const DASHED = { dashed: true } as const;

/** Latency at each point. */
const LATENCY_LINES: readonly TimeLine[] = [
  line(
    'p50',
    'blue',
    latency(({ p50 }) => p50),
  ),
  line(
    'p99',
    'orange',
    latency(({ p99 }) => p99),
  ),
  line(
    'max',
    'red',
    latency(({ max }) => max),
    DASHED,
  ),
];

/** The charts of a load run. */
export const LOAD_CHARTS: readonly TimeChart[] = [
  {
    name: 'rate',
    title: 'Rate',
    explanation: 'Planned and achieved, in responses a second.',
    unit: 'requests/s',
    lines: [
      line('planned', 'gray', ({ plannedRate, drained }) => (drained ? null : plannedRate), DASHED),
      line('achieved', 'blue', ({ rate, drained }) => (drained ? null : rate)),
    ],
  },
  {
    name: 'latency',
    title: 'Response time',
    explanation: 'Of successes, from the planned time of each; logarithmic scale.',
    unit: 'us',
    logarithmic: true,
    lines: LATENCY_LINES,
  },
  {
    name: 'failed',
    title: 'Failures',
    explanation: 'Failed requests in each second.',
    unit: 'count',
    lines: [line('failed', 'red', ({ failed }) => failed, { drawn: 'bars' })],
  },
  {
    name: 'health',
    title: 'Utilization',
    explanation:
      '100 % is one core, an event loop that is never idle, or a generator that gets no core.',
    unit: 'share',
    lines: [
      line('generator event loop', 'blue', ({ generator }) => generator?.eventLoopUtilization),
      line('generator CPU', 'teal', ({ generator }) => generator?.cpu, DASHED),
      line('generator core wait', 'red', ({ generator }) => generator?.coreWait),
    ],
  },
  {
    name: 'lag',
    title: 'Send lag of the generator',
    explanation: 'Delay added by the generator: from when a request could be sent to its sending.',
    unit: 'us',
    lines: [line('send lag p99', 'teal', ({ generator }) => generator?.sendLagP99Us)],
  },
];

/** The charts of a server; `failed` of a point are its refusals. */
const SERVE_CHARTS: readonly TimeChart[] = [
  {
    name: 'rate',
    title: 'Requests',
    explanation: 'Accepted (status 200) and refused, in each second.',
    unit: 'requests/s',
    lines: [
      line('accepted', 'blue', ({ rate }) => rate),
      line('refused', 'red', ({ failed }) => failed, DASHED),
    ],
  },
  {
    name: 'latency',
    title: 'Response time',
    explanation:
      'From the last byte of a request to the end of its response, in this process; logarithmic scale.',
    unit: 'us',
    logarithmic: true,
    lines: LATENCY_LINES,
  },
];

/** Thresholds and stages of a run, which its charts show. */
interface TimeTerms {
  readonly thresholds?: readonly ThresholdTerms[] | undefined;
  readonly stages?: readonly { readonly startS: number }[] | undefined;
}

/**
 * Charts over time: one group, with one axis under the last that has data. Those without any, and bars of nothing
 * but 0, have no line.
 */
export function timeFigures(
  charts: readonly TimeChart[],
  group: string,
  points: readonly SeriesPoint[],
  { thresholds = [], stages }: TimeTerms,
): ChartFigure[] {
  const marks = stageMarks(stages);
  const missed = spansWhere(points, (point) => thresholds.some((one) => isMissed(one, point)));
  const late = spansWhere(points, isLate);
  const shared = { ...(marks.length > 0 && { marks }), missed, late };
  const all = charts.map((chart) => {
    const limits = chart.name === 'lag' ? [] : limitsIn(chart.unit, thresholds);
    return { chart, data: { ...timeChartData(group, chart, points, limits), ...shared } };
  });
  const last = all.findLast(({ data }) => data.series.length > 0);
  return all.map(({ chart, data }) => {
    const isAxisBelow = data.id !== last?.data.id;
    return chartFigure({ ...data, isAxisBelow }, chart.title, chart.explanation);
  });
}

/** Data of a chart; lines without any value are left out. */
function timeChartData(
  group: string,
  { name, unit, logarithmic = false, lines }: TimeChart,
  points: readonly SeriesPoint[],
  limits: readonly ChartLimit[],
): ChartData {
  const drawn = withLateAnswers(points);
  const series = lines.map(({ label, color, measure, style }) => ({
    label,
    color,
    values: drawn.map((point) => rounded(measure(point) ?? null)),
    ...style,
  }));
  const isEmpty = ({ values, drawn: how }: ChartSeries): boolean =>
    values.every((value) => value === null || (how === 'bars' && value === 0));
  return {
    id: `${group}-${name}`,
    x: points.map(({ t }) => t),
    xKind: 'seconds',
    unit,
    logarithmic,
    series: series.filter((one) => !isEmpty(one)),
    limits,
    group,
    height: name === 'latency' ? 260 : 180,
  };
}

/**
 * Adds the latencies of late answers to the last second before them. On their own, a few late answers
 * would be drawn as a collapse or a peak of a second in which nothing was planned.
 */
function withLateAnswers(points: readonly SeriesPoint[]): SeriesPoint[] {
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

/** Five significant digits, to keep the page small. */
export function rounded<T extends number | null>(value: T): T {
  return (value === null ? value : Number(value.toPrecision(5))) as T;
}

/** Group of the charts of a live page. */
export const LIVE_GROUP = 'live';

/** The charts of a live page by its command. */
export const LIVE_CHARTS: Readonly<Record<'load' | 'certify' | 'serve', readonly TimeChart[]>> = {
  load: LOAD_CHARTS,
  certify: [],
  serve: SERVE_CHARTS,
};
