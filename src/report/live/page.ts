import { command, shortText } from '../html/blocks.ts';
import type { ChartData } from '../html/charts/chart-data.ts';
import { contentPolicy, type PageAssets, renderPage, withCharts } from '../html/document.ts';
import { html, Markup } from '../html/markup.ts';
import { reportSections } from '../html/page.ts';
import { LIVE_SCRIPT, LIVE_STYLE, PAGE_STYLE } from '../page-assets.ts';
import { headlineOf } from '../text/headline.ts';
import { type LiveSubject, listsPart, liveParts, phaseWords } from './parts.ts';
import type { LiveState } from './state.ts';

/** All that a live page shows at a moment. */
export interface LiveView {
  /** Title of the document. */
  readonly title: string;
  /** Content of its main element. */
  readonly markup: string;
  readonly charts: readonly ChartData[];
  /** Words for screen readers. */
  readonly spoken: string;
  readonly ended: boolean;
}

/** Renders a command as it is now; once it has ended, its result as the sections of a report. */
export function liveView(subject: LiveSubject, state: LiveState): LiveView {
  const document = state.end?.document ?? null;
  const headline = document && headlineOf(document);
  const { markup, charts } = document ? reportSections([document]) : liveParts(subject, state);
  const title = `${shortText(subject.title, 200)} · Fareproof live`;
  const phase = phaseWords(subject, state);
  return {
    title: headline ? `${shortText(headline.verdict, 100)} · ${title}` : title,
    markup: html`<h1 class="visually-hidden">Fareproof, live</h1>
      ${reportPath(state)}${markup}${listsPart(subject, state)}`.text,
    charts,
    spoken: headline
      ? `The run has ended: ${headline.verdict}. ${shortText(headline.sentence)}`
      : phase,
    ended: state.end !== null,
  };
}

function reportPath({ end }: LiveState): Markup | null {
  if (!end?.report) return null;
  return html`<div id="live-report"><p class="meta">Report:</p>${command(end.report)}</div>`;
}

/** Renders the page with what it shows now; its script reads the stream `events`. */
export function livePage({ kind }: LiveSubject, { title, markup, charts }: LiveView): string {
  const body = html`<a class="skip" href="#main">Skip to the run</a>
    <header class="top">
    <p class="brand">Fareproof <span class="badge neutral" id="live-state">live</span></p>
    <p class="visually-hidden" id="live-status" role="status"></p>
    <span class="actions">
    <button type="button" id="pause" hidden>Pause</button>
    <button type="button" id="theme" hidden></button>
    </span>
    </header>
    <noscript>
    <p class="notes">Without JavaScript this page shows only the moment at which it was opened.</p>
    </noscript>
    <main id="main" data-live="${kind}">${new Markup(markup)}</main>`;
  const assets = liveAssets();
  return renderPage({ title, tone: 'neutral', body, charts }, assets, pagePolicy(assets));
}

/** Policy of the page as a header, which can forbid frames. */
export function livePolicy(): string {
  return `${pagePolicy(liveAssets())}; frame-ancestors 'none'`;
}

const liveAssets = (): PageAssets =>
  withCharts({ script: LIVE_SCRIPT, style: PAGE_STYLE + LIVE_STYLE });

const pagePolicy = (assets: PageAssets): string => contentPolicy(assets, ["connect-src 'self'"]);
