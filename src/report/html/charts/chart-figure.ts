import { type Content, html, type Markup } from '../markup.ts';
import type { ChartData } from './chart-data.ts';

/** A chart with its caption and, for who cannot see it, its figures as a table. */
export interface ChartFigure {
  data: ChartData;
  markup: Markup;
}

/** The place of a chart; the page's script fills it. */
export function chartFigure(
  data: ChartData,
  title: string,
  explanation: string,
  figures: Content,
): ChartFigure {
  const markup = html`<figure class="chart">
<figcaption><b>${title}</b> <span class="meta">${explanation}</span></figcaption>
<div class="plot plot-${data.height}" id="${data.id}" role="img" aria-label="${title}. ${explanation}"></div>
${figures !== null && html`<details class="figures"><summary class="opener">Figures as a table<span class="unseen">: ${title}</span></summary>${figures}</details>`}
</figure>`;
  return { data, markup };
}
