import type { ChartData } from '../../html/charts/chart-data.ts';
import { onNewColors } from './colors.ts';
import { type Drawn, drawChart } from './draw-chart.ts';
import { startValueTables } from './value-table.ts';

/**
 * Draws the charts of the page, and draws them again when the colours change.
 *
 * @param charts default: those that the page brought
 * @returns draws them with newer data; the pointer stays
 */
export function startCharts(
  charts: readonly ChartData[] = chartsOfPage(),
): (newer: readonly ChartData[]) => void {
  let current = charts;
  const drawn = new Map<string, Drawn>();
  const draw = (data: ChartData): void => {
    const place = document.getElementById(data.id);
    // A chart in a collapsed part is drawn when that is expanded.
    if (!place?.checkVisibility()) return;
    const chart = drawChart(place, data, drawn.get(data.id));
    if (chart) drawn.set(data.id, chart);
    else drawn.delete(data.id);
  };

  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const data = current.find(({ id }) => id === target.id);
      const chart = data && drawn.get(data.id);
      if (chart) chart.plot.setSize({ width: target.clientWidth, height: chart.plot.height });
      else if (data) draw(data);
    }
  });
  for (const { id } of charts) {
    const place = document.getElementById(id);
    if (place) observer.observe(place);
  }
  const fillTables = startValueTables(() => current);
  onNewColors(() => current.forEach(draw));
  return (newer) => {
    current = newer;
    newer.forEach(draw);
    fillTables();
  };
}

function chartsOfPage(): readonly ChartData[] {
  const island = document.querySelector('#charts');
  return JSON.parse(island?.textContent ?? '[]') as ChartData[];
}
