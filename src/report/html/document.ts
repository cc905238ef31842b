import { createHash } from 'node:crypto';
import { chartLibrary } from '../chart-library.ts';
import { escapeJsonForScript } from '../escape.ts';
import { CHART_STYLE, PAGE_SCRIPT, PAGE_STYLE, PLAIN_SCRIPT } from '../page-assets.ts';
import type { Tone } from '../text/tones.ts';
import type { ChartData } from './charts/chart-data.ts';
import { type Content, html, Markup } from './markup.ts';

/** Content of a page. */
export interface PageContent {
  readonly title: string;
  /** Tone of the icon in the browser's tab. */
  readonly tone: Tone;
  readonly body: Markup;
  readonly charts: readonly ChartData[];
}

/** The script and the style of a page. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

const ICON_COLORS: Readonly<Record<Tone, string>> = {
  good: '1a7f4b',
  bad: 'c0322b',
  caution: '9a6700',
  unknown: '6f42c1',
  neutral: '2f5bd0',
};

/** Most of the script draws charts: a page without charts has a smaller one. */
function reportAssets(charts: readonly ChartData[]): PageAssets {
  return charts.length > 0
    ? withCharts({ script: PAGE_SCRIPT, style: PAGE_STYLE })
    : { script: PLAIN_SCRIPT, style: PAGE_STYLE };
}

/** Adds what draws charts to the script and the style of a page. */
export function withCharts({ script, style }: PageAssets): PageAssets {
  const library = chartLibrary();
  return { script: library.script + script, style: library.style + CHART_STYLE + style };
}

/** Content security policy: script and style by their hashes, no request anywhere, and `more`. */
export function contentPolicy({ script, style }: PageAssets, more: readonly string[] = []): string {
  return [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    ...more,
  ].join('; ');
}

/**
 * Renders a report as {@link renderPage} does, under the head that all of them have.
 *
 * @param page without the name of the product in its title
 * @param navigation links in the head
 */
export function renderReport(page: PageContent, navigation: Content = null): string {
  const body = html`<a class="skip" href="#main">Skip to the report</a>
    <header class="top">
    <p class="brand">Fareproof</p>
    ${navigation}
    <button type="button" id="theme" hidden></button>
    </header>
    <main id="main">
    ${page.body}
    <noscript>
    <p class="notes">Charts and their data tables, search and filters need JavaScript. The figures of
    each second are in run.json too.</p>
    </noscript>
    </main>`;
  return renderPage({ ...page, title: `${page.title} · Fareproof`, body });
}

/** Renders a page as an HTML document with its policy, script, style and data. */
export function renderPage(
  { title, tone, body, charts }: PageContent,
  assets: PageAssets = reportAssets(charts),
  policy: string = contentPolicy(assets),
): string {
  return html`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="${iconAddress(ICON_COLORS[tone])}">
    <style>${new Markup(assets.style)}</style>
    </head>
    <body>
    ${body}
    <script type="application/json" id="charts">${new Markup(escapeJsonForScript(charts))}</script>
    <script>${new Markup(assets.script)}</script>
    </body>
    </html>
    `.text;
}

function iconAddress(color: string): string {
  const square = `%3Crect width='16' height='16' rx='4' fill='%23${color}'/%3E`;
  const svg = `%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E${square}%3C/svg%3E`;
  return `data:image/svg+xml,${svg}`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}
