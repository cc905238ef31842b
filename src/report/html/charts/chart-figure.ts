import type { ThresholdTerms } from '../../../documents/load.ts';
import type { Unit } from '../../text/quantities.ts';
import { html, type Markup } from '../markup.ts';
import type { ChartData, ChartLimit } from './chart-data.ts';

/** A chart: its data, and its place on the page. */
export interface ChartFigure {
  readonly data: ChartData;
  readonly markup: Markup;
}

/** A chart with its caption; the page's script makes a table of its values for those who cannot see it. */
export function chartFigure(data: ChartData, title: string, explanation: string): ChartFigure {
  const { id, height } = data;
  const label = `${title}. ${explanation}`;
  const plot = html`<div class="plot plot-${height}" id="${id}" role="img" aria-label="${label}"></div>
    <details class="figures" data-chart="${id}" hidden>
    <summary class="opener">Data table<span class="visually-hidden">: ${title}</span></summary>
    </details>`;
  return { data, markup: plotFigure(title, explanation, plot) };
}

/** A plot under its title. */
export function plotFigure(title: string, explanation: string, plot: Markup): Markup {
  return html`<figure class="chart">
    <figcaption><b>${title}</b> <span class="meta">${explanation}</span></figcaption>
    ${plot}
    </figure>`;
}

/** Limits that are drawn. */
const LIMIT_COUNT = 5;

/** Thresholds, as limits of a chart of values of a unit. */
export function limitsIn(unit: Unit, thresholds: readonly ThresholdTerms[]): ChartLimit[] {
  const isDrawn = unit === 'us' ? /^(p[\d.]+|max)$/ : /^rate$/;
  return thresholds
    .slice(0, LIMIT_COUNT)
    .flatMap(({ expression, metric, bound, unit: own }) =>
      own === unit && isDrawn.test(metric) ? [{ label: expression, value: bound }] : [],
    );
}

/** Stages that are marked. */
const MARK_COUNT = 50;

/** Starts of stages, as marks of a chart over time; none for a single stage. */
export function stageMarks(stages: readonly { readonly startS: number }[] = []): ChartLimit[] {
  if (stages.length < 2) return [];
  return stages
    .slice(0, MARK_COUNT)
    .map(({ startS }, at) => ({ label: `stage ${at + 1}`, value: startS }));
}

/** Meaning of the backgrounds of charts over time. */
export const BACKGROUND_NOTE: Markup = html`<p class="meta">Shaded: a bound was missed. Hatched: the generator was late.</p>`;
