import type { LoadDocument } from '../../../documents/load.ts';
import { thinSeries } from '../../latency/thin-series.ts';
import { formatIn } from '../../text/quantities.ts';
import { column, numbers } from '../../text/tables.ts';
import { table } from '../blocks.ts';
import type { Markup } from '../markup.ts';
import type { ChartData } from './chart-data.ts';
import { type ChartFigure, chartFigure, latencyLimits } from './chart-figure.ts';
import { LOAD_CHARTS, timeChartData } from './time-charts.ts';

/** Points of a line: more than a screen shows, few enough to zoom smoothly. */
const POINT_LIMIT = 1200;
/** Rows of the table of a chart. */
const ROW_LIMIT = 60;

/** The charts over time of a load run; they share pointer and zoom. Empty without a series. */
export function timeFigures(document: LoadDocument, id: string): ChartFigure[] {
  const points = thinSeries(document.series, POINT_LIMIT);
  if (points.length < 2) return [];
  const rate = document.intended.rate ?? undefined;
  const planned = points.map((point) => ({ ...point, plannedRate: point.plannedRate ?? rate }));
  return LOAD_CHARTS.flatMap((chart) => {
    const limits = chart.name === 'latency' ? latencyLimits(document.thresholds) : [];
    const data = timeChartData(id, chart, planned, limits);
    if (data.series.length === 0) return [];
    return [chartFigure(data, chart.title, chart.explanation, valueTable(data, chart.title))];
  });
}

function valueTable({ x, series, unit }: ChartData, title: string): Markup {
  const every = Math.ceil(x.length / ROW_LIMIT);
  const columns = [
    column('at', (at: number) => `${Number((x[at] ?? 0).toFixed(1))} s`),
    ...series.map(({ label, values }) =>
      numbers(label, (at: number) => {
        const value = values[at] ?? null;
        return value === null ? '–' : formatIn(unit, value);
      }),
    ),
  ];
  const rows = [...x.keys()].filter((at) => at % every === 0);
  const caption = `${title} over time`;
  return every === 1
    ? table(caption, columns, rows)
    : table(`${caption}, every ${every}th point`, columns, rows, { showCaption: true });
}
