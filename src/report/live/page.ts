import { CLIENT_RULES } from '../../interface/catalogue.ts';
import { type Fact, facts, shortText } from '../html/blocks.ts';
import { chartFigure } from '../html/charts/chart-figure.ts';
import { latencyLimits } from '../html/charts/latency-limits.ts';
import { LIVE_CHARTS, LIVE_GROUP } from '../html/charts/live-charts.ts';
import { timeChartData } from '../html/charts/time-charts.ts';
import { contentPolicy, type PageAssets, renderPage, scriptJson } from '../html/document.ts';
import { html, type Markup } from '../html/markup.ts';
import { CHART_STYLE, LIVE_SCRIPT, LIVE_STYLE, PAGE_STYLE } from '../page-assets.ts';
import { PAGE_BODIES } from './page-bodies.ts';
import type { LiveSubject } from './subject.ts';

/** A page and its policy. */
export interface RenderedLivePage {
  readonly page: string;
  readonly policy: string;
}

const ASSETS: PageAssets = { script: LIVE_SCRIPT, style: CHART_STYLE + PAGE_STYLE + LIVE_STYLE };
const PAGE_POLICY = contentPolicy(ASSETS, ["connect-src 'self'"]);

/** Renders the page as it is before the first event; its script reads the stream `events`. */
export function renderLivePage(subject: LiveSubject): RenderedLivePage {
  const { kind, title, thresholds = [] } = subject;
  const charts = LIVE_CHARTS[kind].map((chart) => {
    const limits = chart.name === 'latency' ? latencyLimits(thresholds) : [];
    const data = timeChartData(LIVE_GROUP, chart, [], limits);
    return chartFigure(data, chart.title, chart.explanation, null);
  });
  const body = html`<a class="skip" href="#main">Skip to the run</a>
    <header class="top">
    <p class="brand">Fareproof <span class="badge neutral">live</span></p>
    <span class="actions">
    <button type="button" id="pause" hidden>Pause</button>
    <button type="button" id="theme" hidden></button>
    </span>
    </header>
    <main id="main" data-live="${kind}">
    <h1 class="visually-hidden">Fareproof, live</h1>
    ${pageHead(subject)}
    <p class="visually-hidden" id="live-status" role="status"></p>
    ${PAGE_BODIES[kind](charts.map(({ markup }) => markup))}
    <noscript>
    <p class="notes">This page needs JavaScript. The terminal shows the same.</p>
    </noscript>
    </main>
    ${kind === 'certify' && ruleStatements()}`;
  const page = renderPage(
    {
      title: `${shortText(title, 200)} · Fareproof live`,
      tone: 'neutral',
      body,
      charts: charts.map(({ data }) => data),
    },
    ASSETS,
    PAGE_POLICY,
  );
  return { page, policy: `${PAGE_POLICY}; frame-ancestors 'none'` };
}

function pageHead({ title, state, facts: known }: LiveSubject): Markup {
  return html`<header class="verdict tone-neutral" id="live-head">
    <h2>${shortText(title, 200)}</h2>
    <p class="verdict-words" id="live-words">${shortText(state, 100)}</p>
    <p class="sentence" id="live-sentence"></p>
    <progress id="live-progress" aria-label="Progress" max="1" value="0" hidden></progress>
    <div id="live-report" class="command" hidden>
    <p class="meta">Report:</p>
    <pre></pre>
    <button type="button" class="copy" hidden>Copy</button>
    </div>
    ${facts(known.map(([name, value]): Fact => [name, shortText(value, 300)]))}
    </header>`;
}

/** Statements of the rules that a client may break, for the page's script. */
function ruleStatements(): Markup {
  const statements = Object.fromEntries(CLIENT_RULES.map(({ id, statement }) => [id, statement]));
  return html`<script type="application/json" id="rule-statements">${scriptJson(statements)}</script>`;
}
