import type { LoadDocument } from '../../../documents/load.ts';
import { latencyRows } from '../../text/latency-rows.ts';
import {
  formatBytes,
  formatCount,
  formatRate,
  formatShare,
  formatUs,
} from '../../text/quantities.ts';
import { thresholdWords } from '../../text/threshold-margin.ts';
import { badge, type Fact, facts, part, shortText, table } from '../blocks.ts';
import type { ChartData } from '../charts/chart-data.ts';
import type { ChartFigure } from '../charts/chart-figure.ts';
import { distributionCharts, timeCharts } from '../charts/load-charts.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { notesPart, targetFacts, verdictHeader } from '../verdict-header.ts';

/** A part of the page and the charts that its script draws in it. */
export interface ChartedSection {
  markup: Markup;
  charts: ChartData[];
}

/** A load run. */
export function loadSection(document: LoadDocument, id: string): ChartedSection {
  const overTime = timeCharts(document, `${id}-time`);
  const distribution = distributionCharts(document, id);
  const markup = html`${verdictHeader(document, `${id}-title`, [
    ...targetFacts(document.target),
    ['Model', `${document.model}, ${shortText(document.engine, 100)} engine`],
    ['Intended', intendedWords(document)],
  ])}
${notesPart(document.notes)}
${keyFigures(document)}
${thresholdsPart(document, id)}
${part('Over time', `${id}-over-time`, overTime.length > 0 && zoomBar(`${id}-time`), markupOf(overTime))}
${part('Distribution', `${id}-distribution`, html`<div class="pair">${markupOf(distribution)}</div>`, latencyTable(document))}
${healthPart(document, id)}
${outcomesPart(document, id)}`;
  return { markup, charts: [...overTime, ...distribution].map(({ data }) => data) };
}

function markupOf(figures: readonly ChartFigure[]): Content {
  return figures.map(({ markup }) => markup);
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
  const share = achieved.planned === 0 ? 0 : achieved.failed / achieved.planned;
  const reached =
    intended.rate === null || intended.rate === 0
      ? `${formatCount(achieved.ok)} answers`
      : `${formatShare(achieved.rate / intended.rate)} of ${formatRate(intended.rate)}`;
  const tile = (name: string, value: string, more: string): Markup =>
    html`<div class="tile"><dt>${name}</dt><dd><b>${value}</b><span class="meta">${more}</span></dd></div>`;
  const { response, service } = latencyUs;
  return html`<dl class="tiles">
${tile('Reached', formatRate(achieved.rate), reached)}
${tile('p50', formatUs(response.p50), `service ${formatUs(service.p50)}`)}
${tile('p99', formatUs(response.p99), `service ${formatUs(service.p99)}`)}
${tile('Max', formatUs(response.max), `service ${formatUs(service.max)}`)}
${tile('Failed', formatShare(share), `${formatCount(achieved.failed)} of ${formatCount(achieved.planned)}`)}
</dl>`;
}

function thresholdsPart({ thresholds, verdict }: LoadDocument, id: string): Content {
  if (thresholds.length === 0) return null;
  return part(
    'Thresholds',
    `${id}-thresholds`,
    verdict === 'invalid' &&
      html`<p>${badge('unknown', '?', 'invalid run')} These figures say nothing about the target.</p>`,
    table(
      'Thresholds and the margin left',
      [
        { name: 'Threshold' },
        { name: 'Outcome' },
        { name: 'Observed', numeric: true },
        { name: 'Margin left', numeric: true },
      ],
      thresholds.slice(0, 100).map((threshold) => {
        const { observed, marginPercent } = thresholdWords(threshold);
        return [
          html`<code>${shortText(threshold.expression, 200)}</code>`,
          threshold.held ? badge('good', '✓', 'held') : badge('bad', '✕', 'fell short'),
          observed,
          marginPercent === null ? '–' : marginBar(marginPercent),
        ];
      }),
      { hideCaption: true },
    ),
  );
}

function marginBar(percent: number): Markup {
  const width = Math.min(100, Math.abs(percent));
  return html`<span class="meter">${percent < 0 ? `over by ${formatShare(-percent / 100)}` : formatShare(percent / 100)}<svg aria-hidden="true"><rect class="fill-${percent < 0 ? 'bad' : 'good'}" width="${width.toFixed(1)}%"/></svg></span>`;
}

/** Zoom for the keyboard, and for who does not know that a plot can be dragged over. */
export function zoomBar(group: string): Markup {
  const button = (action: string, name: string, glyph: string): Markup =>
    html`<button type="button" data-zoom="${action}" aria-label="${name}"><span aria-hidden="true">${glyph}</span></button>`;
  return html`<div class="zoom-bar" data-group="${group}" role="group" aria-label="Zoom of the charts over time" hidden>
${button('in', 'Zoom in', '+')}${button('out', 'Zoom out', '−')}${button('left', 'Earlier', '←')}${button('right', 'Later', '→')}<button type="button" data-zoom="reset">Whole run</button>
<span class="meta">Drag over a chart to zoom into that time.</span> <span class="meta zoom-span" role="status"></span></div>`;
}

function latencyTable({ latencyUs }: LoadDocument): Markup {
  return table(
    'Latency: response beside service time',
    [
      { name: 'Quantile' },
      { name: 'Response', numeric: true },
      { name: 'Service', numeric: true },
      { name: 'Difference', numeric: true },
    ],
    latencyRows(latencyUs).map(({ name, responseUs, serviceUs }) => [
      name,
      formatUs(responseUs),
      formatUs(serviceUs),
      responseUs >= serviceUs ? formatUs(responseUs - serviceUs) : '–',
    ]),
  );
}

function healthPart(document: LoadDocument, id: string): Content {
  const { generator, server } = document;
  const lag = generator.sendLagUs;
  const generatorFacts: (Fact | false)[] = [
    ['Workers', generator.workers],
    ['CPU', coresWords(generator.cpu)],
    ['Event loop in use', shareWords(generator.eventLoopUtilization)],
    lag !== null && ['Send lag p50', formatUs(lag.p50)],
    lag !== null && ['Send lag p99', formatUs(lag.p99)],
    lag !== null && ['Send lag max', formatUs(lag.max)],
    ['Held against', shortText(generator.saturationLimits ?? '')],
    ...(generator.reasons ?? []).slice(0, 10).map((reason): Fact => ['Because', shortText(reason)]),
  ];
  const state = generator.saturated
    ? badge('bad', '✕', 'saturated: the generator, not the target, was the limit')
    : badge('good', '✓', 'not saturated');
  return part(
    'Health',
    `${id}-health`,
    html`<div class="pair"><div><h4>Generator</h4><p>${state}</p>${facts(generatorFacts)}</div>
<div><h4>Server</h4>${
      server
        ? facts([
            ['CPU', coresWords(server.cpu)],
            ['Event loop in use', shareWords(server.eventLoopUtilization)],
            ['Memory', server.rssBytes === null ? null : formatBytes(server.rssBytes)],
            ['Garbage collection', server.gcMs === null ? null : formatUs(server.gcMs * 1000)],
          ])
        : html`<p class="meta">Its own health cannot be seen from here.</p>`
    }</div></div>`,
  );
}

function coresWords(cores: number | null): string | null {
  return cores === null ? null : `${cores.toFixed(2)} cores`;
}

function shareWords(share: number | null): string | null {
  return share === null ? null : formatShare(share);
}

function outcomesPart({ achieved, statuses, errors }: LoadDocument, id: string): Content {
  const row = ([name, count]: readonly [string, number], kind: string): Content[] => [
    html`${kind} <code>${shortText(name, 200)}</code>`,
    formatCount(count),
  ];
  const failures = Object.entries(errors);
  return part(
    'Requests',
    `${id}-requests`,
    table(
      'What became of the requests',
      [{ name: 'Outcome' }, { name: 'Requests', numeric: true }],
      [
        ['Planned', formatCount(achieved.planned)],
        ['Sent', formatCount(achieved.sent)],
        ['Ok', formatCount(achieved.ok)],
        ['Failed', formatCount(achieved.failed)],
        ...Object.entries(statuses)
          .slice(0, 50)
          .map((entry) => row(entry, 'Status')),
        ...failures.slice(0, 50).map((entry) => row(entry, 'Error')),
      ],
      { hideCaption: true },
    ),
    failures.length > 50 &&
      html`<p class="meta">And ${failures.length - 50} more kinds of error, in run.json.</p>`,
  );
}
