import type { SeriesPoint } from '../../../documents/load.ts';
import { formatIn, type Unit } from '../../text/quantities.ts';
import { table } from '../blocks.ts';
import type { Content } from '../markup.ts';
import type { ChartLimit, ChartSeries } from './chart-data.ts';
import { type ChartFigure, chartFigure } from './chart-figure.ts';
import { type TimeChart, timeChartData } from './time-charts.ts';

/** Rows of a table beside a chart. */
const ROW_LIMIT = 60;

/** The steps of a run, from which charts over time are made. */
export class TimePlot {
  readonly #id: string;
  readonly #points: readonly SeriesPoint[];

  constructor(id: string, points: readonly SeriesPoint[]) {
    this.#id = id;
    this.#points = points;
  }

  /** Null where none of the lines has a value. */
  figure(chart: TimeChart, limits: readonly ChartLimit[]): ChartFigure | null {
    const data = timeChartData(this.#id, chart, this.#points, limits);
    if (data.series.length === 0) return null;
    const { title, explanation, unit } = chart;
    return chartFigure(data, title, explanation, this.#figures(title, unit, data.series, data.x));
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
