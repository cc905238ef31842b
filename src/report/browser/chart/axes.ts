import uPlot from 'uplot';
import type { ChartData } from '../../html/charts/chart-data.ts';
import { formatIn, quantileName } from '../../text/quantities.ts';
import { pageColor } from './colors.ts';

/** Font of the axes. */
const FONT = '12px system-ui, sans-serif';

/** The x axis of a chart. */
export function xAxis(data: ChartData): uPlot.Axis {
  const { xKind, isAxisBelow = false } = data;
  return {
    ...axisStyle(),
    size: isAxisBelow ? 8 : 34,
    space: { percentile: 24, build: 110, seconds: 56, trial: 56 }[xKind],
    ...(xKind === 'build' || xKind === 'trial' ? { incrs: WHOLE_STEPS } : {}),
    ...(xKind === 'percentile' ? { splits: percentileSplits } : {}),
    values: (_, splits) =>
      splits.map((value: number | null) =>
        value === null || isAxisBelow ? '' : placeWords(data, value).slice(0, 16),
      ),
  };
}

/** The median, and every further nine. */
function percentileSplits(_: uPlot, _axis: number, min: number, max: number): number[] {
  const nines = [Math.log10(2), 1, 2, 3, 4, 5, 6, 7, 8, 9];
  return nines.filter((at) => at >= min && at <= max);
}

/** Whole decades; twos and fives too where there are fewer than two decades. */
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

/** The y axis of a chart. */
export function yAxis({ unit, logarithmic, group }: ChartData): uPlot.Axis {
  return {
    ...axisStyle(),
    size: (plot, values) =>
      widthInGroup(
        yAxisWidth(values, (text) => textWidth(plot, text)),
        group,
      ),
    ...(logarithmic === true ? { splits: decadeSplits } : {}),
    ...(unit === 'count' ? { incrs: WHOLE_STEPS } : {}),
    values: (_, splits) =>
      splits.map((value: number | null) => (value === null ? '' : formatIn(unit, value))),
  };
}

/** Width of ticks and gaps beside the words of the y axis, pixels. */
const BESIDE_WORDS = 16;
/** Least width of the y axis. */
const LEAST_WIDTH = 66;

const groupWidths = new Map<string, number>();

/** The widest y axis of a group so far: its charts begin at the same place, and those before are drawn again. */
function widthInGroup(width: number, group: string | undefined): number {
  if (group === undefined) return width;
  const before = groupWidths.get(group) ?? 0;
  if (width > before) {
    groupWidths.set(group, width);
    queueMicrotask(() => {
      for (const plot of uPlot.sync(group).plots) plot.redraw(false, true);
    });
  }
  return Math.max(width, before);
}

/**
 * Width of the y axis, so that none of its words is cut; pixels.
 *
 * @param widthOf width of a text, pixels
 */
export function yAxisWidth(
  words: readonly string[] | null,
  widthOf: (text: string) => number,
): number {
  const widest = (words ?? []).reduce((most, text) => Math.max(most, widthOf(text)), 0);
  return Math.max(LEAST_WIDTH, Math.ceil(widest) + BESIDE_WORDS);
}

function textWidth({ ctx }: uPlot, text: string): number {
  ctx.save();
  ctx.font = FONT;
  const { width } = ctx.measureText(text);
  ctx.restore();
  return width;
}

/** Steps between ticks of counts: whole numbers. */
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

/** Formats a value of the x axis. */
export function placeWords(
  { xKind: kind, builds = [] }: Pick<ChartData, 'xKind' | 'builds'>,
  value: number,
): string {
  if (kind === 'build') return builds[value] ?? '';
  if (kind === 'seconds') return `${Number(value.toFixed(1))} s`;
  if (kind === 'trial') return `${value}`;
  return quantileName(Number((1 - 10 ** -value).toPrecision(Math.max(2, Math.ceil(value) + 2))));
}

/** uPlot declares its distributions as a constant enum, which erasable syntax cannot use. */
const LINEAR = { distr: 1 } as object as uPlot.Scale;
const LOGARITHMIC = { distr: 3 } as object as uPlot.Scale;

/** The x scale of a chart. */
export function xScale({ xKind, x }: ChartData): uPlot.Scale {
  const scale = { ...LINEAR, time: false };
  return xKind === 'trial' ? { ...scale, range: [0.5, x.length + 0.5] } : scale;
}

/** The y scale of a chart: from 0, logarithmic, or of builds close to their values. */
export function yScale({ xKind, logarithmic = false, limits = [] }: ChartData): uPlot.Scale {
  if (xKind === 'build') {
    const close = (min: number, max: number) => uPlot.rangeNum(min, max, 0.1, true);
    return { range: (_, min, max) => (max > 0 ? close(min, max) : [0, 1]) };
  }
  if (logarithmic) {
    return {
      ...LOGARITHMIC,
      range: (plot, min, max) => {
        const floor = lowest(plot);
        const bounds = limits.map(({ value }) => value).filter((value) => value > 0);
        return uPlot.rangeLog(
          Math.min(floor, min, ...bounds),
          Math.max(max, floor * 10, ...bounds),
          10,
          false,
        );
      },
    };
  }
  const bound = limits.reduce((most, { value }) => Math.max(most, value), 0);
  return { range: (_, _min, max) => [0, Math.max(max, bound) * 1.08 || 1] };
}

function lowest({ data: [, ...lines] }: uPlot): number {
  let low = Number.POSITIVE_INFINITY;
  for (const values of lines) {
    for (const value of values) if (value != null && value > 0 && value < low) low = value;
  }
  return Number.isFinite(low) ? low : 1;
}
