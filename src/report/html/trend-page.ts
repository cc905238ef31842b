import { column } from '../text/columns.ts';
import { countOf, formatInstant } from '../text/quantities.ts';
import type { LoadTrend, RuleTrend } from '../text/trend.ts';
import { badge, type Fact, facts, shortText, table } from './blocks.ts';
import { renderPage } from './document.ts';
import { html, type Markup } from './markup.ts';
import { type ChartedSection } from './sections/load.ts';
import { loadTrendSection } from './sections/load-trend.ts';
import { ruleTrendSection } from './sections/rule-trend.ts';

type AnyTrend = LoadTrend | RuleTrend;

/** Renders trends as one self-contained page, as {@link toHtml} does run documents. */
export function trendToHtml(trends: readonly AnyTrend[]): string {
  const count = trends.reduce((sum, { runs }) => sum + runs.length, 0);
  const sections = trends.map((trend, at): ChartedSection & { readonly trend: AnyTrend } => {
    const id = `trend-${at + 1}`;
    const section =
      trend.kind === 'load'
        ? loadTrendSection(trend, id)
        : { markup: ruleTrendSection(trend, id), charts: [] };
    return { ...section, trend };
  });
  const title = `Trend of ${countOf(count, 'run')}`;
  const body = html`<a class="skip" href="#main">Skip to the report</a>
    <header class="top"><p class="brand">Fareproof</p><button type="button" id="theme" hidden></button></header>
    <main id="main">
    <h1>${title}</h1>
    ${trends.length > 1 && overview(trends)}
    ${sections.map(
      (
        { trend, markup },
        at,
      ) => html`<section class="run-section" id="trend-${at + 1}" aria-labelledby="trend-${at + 1}-title">
      ${trendHeader(trend, `trend-${at + 1}`)}${markup}</section>`,
    )}
    <noscript><p class="notes">Charts and their data tables need JavaScript.</p></noscript>
    </main>`;
  const tone = trends[0]?.runs.at(-1)?.tone ?? 'neutral';
  return renderPage({
    title: `${title} · Fareproof`,
    tone,
    body,
    charts: sections.flatMap(({ charts }) => charts),
  });
}

function overview(trends: readonly AnyTrend[]): Markup {
  const columns = [
    column('newest', ({ runs }: AnyTrend) => {
      const { tone = 'neutral', words = '' } = runs.at(-1) ?? {};
      return { tone, words };
    }),
    column('trend', (trend: AnyTrend) => {
      const at = trends.indexOf(trend) + 1;
      return html`<a href="#trend-${at}">${shortText(trend.title, 200)}</a>`;
    }),
    column('runs', ({ runs }: AnyTrend) => `${runs.length}`),
  ];
  return html`<div class="overview">${table('Trends on this page', columns, trends)}</div>`;
}

function trendHeader({ title, facts: how, runs }: AnyTrend, id: string): Markup {
  const [first, newest] = [runs[0], runs.at(-1)];
  return html`<header class="verdict ${newest?.tone}">
    <h2 id="${id}-title">${shortText(title, 200)}</h2>
    <p>Newest: ${newest && badge(newest.tone, shortText(newest.words, 100))}</p>
    ${facts([
      ['runs', `${runs.length}`],
      ['from', first && formatInstant(first.startedAt)],
      ['to', newest && formatInstant(newest.startedAt)],
      ...how.map(([name, value]): Fact => [name, shortText(value, 200)]),
    ])}
    </header>`;
}
