import { createHash } from 'node:crypto';
import { escapeJsonForScript } from '../escape/html.ts';
import { CHART_STYLE, PAGE_SCRIPT, PAGE_STYLE, PLAIN_SCRIPT } from '../page-assets.ts';
import type { ChartData } from './charts/chart-data.ts';
import { html, Markup } from './markup.ts';

/** What goes into a page. */
export interface PageParts {
  title: string;
  /** Of the icon in the browser's tab. */
  tone: string;
  body: Markup;
  charts: readonly ChartData[];
}

const ICON_COLORS: Readonly<Record<string, string>> = {
  good: '1a7f4b',
  bad: 'c0322b',
  caution: '9a6700',
  unknown: '6f42c1',
};

/** What a page carries with it. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** Most of a page's script draws charts: a page without one goes without it. */
function reportAssets(charts: PageParts['charts']): PageAssets {
  return charts.length > 0
    ? { script: PAGE_SCRIPT, style: CHART_STYLE + PAGE_STYLE }
    : { script: PLAIN_SCRIPT, style: PAGE_STYLE };
}

/**
 * A policy that allows the one script and the one style of a page, by their hashes, and nothing
 * else: no address is ever asked for, but for what `more` allows.
 */
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

/** The whole page, its policy in it. */
export function pageShell(
  { title, tone, body, charts }: PageParts,
  assets: PageAssets = reportAssets(charts),
  policy: string = contentPolicy(assets),
): string {
  const icon = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%23${ICON_COLORS[tone] ?? '2f5bd0'}'/%3E%3C/svg%3E`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}">
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

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}
