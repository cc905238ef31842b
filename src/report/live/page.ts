import type { ThresholdTerms } from '../../documents/load.ts';
import { CLIENT_RULES } from '../../interface/catalogue.ts';
import { type Fact, facts, part, shortText } from '../html/blocks.ts';
import { chartFigure, latencyLimits, stageMarks, zoomBar } from '../html/charts/chart-figure.ts';
import { LIVE_CHARTS, LIVE_GROUP, timeChartData } from '../html/charts/time-charts.ts';
import { contentPolicy, renderPage, scriptJson, withCharts } from '../html/document.ts';
import { type Content, html, type Markup } from '../html/markup.ts';
import { LIVE_SCRIPT, LIVE_STYLE, PAGE_STYLE } from '../page-assets.ts';

/** The subject of a live page. */
export interface LiveSubject {
  /** The command whose page it is. */
  readonly kind: 'load' | 'certify' | 'serve';
  /** Such as `Load on staging`. */
  readonly title: string;
  /** State before the first event, such as `Listening`. */
  readonly state: string;
  /** Facts for the reader; no secret. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Thresholds of a load run; those on response time are drawn. */
  readonly thresholds?: readonly ThresholdTerms[] | undefined;
  /** Stages of a load run; their starts are marked. */
  readonly stages?: readonly { readonly startS: number }[] | undefined;
}

/** A page and its policy. */
export interface RenderedLivePage {
  readonly page: string;
  /** Value of its Content-Security-Policy header. */
  readonly policy: string;
}

/** Renders the page as it is before the first event; its script reads the stream `events`. */
export function renderLivePage(subject: LiveSubject): RenderedLivePage {
  const { kind, title, thresholds = [], stages } = subject;
  const charts = LIVE_CHARTS[kind].map((chart) => {
    const limits = chart.name === 'latency' ? latencyLimits(thresholds) : [];
    const data = timeChartData(LIVE_GROUP, chart, [], limits, stageMarks(stages));
    return chartFigure(data, chart.title, chart.explanation, { hasTable: false });
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
  const assets = withCharts({ script: LIVE_SCRIPT, style: PAGE_STYLE + LIVE_STYLE });
  const pagePolicy = contentPolicy(assets, ["connect-src 'self'"]);
  const page = renderPage(
    {
      title: `${shortText(title, 200)} · Fareproof live`,
      tone: 'neutral',
      body,
      charts: charts.map(({ data }) => data),
    },
    assets,
    pagePolicy,
  );
  return { page, policy: `${pagePolicy}; frame-ancestors 'none'` };
}

function pageHead({ title, state, facts: known }: LiveSubject): Markup {
  return html`<header class="verdict neutral" id="live-head">
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

/** The body of a live page by its command; the page's script fills it. */
const PAGE_BODIES: Readonly<Record<LiveSubject['kind'], (charts: readonly Markup[]) => Content>> = {
  load: (charts) => [
    tiles([
      ['rate', 'Rate'],
      ['p50', 'p50'],
      ['p99', 'p99'],
      ['max', 'Max'],
      ['failed', 'Failed'],
      ['ok', 'Responses'],
      ['loop', 'Generator event loop'],
      ['lag', 'Send lag p99'],
      ['wait', 'Core wait'],
    ]),
    overTime(charts),
    hiddenPart('live-agents-part', 'Agents', agentsTable()),
    hiddenPart('live-lines-part', 'Log', html`<ol id="live-lines" class="live-lines"></ol>`),
  ],
  certify: () => [
    tiles([
      ['requests', 'Requests'],
      ['good', 'Without violation'],
      ['bad', 'With violations'],
      ['rules', 'Rules broken'],
    ]),
    hiddenPart(
      'live-scenarios-part',
      'Scenarios',
      html`<ul id="live-scenarios" class="rules"></ul>`,
    ),
    livePart('Broken rules', 'rules', tallyList('No violations yet.')),
    requestsPart('Requests, judged on arrival', 'Violations only'),
  ],
  serve: (charts) => [
    tiles([
      ['requests', 'Requests'],
      ['good', 'Accepted (200)'],
      ['bad', 'Refused'],
      ['rate', 'Rate'],
      ['p50', 'p50'],
      ['p99', 'p99'],
    ]),
    overTime(charts),
    livePart('Refusals', 'refusals', tallyList('No refusals yet.')),
    requestsPart('Requests', 'Refusals only'),
  ],
};

function livePart(title: string, id: string, ...content: readonly Content[]): Content {
  return part(title, `live-${id}-title`, content);
}

/** A part that the script shows once it has content. */
function hiddenPart(id: string, title: string, content: Markup): Markup {
  return html`<div id="${id}" hidden>${part(title, `${id}-title`, content)}</div>`;
}

function tiles(list: readonly (readonly [id: string, name: string])[]): Markup {
  const items = list.map(
    ([id, name]) => html`<div class="tile">
      <dt>${name}</dt><dd><b data-figure="${id}">–</b><span class="meta" data-more="${id}"></span></dd>
      </div>`,
  );
  return html`<dl class="tiles">${items}</dl>`;
}

/** The charts, and for readers who cannot see them a table that is filled while it is open. */
function overTime(charts: readonly Markup[]): Content {
  const label = 'Latest seconds';
  const table = html`<details class="figures" id="live-figures">
    <summary class="opener">Data table of the latest seconds</summary>
    <div class="table-frame" tabindex="0" role="group" aria-label="${label}"><table>
    <caption class="visually-hidden">${label}</caption><thead></thead><tbody></tbody>
    </table></div></details>`;
  return livePart('Over time', 'over-time', zoomBar(LIVE_GROUP), charts, table);
}

function agentsTable(): Markup {
  return html`<div class="table-frame" tabindex="0" role="group" aria-label="Agents"><table id="live-agents">
    <caption class="visually-hidden">Agents</caption><thead></thead><tbody></tbody>
    </table></div>`;
}

function tallyList(empty: string): Markup {
  return html`<p class="meta" id="live-tally-empty">${empty}</p>
    <ul id="live-tally" class="rules" hidden></ul>`;
}

function requestsPart(title: string, filter: string): Content {
  return livePart(
    title,
    'requests',
    html`<p class="live-shown">
      <label class="check"><input type="checkbox" id="live-only-bad"> ${filter}</label>
      <span class="meta" id="live-shown">No requests yet.</span>
      </p>
      <div class="live-frame" tabindex="0" role="group" aria-label="${title}" hidden>
      <ol id="live-requests"></ol>
      </div>`,
  );
}
