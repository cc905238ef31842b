import uPlot from 'uplot';
import type { ChartData, ChartSeries } from '../../html/charts/chart-data.ts';
import { formatIn } from '../../text/quantities.ts';
import { placeWords, xAxis, xScale, yAxis, yScale } from './axes.ts';
import { pageColor } from './colors.ts';

/** A chart on the page. */
export interface Drawn {
  plot: uPlot;
  /** The whole x axis. */
  span: { min: number; max: number };
}

/** Name of the x axis, by its kind. */
export const AXIS_NAMES = { seconds: 'at', percentile: 'percentile', latency: 'from' } as const;

/** Draws a chart into its place in the present colours; the zoom of the one before is kept. */
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

/** Updates the data of a chart with the same lines; its zoom is kept. */
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
      draw: [(plot) => drawLimits(plot, data), (plot) => drawMarks(plot, data)],
      setScale: [(plot, key) => spreadZoom(plot, key, data)],
    },
  };
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

/** Draws vertical lines at the marks; a label that would cover the one before it is left out. */
function drawMarks(plot: uPlot, { marks = [] }: ChartData): void {
  const { ctx, bbox } = plot;
  let freeFrom = bbox.left;
  for (const { label, value } of marks) {
    const x = Math.round(plot.valToPos(value, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.save();
    ctx.strokeStyle = pageColor('muted');
    ctx.fillStyle = pageColor('muted');
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'top';
    const from = x + 4 * devicePixelRatio;
    const to = from + ctx.measureText(label).width;
    if (from >= freeFrom && to <= bbox.left + bbox.width) {
      ctx.fillText(label, from, bbox.top + 2 * devicePixelRatio);
      freeFrom = to + 4 * devicePixelRatio;
    }
    ctx.restore();
  }
}

/** Zooms the other charts of the group; the bar above them shows the range. */
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
