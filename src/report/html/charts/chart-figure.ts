import { type Content, html, type Markup } from '../markup.ts';
import type { ChartData } from './chart-data.ts';

/** A chart: its data, and its place on the page. */
export interface ChartFigure {
  readonly data: ChartData;
  readonly markup: Markup;
}

/**
 * A chart with its caption; the page's script draws it.
 *
 * @param values the values as a table, for readers who cannot see the chart; null for none
 */
export function chartFigure(
  data: ChartData,
  title: string,
  explanation: string,
  values: Content,
): ChartFigure {
  const { id, height } = data;
  const label = `${title}. ${explanation}`;
  const valueTable = html`<details class="figures">
    <summary class="opener">Data table<span class="visually-hidden">: ${title}</span></summary>
    ${values}
    </details>`;
  const markup = html`<figure class="chart">
    <figcaption><b>${title}</b> <span class="meta">${explanation}</span></figcaption>
    <div class="plot plot-${height}" id="${id}" role="img" aria-label="${label}"></div>
    ${values !== null && valueTable}
    </figure>`;
  return { data, markup };
}
