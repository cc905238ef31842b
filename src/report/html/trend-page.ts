import { column } from '../text/columns.ts';
import { countOf, formatInstant } from '../text/quantities.ts';
import type { Trend } from '../text/trend.ts';
import { badge, type Fact, facts, shortText, table } from './blocks.ts';
import { renderReport } from './document.ts';
import { html, type Markup } from './markup.ts';
import type { ChartedSection } from './sections/load.ts';
import { loadTrendSection } from './sections/load-trend.ts';
import { ruleTrendSection } from './sections/rule-trend.ts';

/** Renders trends as one self-contained page, as {@link toHtml} does run documents. */
export function trendToHtml(trends: readonly Trend[]): string {
  const title = `Trend of ${countOf(
    trends.reduce((sum, { runs }) => sum + runs.length, 0),
    'run',
  )}`;
  const sections = trends.map((trend, at): ChartedSection => {
    const id = `trend-${at + 1}`;
    return trend.kind === 'load'
      ? loadTrendSection(trend, id)
      : { markup: ruleTrendSection(trend, id), charts: [] };
  });
  return renderReport({
    title,
    tone: trends[0]?.runs.at(-1)?.tone ?? 'neutral',
    charts: sections.flatMap(({ charts }) => charts),
    body: html`<h1>${title}</h1>
      ${trends.length > 1 && overview(trends)}
      ${sections.map(({ markup }, at) => {
        const id = `trend-${at + 1}`;
        return html`<section class="run-section" id="${id}" aria-labelledby="${id}-title">
          ${trendHeader(trends[at] as Trend, id)}${markup}</section>`;
      })}`,
  });
}

function overview(trends: readonly Trend[]): Markup {
  const columns = [
    column('newest', ({ runs }: Trend) => {
      const { tone = 'neutral', words = '' } = runs.at(-1) ?? {};
      return { tone, words };
    }),
    column('trend', (trend: Trend) => {
      const at = trends.indexOf(trend) + 1;
      return html`<a href="#trend-${at}">${shortText(trend.title, 200)}</a>`;
    }),
    column('runs', ({ runs }: Trend) => `${runs.length}`),
  ];
  return html`<div class="overview">${table('Trends on this page', columns, trends)}</div>`;
}

function trendHeader({ title, facts: how, runs }: Trend, id: string): Markup {
  const [first, newest] = [runs[0], runs.at(-1)];
  return html`<header class="verdict ${newest?.tone}">
    <h2 id="${id}-title">${shortText(title, 200)}</h2>
    <p>Newest: ${newest && badge(newest.tone, shortText(newest.words, 100))}</p>
    ${facts([
      ['runs', `${runs.length}`],
      ['from', formatInstant(first?.startedAt ?? '')],
      ['to', formatInstant(newest?.startedAt ?? '')],
      ...how.map(
        ([name, value]): Fact | false =>
          !['unknown', 'none', '0'].includes(value) && [name, shortText(value, 200)],
      ),
    ])}
    </header>`;
}
