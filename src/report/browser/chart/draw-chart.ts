import uPlot from 'uplot';
import type { ChartData, ChartSeries, ChartSpan } from '../../html/charts/chart-data.ts';
import { formatIn } from '../../text/quantities.ts';
import { placeWords, xAxis, xScale, yAxis, yScale } from './axes.ts';
import { pageColor } from './colors.ts';
import { showReadout } from './readout.ts';

/** A chart on the page. */
export interface Drawn {
  plot: uPlot;
  /** Names of its lines, and the colours in which they are drawn. */
  look: string;
}

/** Name of the x axis, by its kind. */
export const AXIS_NAMES = {
  seconds: 'at',
  percentile: 'percentile',
  build: 'build',
  trial: 'trial',
} as const;

/**
 * Draws a chart into its place in the present colours; null for one without two points. One with the same lines and
 * colours stays, and gets the new data.
 */
export function drawChart(place: HTMLElement, data: ChartData, before?: Drawn): Drawn | null {
  const names = data.series.map(({ label }) => label);
  const look = [pageColor('ink'), data.isAxisBelow, ...names].join();
  if (before?.look === look) before.plot.setData(valuesOf(data));
  else before?.plot.destroy();
  if (data.x.length < 2 || data.series.length === 0) return null;
  if (before?.look === look) return before;
  return { plot: new uPlot(optionsOf(place, data), valuesOf(data), place), look };
}

/** A value of a second lasts until the next one: the last has an end too. */
function valuesOf(data: ChartData): uPlot.AlignedData {
  const { x, xKind, series } = data;
  const ofSeconds = xKind === 'seconds';
  const last = x.at(-1) ?? 0;
  return [
    [...x, ...(ofSeconds ? [2 * last - (x.at(-2) ?? last - 1)] : [])],
    ...series.map(({ values, drawn }) => [
      ...values,
      ...(ofSeconds ? [drawn === 'bars' ? null : values.at(-1)] : []),
    ]),
  ] as uPlot.AlignedData;
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
        value: (_, value) => nullable(value, (x) => placeWords(data, x)),
      },
      ...data.series.map((series) => lineOf(series, data)),
    ],
    bands: data.series.flatMap(({ drawn }, at) =>
      drawn === 'end' && data.series[at - 1]?.drawn === 'end'
        ? [
            {
              series: [at + 1, at],
              fill: translucent(pageColor(`chart-${data.series[at]?.color}`)),
            },
          ]
        : [],
    ),
    cursor: {
      ...(data.group === undefined ? {} : { sync: { key: data.group } }),
      ...(data.xKind === 'seconds' ? { dataIdx: secondAt } : {}),
      drag: { x: false, y: false },
      points: { size: 7 },
    },
    legend: {
      live: false,
      markers: {
        width: 1,
        dash: (_, at) => (data.series[at - 1]?.dashed === true ? 'dashed' : 'solid'),
      },
    },
    hooks: {
      drawClear: [(plot) => drawSpans(plot, data)],
      draw: [(plot) => drawLimits(plot, data), (plot) => drawMarks(plot, data)],
      setCursor: [(plot) => showReadout(plot, data)],
    },
  };
}

/** Index of the second in which the pointer is; uPlot gives the start that is nearest. */
function secondAt({ data: [x] }: uPlot, _series: number, nearest: number, at: number): number {
  return nearest > 0 && (x[nearest] ?? 0) > at ? nearest - 1 : nearest;
}

function lineOf({ label, color, dashed, drawn }: ChartSeries, data: ChartData): uPlot.Series {
  const stroke = pageColor(`chart-${color}`);
  const isStepped = drawn === undefined && data.xKind === 'seconds';
  return {
    label,
    stroke,
    width: drawn === 'bars' || drawn === 'end' ? 0 : 1.5,
    ...(dashed === true ? { dash: [5, 4] } : {}),
    ...(drawn === 'bars'
      ? { paths: uPlot.paths.bars!({ size: [0.7, 12], align: 1 }), fill: stroke }
      : {}),
    ...(isStepped ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
    ...(drawn === 'dots'
      ? dotsOf(stroke, dashed)
      : {
          points: {
            show: data.xKind === 'build' && drawn !== 'end' && data.x.length < 60,
            size: 5,
          },
        }),
    class: drawn ?? 'line',
    value: (_, value) => nullable(value, (y) => formatIn(data.unit, y)),
  };
}

/** Dots without a line; dashed ones are hollow. */
function dotsOf(stroke: string, dashed = false): Partial<uPlot.Series> {
  const fill = dashed ? pageColor('surface') : stroke;
  return { paths: () => null, fill, points: { show: true, size: 9, fill } };
}

function translucent(rgb: string): string {
  return rgb.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.14)');
}

function nullable(value: number | null | undefined, words: (value: number) => string): string {
  return value === null || value === undefined ? '' : words(value);
}

/** Shades the seconds that missed a bound, and hatches those in which the generator was late. */
function drawSpans(plot: uPlot, { missed = [], late = [] }: ChartData): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const fill = (spans: readonly ChartSpan[], style: string | CanvasPattern): void => {
    ctx.fillStyle = style;
    for (const span of spans) {
      const [from, to] = span.map((at) => plot.valToPos(at, 'x', true)) as [number, number];
      ctx.fillRect(from, bbox.top, to - from, bbox.height);
    }
  };
  fill(missed, pageColor('bad-soft'));
  fill(late, hatching(ctx));
  ctx.restore();
}

function hatching(ctx: CanvasRenderingContext2D): CanvasPattern {
  const tile = document.createElement('canvas');
  tile.width = tile.height = Math.round(7 * devicePixelRatio);
  const pen = tile.getContext('2d')!;
  pen.strokeStyle = pageColor('muted');
  pen.moveTo(0, tile.height);
  pen.lineTo(tile.width, 0);
  pen.stroke();
  return ctx.createPattern(tile, 'repeat')!;
}

function drawLimits(plot: uPlot, { limits = [] }: ChartData): void {
  const { ctx, bbox } = plot;
  let before = Number.NaN;
  for (const { label, value } of limits) {
    const y = Math.round(plot.valToPos(value, 'y', true));
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    const isBelow = Math.abs(y - before) < 16 * devicePixelRatio;
    before = y;
    startLine(ctx, 'ink', [2, 3]);
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.textAlign = 'right';
    ctx.textBaseline = isBelow ? 'top' : 'bottom';
    ctx.fillText(label, bbox.left + bbox.width - 4, y + (isBelow ? 3 : -2));
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
    startLine(ctx, 'muted', [4, 4]);
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
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

/** Begins a dashed line, and the style of its label; the caller restores the one before. */
function startLine(ctx: CanvasRenderingContext2D, color: string, dash: readonly number[]): void {
  ctx.save();
  ctx.strokeStyle = pageColor(color);
  ctx.fillStyle = pageColor(color);
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.beginPath();
}
