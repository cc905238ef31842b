import { table } from '../../html/blocks.ts';
import type { ChartData } from '../../html/charts/chart-data.ts';
import type { Markup } from '../../html/markup.ts';
import { column, known, numbers } from '../../text/columns.ts';
import { formatIn } from '../../text/quantities.ts';
import { placeWords } from './axes.ts';
import { AXIS_NAMES } from './draw-chart.ts';

/**
 * Shows the openers of the tables; each table is made while it is expanded.
 *
 * @returns makes those again that are expanded
 */
export function startValueTables(charts: () => readonly ChartData[]): () => void {
  const openers = [...document.querySelectorAll<HTMLDetailsElement>('details[data-chart]')];
  const fill = (details: HTMLDetailsElement): void => {
    const data = charts().find(({ id }) => id === details.dataset['chart']);
    if (!details.open || !data) return;
    const title = details.closest('figure')?.querySelector('figcaption b')?.textContent ?? '';
    details.querySelector('.table-frame')?.remove();
    details.insertAdjacentHTML('beforeend', valueTable(data, title).text);
  };
  for (const details of openers) {
    details.hidden = false;
    details.addEventListener('toggle', () => fill(details));
  }
  return () => openers.forEach(fill);
}

/** The values of a chart. */
function valueTable({ x, xKind, series, unit, builds = [] }: ChartData, title: string): Markup {
  return table(
    title,
    [
      column(AXIS_NAMES[xKind], (at: number) => placeWords({ xKind, builds }, x[at] ?? 0)),
      ...series.map(({ label, values }) =>
        numbers(label, (at: number) => known(values[at], (value) => formatIn(unit, value))),
      ),
    ],
    [...x.keys()],
  );
}
