import type { ThresholdTerms } from '../../documents/load.ts';
import { CLIENT_RULES } from '../../interface/index.ts';
import { escapeJsonForScript } from '../escape/html.ts';
import { type Fact, facts, part, shortText } from '../html/blocks.ts';
import type { ChartData } from '../html/charts/chart-data.ts';
import { chartFigure } from '../html/charts/chart-figure.ts';
import { LIVE_CHARTS, LIVE_GROUP } from '../html/charts/live-charts.ts';
import { latencyLimits } from '../html/charts/load-charts.ts';
import { type TimeChart, timeChartData } from '../html/charts/time-charts.ts';
import { type Content, html, Markup } from '../html/markup.ts';
import { zoomBar } from '../html/sections/load.ts';
import { contentPolicy, type PageAssets, pageShell } from '../html/shell.ts';
import { CHART_STYLE, LIVE_SCRIPT, LIVE_STYLE, PAGE_STYLE } from '../page-assets.ts';

/** What a live page is about. */
export interface LiveSubject {
  /** The command whose page it is. */
  readonly kind: 'load' | 'certify' | 'serve';
  /** Such as `Load on staging`. */
  readonly title: string;
  /** What it does before the first event, such as `Listening`. */
  readonly state: string;
  /** What the reader should know beside it; no secret. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Thresholds of a load run, drawn where they are about response time. */
  readonly thresholds?: readonly ThresholdTerms[] | undefined;
}

/** A page and the policy that it is sent with. */
export interface RenderedLivePage {
  readonly page: string;
  readonly policy: string;
}

const ASSETS: PageAssets = { script: LIVE_SCRIPT, style: CHART_STYLE + PAGE_STYLE + LIVE_STYLE };
const PAGE_POLICY = contentPolicy(ASSETS, ["connect-src 'self'"]);

/** The page as it is before the first event; its script asks for `events` beside it. */
export function renderLivePage(subject: LiveSubject): RenderedLivePage {
  const charts = LIVE_CHARTS[subject.kind].map((chart) => emptyChart(chart, subject));
  const body = html`<a class="skip" href="#main">Skip to the run</a>
<header class="top"><p class="brand">Fareproof <span class="badge neutral">live</span></p><span class="actions"><button type="button" id="pause" hidden>Pause</button> <button type="button" id="theme" hidden></button></span></header>
<main id="main" data-live="${subject.kind}"><h1 class="unseen">Fareproof, live</h1>
${head(subject)}
<p class="unseen" id="live-status" role="status"></p>
${BODIES[subject.kind](charts.map(({ markup }) => markup))}
<noscript><p class="notes">This page needs scripts, which are off here. The terminal shows the same.</p></noscript>
</main>
${subject.kind === 'certify' && ruleWords()}`;
  const page = pageShell(
    {
      title: `${shortText(subject.title, 200)} · Fareproof live`,
      tone: 'neutral',
      body,
      charts: charts.map(({ data }) => data),
    },
    ASSETS,
    PAGE_POLICY,
  );
  return { page, policy: `${PAGE_POLICY}; frame-ancestors 'none'` };
}

function head({ title, state, facts: known }: LiveSubject): Markup {
  const shown: Fact[] = known.map(([name, value]) => [name, shortText(value, 300)]);
  return html`<header class="verdict tone-neutral" id="live-head">
<h2>${shortText(title, 200)}</h2>
<p class="verdict-words" id="live-words">${shortText(state, 100)}</p>
<p class="sentence" id="live-sentence"></p>
<progress id="live-progress" aria-label="How far the run is" max="1" value="0" hidden></progress>
<div id="live-report" class="command" hidden><p class="meta">The report:</p><pre></pre><button type="button" class="copy" hidden>Copy</button></div>
${facts(shown)}
</header>`;
}

const BODIES: Readonly<Record<LiveSubject['kind'], (charts: readonly Markup[]) => Content>> = {
  load: (charts) => [
    tiles([
      ['rate', 'Rate'],
      ['p50', 'p50'],
      ['p99', 'p99'],
      ['max', 'Max'],
      ['failed', 'Failed'],
      ['ok', 'Answers'],
      ['loop', 'Generator loop'],
      ['lag', 'Send lag p99'],
    ]),
    section('Over time', 'over-time', zoomBar(LIVE_GROUP), charts, figuresTable()),
    html`<div id="live-lines-part" hidden>${part('So far', 'live-so-far', html`<ol id="live-lines" class="live-lines"></ol>`)}</div>`,
  ],
  certify: () => [
    tiles([
      ['requests', 'Requests'],
      ['good', 'Broke no rule'],
      ['bad', 'Broke a rule'],
      ['rules', 'Rules broken'],
    ]),
    html`<div id="live-scenarios-part" hidden>${part('Scenarios', 'live-scenario-title', html`<ul id="live-scenarios" class="rules"></ul>`)}</div>`,
    section('Rules that were broken', 'rules', tallyList('No rule was broken so far.')),
    requestsPart('Requests, each judged as it came', 'Only those that broke a rule'),
  ],
  serve: (charts) => [
    tiles([
      ['requests', 'Requests'],
      ['good', 'Answered with 200'],
      ['bad', 'Refused'],
      ['rate', 'Rate'],
      ['p50', 'p50'],
      ['p99', 'p99'],
    ]),
    section('Over time', 'over-time', zoomBar(LIVE_GROUP), charts, figuresTable()),
    section('Refusals', 'refusals', tallyList('Nothing was refused so far.')),
    requestsPart('Requests', 'Only those that were refused'),
  ],
};

function section(title: string, id: string, ...content: readonly Content[]): Content {
  return part(title, `live-${id}-title`, content);
}

function tiles(list: readonly (readonly [id: string, name: string])[]): Markup {
  return html`<dl class="tiles">${list.map(
    ([id, name]) =>
      html`<div class="tile"><dt>${name}</dt><dd><b data-figure="${id}">–</b><span class="meta" data-more="${id}"></span></dd></div>`,
  )}</dl>`;
}

function emptyChart(
  chart: TimeChart,
  { thresholds = [] }: LiveSubject,
): { data: ChartData; markup: Markup } {
  const limits = chart.name === 'latency' ? latencyLimits(thresholds) : [];
  return chartFigure(
    timeChartData(LIVE_GROUP, chart, [], limits),
    chart.title,
    chart.explanation,
    null,
  );
}

/** For who cannot see the charts; filled while it is open. */
function figuresTable(): Markup {
  return html`<details class="figures" id="live-figures"><summary class="opener">The newest seconds as a table</summary><div class="table-frame" tabindex="0" role="group" aria-label="The newest seconds"><table><caption class="unseen">The newest seconds</caption><thead></thead><tbody></tbody></table></div></details>`;
}

function tallyList(empty: string): Markup {
  return html`<p class="meta" id="live-tally-empty">${empty}</p><ul id="live-tally" class="rules" hidden></ul>`;
}

function requestsPart(title: string, filter: string): Content {
  return section(
    title,
    'requests',
    html`<p class="live-shown"><label class="check"><input type="checkbox" id="live-only-bad"> ${filter}</label> <span class="meta" id="live-shown">None came in so far.</span></p>
<div class="live-frame" tabindex="0" role="group" aria-label="${title}" hidden><ol id="live-requests"></ol></div>`,
  );
}

/** The catalogue's words for the rules that may be broken. */
function ruleWords(): Markup {
  const words = Object.fromEntries(CLIENT_RULES.map(({ id, statement }) => [id, statement]));
  return html`<script type="application/json" id="rule-words">${new Markup(escapeJsonForScript(words))}</script>`;
}
