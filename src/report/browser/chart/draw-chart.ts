import uPlot from 'uplot';
import type { ChartData, ChartSeries } from '../../html/charts/chart-data.ts';
import { formatIn } from '../../text/quantities.ts';
import { pageColor } from './colors.ts';
import { placeWords } from './words.ts';

/** A chart that is on the page. */
export interface Drawn {
  plot: uPlot;
  /** The whole of the x axis. */
  span: { min: number; max: number };
}

/** uPlot types its kinds of scale as a constant enum, which only its own compiler could read. */
const LINEAR = { distr: 1 } as object as uPlot.Scale;
const LOGARITHMIC = { distr: 3 } as object as uPlot.Scale;

const AXIS_NAMES = { seconds: 'at', percentile: 'percentile', latency: 'from' } as const;

const FONT = '12px system-ui, sans-serif';

/** Draws a chart into its place, in the page's colours of now; keeps the zoom of the one before. */
export function drawChart(place: HTMLElement, data: ChartData, before?: Drawn): Drawn {
  const zoom = before?.plot.scales['x'];
  before?.plot.destroy();
  const plot = new uPlot(optionsOf(place, data), valuesOf(data), place);
  const span = spanOf(data);
  if (zoom?.min !== undefined && zoom.max !== undefined) {
    plot.setScale('x', { min: zoom.min, max: zoom.max });
  }
  return { plot, span };
}

/** Puts other data into a chart of the same lines; a zoom stays where it is. */
export function moveChart({ plot, span }: Drawn, data: ChartData): Drawn {
  const { min = span.min, max = span.max } = plot.scales['x'] ?? {};
  const isZoomed = min > span.min || max < span.max;
  plot.setData(valuesOf(data), !isZoomed);
  if (isZoomed) plot.setScale('x', { min, max });
  return { plot, span: spanOf(data) };
}

function valuesOf({ x, series }: ChartData): uPlot.AlignedData {
  return [[...x], ...series.map(({ values }) => [...values])] as uPlot.AlignedData;
}

function spanOf({ x }: ChartData): Drawn['span'] {
  return { min: x[0] ?? 0, max: x.at(-1) ?? 0 };
}

function optionsOf(place: HTMLElement, data: ChartData): uPlot.Options {
  return {
    width: place.clientWidth,
    height: data.height,
    scales: { x: xScale(data), y: yScale(data) },
    axes: [xAxis(data), yAxis(data)],
    series: [
      {
        label: AXIS_NAMES[data.xKind],
        value: (_, value) => nullable(value, (x) => placeWords(data.xKind, x)),
      },
      ...data.series.map((series) => lineOf(series, data)),
    ],
    cursor: {
      ...(data.group === undefined ? {} : { sync: { key: data.group } }),
      drag: { x: data.xKind === 'seconds', y: false },
      points: { size: 7 },
    },
    legend: {
      live: true,
      markers: { dash: (_, at) => (data.series[at - 1]?.dashed === true ? 'dashed' : 'solid') },
    },
    hooks: {
      draw: [(plot) => drawLimits(plot, data)],
      setScale: [(plot, key) => spreadZoom(plot, key, data)],
    },
  };
}

function xScale({ xKind }: ChartData): uPlot.Scale {
  return { ...(xKind === 'latency' ? LOGARITHMIC : LINEAR), time: false };
}

function yScale({ logarithmic = false, limits = [] }: ChartData): uPlot.Scale {
  if (logarithmic) {
    return {
      ...LOGARITHMIC,
      range: (plot, min, max) => {
        const floor = lowest(plot);
        return uPlot.rangeLog(
          Math.max(floor, min),
          withLimits(Math.max(max, floor * 10), limits),
          10,
          false,
        );
      },
    };
  }
  return { range: (_, _min, max) => [0, max > 0 ? max * 1.08 : 1] };
}

/** A limit far above everything would press the lines flat; one within reach is shown. */
function withLimits(max: number, limits: NonNullable<ChartData['limits']>): number {
  const near = limits.map(({ value }) => value).filter((value) => value < max * 30);
  return near.reduce((most, value) => Math.max(most, value), max);
}

function lowest({ data: [, ...lines] }: uPlot): number {
  let low = Number.POSITIVE_INFINITY;
  for (const values of lines) {
    for (const value of values) if (value != null && value > 0 && value < low) low = value;
  }
  return Number.isFinite(low) ? low : 1;
}

function lineOf(
  { label, color, dashed, drawn, filled }: ChartSeries,
  data: ChartData,
): uPlot.Series {
  const stroke = pageColor(`chart-${color}`);
  return {
    label,
    stroke,
    width: drawn === 'bars' ? 0 : 1.5,
    ...(dashed === true ? { dash: [5, 4] } : {}),
    ...(drawn === 'bars' ? { paths: uPlot.paths.bars!({ size: [0.7, 12] }), fill: stroke } : {}),
    ...(drawn === 'steps' ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
    ...(filled === true ? { fill: translucent(stroke) } : {}),
    points: { show: false },
    value: (_, value) => nullable(value, (y) => formatIn(data.unit, y)),
  };
}

function translucent(rgb: string): string {
  return rgb.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.14)');
}

function nullable(value: number | null | undefined, words: (value: number) => string): string {
  return value === null || value === undefined ? '' : words(value);
}

function xAxis({ xKind }: ChartData): uPlot.Axis {
  return {
    ...axisStyle(),
    size: 34,
    space: xKind === 'percentile' ? 24 : 56,
    ...(xKind === 'percentile' ? { splits: percentileSplits } : {}),
    ...(xKind === 'latency' ? { splits: decadeSplits } : {}),
    values: (_, splits) =>
      splits.map((value: number | null) => (value === null ? '' : placeWords(xKind, value))),
  };
}

/** Median, and then each further nine. */
function percentileSplits(_: uPlot, _axis: number, min: number, max: number): number[] {
  const nines = [Math.log10(2), 1, 2, 3, 4, 5, 6, 7, 8, 9];
  return nines.filter((at) => at >= min && at <= max);
}

/** Whole decades; over less than two of them also twos and fives. */
function decadeSplits(_: uPlot, _axis: number, min: number, max: number): number[] {
  const first = Math.floor(Math.log10(min));
  const last = Math.ceil(Math.log10(max));
  const factors = max / min < 100 ? [1, 2, 5] : [1];
  const splits: number[] = [];
  for (let decade = first; decade <= last; decade += 1) {
    splits.push(...factors.map((factor) => factor * 10 ** decade));
  }
  return splits.filter((value) => value >= min * 0.999 && value <= max * 1.001);
}

function yAxis({ unit, logarithmic }: ChartData): uPlot.Axis {
  return {
    ...axisStyle(),
    size: 66,
    ...(logarithmic === true ? { splits: decadeSplits } : {}),
    ...(unit === 'bytes' ? { incrs: BINARY_STEPS } : {}),
    ...(unit === 'count' ? { incrs: WHOLE_STEPS } : {}),
    values: (_, splits) =>
      splits.map((value: number | null) => (value === null ? '' : formatIn(unit, value))),
  };
}

/** Steps between the ticks of an axis in bytes: round in KiB, MiB and GiB. */
const BINARY_STEPS = Array.from({ length: 42 }, (_, power) => 2 ** power);

/** Steps between the ticks of an axis of counts: there is no half of a request. */
const WHOLE_STEPS = Array.from(
  { length: 36 },
  (_, at) => [1, 2, 5][at % 3]! * 10 ** Math.floor(at / 3),
);

function axisStyle(): uPlot.Axis {
  const line = pageColor('line');
  return {
    font: FONT,
    stroke: pageColor('muted'),
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 5 },
  };
}

function drawLimits(plot: uPlot, { limits = [] }: ChartData): void {
  const { ctx, bbox } = plot;
  for (const { label, value } of limits) {
    const y = Math.round(plot.valToPos(value, 'y', true));
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.save();
    ctx.strokeStyle = pageColor('ink');
    ctx.fillStyle = pageColor('ink');
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = 'right';
    ctx.textBaseline = 'bottom';
    ctx.fillText(label, bbox.left + bbox.width - 4, y - 2);
    ctx.restore();
  }
}

/** The other charts of the group show the same time; the bar above them says which. */
function spreadZoom(plot: uPlot, key: string, { group }: ChartData): void {
  const { min, max } = plot.scales['x'] ?? {};
  if (key !== 'x' || group === undefined || min === undefined || max === undefined) return;
  for (const other of uPlot.sync(group).plots) {
    const scale = other.scales['x'];
    if (other !== plot && (scale?.min !== min || scale.max !== max)) {
      other.setScale('x', { min, max });
    }
  }
  document.querySelector(`.zoom-bar[data-group="${group}"]`)?.dispatchEvent(new Event('zoomed'));
}
