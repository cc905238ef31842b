import type { ChartData } from '../../html/charts/chart-data.ts';
import { capitalized } from '../../text/prose.ts';
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
    const frame = details.querySelector('.table-frame') ?? frameIn(details, title);
    frame.replaceChildren(valueTable(data, title));
  };
  for (const details of openers) {
    details.hidden = false;
    details.addEventListener('toggle', () => fill(details));
  }
  return () => openers.forEach(fill);
}

function frameIn(details: HTMLElement, title: string): HTMLElement {
  const frame = make('div', 'table-frame');
  frame.tabIndex = 0;
  frame.role = 'group';
  frame.ariaLabel = title;
  details.append(frame);
  return frame;
}

/** The values of a chart; a bucket of a histogram in which nothing was counted is left out. */
function valueTable(
  { x, xKind, series, unit, builds = [] }: ChartData,
  title: string,
): HTMLElement {
  const isCounted = (at: number): boolean => series.some(({ values }) => values[at] !== 0);
  const rows = [...x.keys()]
    .filter((at) => xKind !== 'latency' || isCounted(at))
    .map((at) => [
      placeWords({ xKind, builds }, x[at] ?? 0),
      ...series.map(({ values }) => {
        const value = values[at] ?? null;
        return value === null ? '–' : formatIn(unit, value);
      }),
    ]);
  const names = [AXIS_NAMES[xKind], ...series.map(({ label }) => label)];
  return make(
    'table',
    'numbers',
    make('caption', 'visually-hidden', title),
    make(
      'thead',
      '',
      row(names.map(capitalized), () => heading('col')),
    ),
    make('tbody', '', ...rows.map((cells) => row(cells, firstIsHeading))),
  );
}

function row(cells: readonly string[], cellAt: (at: number) => HTMLElement): HTMLElement {
  return make(
    'tr',
    '',
    ...cells.map((text, at) => {
      const cell = cellAt(at);
      cell.textContent = text;
      return cell;
    }),
  );
}

const firstIsHeading = (at: number): HTMLElement => (at === 0 ? heading('row') : make('td', ''));

function heading(scope: 'row' | 'col'): HTMLElement {
  const cell = make('th', '');
  cell.setAttribute('scope', scope);
  return cell;
}

/** Makes an element; strings become text, never markup. */
function make(tag: string, cssClass: string, ...content: (string | Node)[]): HTMLElement {
  const element = document.createElement(tag);
  if (cssClass !== '') element.className = cssClass;
  element.append(...content);
  return element;
}
