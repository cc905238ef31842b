import type { SeriesPoint } from '../documents/load.ts';
import { formatIn, type Unit } from '../text/quantities.ts';
import { table } from './building-blocks.ts';
import type { ChartLimit, ChartSeries } from './chart-data.ts';
import { type ChartFigure, chartFigure } from './chart-figure.ts';
import type { Content } from './markup.ts';

/** Rows of a table beside a chart. */
const ROW_LIMIT = 60;

/** What a line shows of each step of a run. */
export type Measure = (point: SeriesPoint) => number | null | undefined;

/** The steps of a run, from which charts over time are made. */
export class TimePlot {
  readonly #id: string;
  readonly #points: readonly SeriesPoint[];

  constructor(id: string, points: readonly SeriesPoint[]) {
    this.#id = id;
    this.#points = points;
  }

  /** A line through what is measured of each step. */
  line(
    label: string,
    color: ChartSeries['color'],
    measure: Measure,
    style: Pick<ChartSeries, 'dashed' | 'drawn'> = {},
  ): ChartSeries {
    const values = this.#points.map((point) => rounded(measure(point) ?? null));
    return { label, color, values, ...style };
  }

  /** Null where none of the lines has a value. */
  figure(
    name: string,
    title: string,
    explanation: string,
    unit: Unit,
    lines: readonly ChartSeries[],
    more: { logarithmic?: boolean; limits?: readonly ChartLimit[] } = {},
  ): ChartFigure | null {
    const series = lines.filter(({ values }) => values.some((value) => value !== null));
    if (series.length === 0) return null;
    const x = this.#points.map(({ t }) => t);
    return chartFigure(
      {
        id: `${this.#id}-${name}`,
        x,
        xKind: 'seconds',
        unit,
        series,
        group: this.#id,
        height: name === 'latency' ? 260 : 180,
        ...more,
      },
      title,
      explanation,
      this.#figures(title, unit, series, x),
    );
  }

  #figures(
    title: string,
    unit: Unit,
    series: readonly ChartSeries[],
    x: readonly number[],
  ): Content {
    const every = Math.ceil(x.length / ROW_LIMIT);
    const rows = x.map((t, at) => [
      `${Number(t.toFixed(1))} s`,
      ...series.map(({ values }) => {
        const value = values[at] ?? null;
        return value === null ? '–' : formatIn(unit, value);
      }),
    ]);
    return table(
      every === 1 ? `${title} over time` : `${title} over time, every ${every}th step`,
      [{ name: 'At' }, ...series.map(({ label }) => ({ name: label, numeric: true }))],
      rows.filter((_, at) => at % every === 0),
      { hideCaption: every === 1 },
    );
  }
}

/** Five significant digits: a page carries no more. */
export function rounded<T extends number | null>(value: T): T {
  return (value === null ? value : Number(value.toPrecision(5))) as T;
}
