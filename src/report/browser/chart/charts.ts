import type { ChartData } from '../../html/charts/chart-data.ts';
import { onNewColors } from './colors.ts';
import { type Drawn, drawChart } from './draw-chart.ts';
import { startValueTables } from './value-table.ts';
import { startZoomBar } from './zoom-bar.ts';

/** Draws every chart of the page, and draws them again when the colours change. */
export function startCharts(): void {
  const island = document.querySelector('#charts');
  const charts = JSON.parse(island?.textContent ?? '[]') as ChartData[];
  const drawn = new Map<string, Drawn>();
  const draw = (data: ChartData): void => {
    const place = document.getElementById(data.id);
    // A chart in a collapsed part is drawn when that is expanded.
    if (!place?.checkVisibility()) return;
    const before = drawn.get(data.id);
    drawn.set(data.id, drawChart(place, data, before));
  };

  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const data = charts.find(({ id }) => id === target.id);
      const chart = data && drawn.get(data.id);
      if (chart) chart.plot.setSize({ width: target.clientWidth, height: chart.plot.height });
      else if (data) draw(data);
    }
  });
  for (const { id } of charts) {
    const place = document.getElementById(id);
    if (place) observer.observe(place);
  }
  for (const bar of document.querySelectorAll<HTMLElement>('.zoom-bar')) {
    startZoomBar(bar, () =>
      charts.flatMap((data) => {
        const chart = data.group === bar.dataset['group'] ? drawn.get(data.id) : undefined;
        return chart ? [chart] : [];
      }),
    );
  }
  startValueTables(charts);
  onNewColors(() => charts.forEach(draw));
}
