import type { LoadDocument, LoadSetDocument, ThresholdResult } from '../../../documents/load.ts';
import { type Column, column, numbers } from '../../text/columns.ts';
import { headlineOf } from '../../text/headline.ts';
import {
  checkedWords,
  failedShare,
  generatorFacts,
  generatorState,
  latencyWords,
  plannedWords,
  serverFacts,
} from '../../text/load-words.ts';
import { formatCount, formatIn, formatRate, formatShare, formatUs } from '../../text/quantities.ts';
import { setTable } from '../../text/spread-tables.ts';
import {
  AGENT_COLUMNS,
  type LatencyRow,
  latencyTable,
  marginWords,
  observedWords,
  RUN_COLUMNS,
  SHAPE_COLUMNS,
  STAGE_COLUMNS,
  thresholdOutcome,
} from '../../text/tables.ts';
import {
  badge,
  type Fact,
  facts,
  leftOutNote,
  part,
  shortText,
  table,
  tiles,
  titledTable,
} from '../blocks.ts';
import type { ChartData } from '../charts/chart-data.ts';
import { BACKGROUND_NOTE } from '../charts/chart-figure.ts';
import { loadFigures, percentileChart } from '../charts/load-charts.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { targetFacts, verdictHeader } from '../verdict.ts';

/** A section of a page, and the charts that the page's script draws in it. */
export interface ChartedSection {
  readonly markup: Markup;
  readonly charts: readonly ChartData[];
}

/** Statuses, and errors, that are shown. */
const OUTCOME_LIMIT = 50;
/** Agents that are shown. */
const AGENT_LIMIT = 100;
/** Stages that are shown. */
const STAGE_LIMIT = 100;

/** A load run: key figures, thresholds, charts, health, outcomes. */
export function loadSection(document: LoadDocument, id: string): ChartedSection {
  const overTime = loadFigures(document, `${id}-time`);
  const percentiles = percentileChart(document, id);
  const latencies = latencyTable(document.latencyUs);
  const markup = html`${verdictHeader(
    document,
    id,
    [
      ...targetFacts(document.target),
      ['model', `${document.model}, ${shortText(document.engine, 100)} engine`],
      ['intended', intendedWords(document)],
    ],
    gauges(document),
  )}
    ${keyFigures(document)}
    ${part(
      'Over time',
      `${id}-over-time`,
      overTime.length > 0 && BACKGROUND_NOTE,
      overTime.map((figure) => figure.markup),
      overTime.length > 0 &&
        document.achieved.failed === 0 &&
        html`<p class="meta">No failures.</p>`,
    )}
    ${part(
      'Latency distribution',
      `${id}-distribution`,
      percentiles?.markup,
      table(
        'Response and service time',
        [...latencies.columns, differenceColumn(document)],
        latencies.rows,
        { showCaption: true },
      ),
    )}
    ${partsPart(document, id)}
    ${healthPart(document, id)}
    ${outcomesPart(document, id)}`;
  const charts = [...overTime, ...(percentiles ? [percentiles] : [])];
  return { markup, charts: charts.map(({ data }) => data) };
}

function intendedWords({ intended }: LoadDocument): string {
  return [
    ...(intended.rate === null ? [] : [formatRate(intended.rate)]),
    ...(intended.connections === null ? [] : [`${formatCount(intended.connections)} connections`]),
    `${intended.durationS} s`,
    `warm-up ${intended.warmupS} s`,
  ].join(', ');
}

function keyFigures(document: LoadDocument): Markup {
  const { achieved, intended, latencyUs } = document;
  const { response, service } = latencyUs;
  const achievedMore = intended.rate
    ? `${formatShare(achieved.rate / intended.rate)}${plannedWords(document)}`
    : `${formatCount(achieved.ok)} responses`;
  const failedMore = `${formatCount(achieved.failed)} of ${formatCount(achieved.planned)}`;
  const latencyTile = (name: string, field: 'p50' | 'p99' | 'max') =>
    [name, latencyWords(response, field), `service ${latencyWords(service, field)}`] as const;
  return tiles([
    ['Achieved', formatRate(achieved.rate), achievedMore],
    latencyTile('p50', 'p50'),
    latencyTile('p99', 'p99'),
    latencyTile('Max', 'max'),
    ['Failed', formatShare(failedShare(document)), failedMore],
  ]);
}

function differenceColumn({ latencyUs: { response, service } }: LoadDocument): Column<LatencyRow> {
  return numbers('difference', ({ field }) =>
    response.count > 0 && response[field] >= service[field]
      ? formatUs(response[field] - service[field])
      : '–',
  );
}

/** Each threshold against its bound, those that were missed first. */
function gauges({ thresholds, verdict }: LoadDocument): Content {
  if (thresholds.length === 0) return null;
  const rank = ({ held, judged }: ThresholdResult): number => (held ? 2 : judged === false ? 1 : 0);
  const sorted = [...thresholds].sort((a, b) => rank(a) - rank(b)).slice(0, 100);
  return html`${verdict === 'invalid' && html`<p>${badge('unknown', 'invalid run')} These results do not describe the target.</p>`}
    <ul class="gauges" aria-label="Thresholds">${sorted.map(gauge)}</ul>`;
}

/** Value and bound as a bar with a mark, and in words. */
function gauge(threshold: ThresholdResult): Markup {
  const { expression, metric, unit, bound, observed, isDefault } = threshold;
  const { tone, words } = thresholdOutcome(threshold);
  const margin = marginWords(threshold);
  const most = Math.max(observed ?? 0, bound) * 1.1 || 1;
  const percent = (value: number): string => `${Number(((value / most) * 100).toFixed(2))}%`;
  const mark = percent(bound);
  return html`<li title="${shortText(expression, 200)}">${badge(tone, words)}
    <span><b>${shortText(metric, 100)} ${observedWords(threshold)}</b>, bound ${formatIn(unit, bound)}${isDefault && ' (default)'}${margin !== '–' && `, ${threshold.held ? 'margin ' : ''}${margin}`}</span>
    <svg class="${tone}" aria-hidden="true"><rect width="${percent(observed ?? 0)}" height="100%"/><line x1="${mark}" x2="${mark}" y2="100%"/></svg></li>`;
}

function partsPart({ shapes = [], stages = [] }: LoadDocument, id: string): Content {
  const caption = { showCaption: true };
  return part(
    'Parts of the run',
    `${id}-parts`,
    shapes.length > 0 && table('Response time by shape', SHAPE_COLUMNS, shapes, caption),
    stages.length > 0 &&
      table('Response time by stage', STAGE_COLUMNS, stages.slice(0, STAGE_LIMIT), caption),
    leftOutNote(stages.length - STAGE_LIMIT, 'stages'),
  );
}

function healthPart(document: LoadDocument, id: string): Content {
  const { generator, agents = [], server } = document;
  const { tone, words } = generatorState(document);
  const generatorDetails: Fact[] = [
    ...generatorFacts(generator),
    ...generator.reasons.slice(0, 10).map((reason): Fact => ['reason', shortText(reason)]),
  ];
  const serverDetails = server
    ? facts(serverFacts(server))
    : html`<p class="meta">Not available for this target.</p>`;
  return part(
    'Health',
    `${id}-health`,
    html`<div class="pair">
      <div><h4>Generator</h4><p>${badge(tone, words)}</p>${facts(generatorDetails)}</div>
      <div><h4>Server</h4>${serverDetails}</div>
      </div>`,
    agents.length > 0 &&
      table('Agents', AGENT_COLUMNS, agents.slice(0, AGENT_LIMIT), { showCaption: true }),
    leftOutNote(agents.length - AGENT_LIMIT, 'agents'),
  );
}

function outcomesPart(document: LoadDocument, id: string): Content {
  const { achieved, statuses, errors, faultSamples = [] } = document;
  const named = (kind: string, counts: LoadDocument['errors']): [Content, number][] =>
    Object.entries(counts)
      .slice(0, OUTCOME_LIMIT)
      .map(([name, count]) => [html`${kind} <code>${shortText(name, 200)}</code>`, count]);
  const rows: [Content, number][] = [
    ['Planned', achieved.planned],
    ['Sent', achieved.sent],
    ['Successful', achieved.ok],
    ['Failed', achieved.failed],
    ...(achieved.reconnected
      ? [['Sent again on a fresh connection', achieved.reconnected] as [Content, number]]
      : []),
    ...named('Status', statuses),
    ...named('Error', errors),
  ];
  const columns = [
    column('outcome', ([outcome]: [Content, number]) => outcome),
    numbers('requests', ([, count]: [Content, number]) => formatCount(count)),
  ];
  return part(
    'Requests',
    `${id}-requests`,
    table('Requests by outcome', columns, rows),
    leftOutNote(Object.keys(errors).length - OUTCOME_LIMIT, 'kinds of error'),
    html`<p>Checked for their shape: ${checkedWords(document)}.</p>`,
    faultSamples.map(
      ({
        fault,
        problem,
        body,
      }) => html`<p><code>${shortText(fault, 100)}</code>: ${shortText(problem)}</p>
        <pre tabindex="0">${shortText(body)}</pre>`,
    ),
  );
}

/** Runs that are shown with their charts; the others are in the table only. */
const CHARTED_RUNS = 10;

/** Several load runs of one command: a table of all, then each run. */
export function loadSetSection(document: LoadSetDocument, id: string): ChartedSection {
  const runs = document.runs
    .slice(0, CHARTED_RUNS)
    .map((run, at) => ({ run, section: loadSection(run, `${id}-${at}`) }));
  const { verdict, achieved, p50, p99, max, failed } = RUN_COLUMNS;
  const link = column('run', (_: LoadDocument, at) =>
    at < CHARTED_RUNS ? html`<a href="#${id}-run-${at}">${at + 1}</a>` : at + 1,
  );
  const columns = [link, verdict, achieved, p50, p99, max, failed];
  const markup = html`${verdictHeader(document, id, [['runs', document.runs.length]])}
    ${part(
      'Runs',
      `${id}-runs`,
      titledTable(setTable(document.spread)),
      table('Runs', columns, document.runs),
    )}
    ${runs.map(
      ({ run, section }, at) => html`<details class="run" id="${id}-run-${at}">
        <summary class="opener run-head">Run ${at + 1}: ${runWords(run)}</summary>
        ${section.markup}
        </details>`,
    )}`;
  return { markup, charts: runs.flatMap(({ section }) => section.charts) };
}

function runWords(run: LoadDocument): string {
  const verdict = headlineOf(run).verdict.toLowerCase();
  const p99 = latencyWords(run.latencyUs.response, 'p99');
  return `${verdict}, ${formatRate(run.achieved.rate)}, p99 ${p99}`;
}
