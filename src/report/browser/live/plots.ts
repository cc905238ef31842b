import type { SeriesPoint } from '../../../documents/load.ts';
import type { ChartData } from '../../html/charts/chart-data.ts';
import {
  LIVE_CHARTS,
  LIVE_GROUP,
  type TimeChart,
  timeChartData,
} from '../../html/charts/time-charts.ts';
import { formatIn } from '../../text/quantities.ts';
import { onNewColors } from '../chart/colors.ts';
import { type Drawn, drawChart, moveChart } from '../chart/draw-chart.ts';
import { startZoomBar } from '../chart/zoom-bar.ts';
import { make } from '../elements.ts';

/** Rows of the data table. */
const TABLE_ROWS = 30;

interface LivePlot {
  readonly chart: TimeChart;
  readonly place: HTMLElement;
  readonly limits: NonNullable<ChartData['limits']>;
  readonly marks: NonNullable<ChartData['marks']>;
  drawn: Drawn | null;
  /** Names of the lines that are drawn. */
  lines: string;
}

/** The charts of a page, updated as points come in. */
export class LivePlots {
  readonly #plots: readonly LivePlot[];
  readonly #figures = document.querySelector<HTMLDetailsElement>('#live-figures');
  #points: readonly SeriesPoint[] = [];

  constructor(kind: string) {
    const empty = JSON.parse(document.querySelector('#charts')?.textContent ?? '[]') as ChartData[];
    const charts = kind === 'load' || kind === 'serve' ? LIVE_CHARTS[kind] : [];
    this.#plots = charts.flatMap((chart) => {
      const id = `${LIVE_GROUP}-${chart.name}`;
      const place = document.getElementById(id);
      const { limits = [], marks = [] } = empty.find((data) => data.id === id) ?? {};
      return place ? [{ chart, place, limits, marks, drawn: null, lines: '' }] : [];
    });
    this.#startResizing();
    for (const bar of document.querySelectorAll<HTMLElement>('.zoom-bar')) {
      startZoomBar(bar, () => this.#plots.flatMap(({ drawn }) => drawn ?? []));
    }
    onNewColors(() => {
      for (const plot of this.#plots) this.#draw(plot, true);
    });
    this.#figures?.addEventListener('toggle', () => this.#showFigures());
  }

  show(points: readonly SeriesPoint[]): void {
    this.#points = points;
    for (const plot of this.#plots) this.#draw(plot);
    this.#showFigures();
  }

  /** Draws a chart, unless of one point; with the same lines only its data change. */
  #draw(plot: LivePlot, anew = false): void {
    const data = timeChartData(LIVE_GROUP, plot.chart, this.#points, plot.limits, plot.marks);
    const lines = data.series.map(({ label }) => label).join();
    const isEmpty = data.x.length < 2 || lines === '';
    if (plot.drawn && !anew && !isEmpty && lines === plot.lines) {
      plot.drawn = moveChart(plot.drawn, data);
      return;
    }
    plot.drawn?.plot.destroy();
    plot.lines = lines;
    plot.drawn = isEmpty ? null : drawChart(plot.place, data);
  }

  #startResizing(): void {
    const observer = new ResizeObserver(() => {
      for (const { place, drawn } of this.#plots) {
        drawn?.plot.setSize({ width: place.clientWidth, height: drawn.plot.height });
      }
    });
    for (const { place } of this.#plots) observer.observe(place);
  }

  #showFigures(): void {
    if (!this.#figures?.open) return;
    const lines = this.#plots.flatMap(({ chart }) =>
      chart.lines
        .filter(({ measure }) => this.#points.some((point) => measure(point) != null))
        .map((line) => ({ ...line, unit: chart.unit })),
    );
    const cell = (tag: string, scope: string, text: string): HTMLElement => {
      const element = make(tag, scope === 'row' ? '' : 'number', text);
      if (scope !== '') element.setAttribute('scope', scope);
      return element;
    };
    const head = make('tr', '', cell('th', 'col', 'At'));
    head.append(...lines.map(({ label }) => cell('th', 'col', label)));
    const rows = this.#points.slice(-TABLE_ROWS).map((point) => {
      const row = make('tr', '', cell('th', 'row', `${Number(point.t.toFixed(1))} s`));
      const values = lines.map(({ measure, unit }) => {
        const value = measure(point) ?? null;
        return cell('td', '', value === null ? '–' : formatIn(unit, value));
      });
      row.append(...values);
      return row;
    });
    this.#figures.querySelector('thead')?.replaceChildren(head);
    this.#figures.querySelector('tbody')?.replaceChildren(...rows);
  }
}
