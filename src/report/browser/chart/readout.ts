import uPlot from 'uplot';
import type { ChartData } from '../../html/charts/chart-data.ts';
import { html } from '../../html/markup.ts';

const box = document.createElement('div');
box.className = 'readout';
box.ariaHidden = 'true';

/** Shows beside the pointer the values at its place, of all charts of the group. */
export function showReadout(plot: uPlot, { group }: ChartData): void {
  const { left = -1, top = 0, idxs } = plot.cursor;
  // Of a line: that of the x axis is the nearest, which may be the next second.
  const idx = idxs?.[1];
  // The charts of a group follow the pointer that is over one of them; the style hides it when none is.
  if (!plot.over.matches(':hover')) return;
  if (idx == null || left < 0) return;
  const plots = group === undefined ? [plot] : uPlot.sync(group).plots;
  const words = (of: uPlot, at: number): string => {
    const { value } = of.series[at] ?? {};
    return typeof value === 'function' ? `${value(of, of.data[at]?.[idx] as number, at, idx)}` : '';
  };
  const rows = plots.flatMap((of) =>
    of.series.slice(1).map(({ label }, at) => [label as string, words(of, at + 1)] as const),
  );
  const items = rows.map(
    ([label, value]) => value !== '' && html`<dt>${label}</dt><dd>${value}</dd>`,
  );
  box.innerHTML = html`<b>${words(plot, 0)}</b><dl>${items}</dl>`.text;
  plot.over.append(box);
  const isRight = left > plot.over.clientWidth / 2;
  box.style.top = `${top + 12}px`;
  box.style.left = isRight ? '' : `${left + 12}px`;
  box.style.right = isRight ? `${plot.over.clientWidth - left + 12}px` : '';
}
