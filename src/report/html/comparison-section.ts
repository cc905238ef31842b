import type { ComparedRun, ComparisonDocument, QuantileShift } from '../documents/comparison.ts';
import { QUANTILES, quantileName } from '../text/latency-rows.ts';
import { formatShare, formatShift, formatUs } from '../text/quantities.ts';
import { type Fact, part, shortText, table } from './building-blocks.ts';
import { type Content, html, type Markup } from './markup.ts';
import { linearScale, roundTicks, type Scale } from './svg-scale.ts';
import { notesPart, verdictHeader } from './verdict-header.ts';

/** Quantiles that are shown. */
const ROW_LIMIT = 20;
/** Runs of a side that are shown as dots. */
const RUN_LIMIT = 200;

/** Two builds: the shift of each quantile with its interval, and each run as a dot. */
export function comparisonSection(document: ComparisonDocument, id: string): Markup {
  const { runs, marginPercent, selfTest } = document;
  const margin: Fact | false = marginPercent !== undefined && [
    'Equivalent within',
    `±${marginPercent} %`,
  ];
  const self: Fact | false = selfTest !== undefined && [
    'Base against itself',
    `${selfTest.falseAlarms} false alarms in ${selfTest.trials} trials${
      selfTest.trials > 0 ? ` (${formatShare(selfTest.falseAlarms / selfTest.trials)})` : ''
    }`,
  ];
  return html`${verdictHeader(document, `${id}-title`, [
    ['Runs', `${runs.a.length} of the base, ${runs.b.length} of the candidate`],
    margin,
    self,
  ])}
${notesPart(document.notes)}
${part('Shift per quantile', `${id}-shifts`, shiftPlot(document))}
${part('Runs', `${id}-runs`, runDots(document), runTable(document))}`;
}

function shiftPlot({ quantiles, marginPercent = 0 }: ComparisonDocument): Content {
  const shown = quantiles.slice(0, ROW_LIMIT);
  if (shown.length === 0) return null;
  const reach = [marginPercent * 1.2, 1, ...shown.flatMap(({ low, high }) => [-low, high])].reduce(
    (a, b) => Math.max(a, b),
  );
  const x = linearScale(-reach, reach);
  const ticks = roundTicks(-reach, reach, 6);
  return html`<figure class="chart"><figcaption><b>How far the candidate lies from the base</b> <span class="meta">Left is faster. The line is the interval, the dot the estimate${marginPercent > 0 && `, the band the margin of ±${marginPercent} %`}.</span></figcaption>
<div class="rows">${shown.map((shift) => shiftRow(shift, x, marginPercent))}
<div class="row axis" aria-hidden="true"><span></span><svg class="strip">${ticks.map((tick) => html`<text class="tick" x="${x(tick)}" y="14" text-anchor="middle">${formatShift(tick).replace('.0', '').replace('±', '')}</text>`)}</svg><span></span></div></div></figure>`;
}

function shiftRow({ q, shiftPercent, low, high }: QuantileShift, x: Scale, margin: number): Markup {
  const tone = low > margin ? 'bad' : high < -margin ? 'good' : 'plain';
  const words = `${formatShift(shiftPercent)} (${formatShift(low)} to ${formatShift(high)})`;
  return html`<div class="row"><span class="row-name">${quantileName(q)}</span>
<svg class="strip" role="img" aria-label="${quantileName(q)}: ${words}">
${margin > 0 && html`<rect class="band" x="${x(-margin)}" width="${(Number.parseFloat(x(margin)) - Number.parseFloat(x(-margin))).toFixed(2)}%" y="0" height="100%"/>`}
<line class="zero" x1="${x(0)}" x2="${x(0)}" y1="0" y2="100%"/>
<line class="whisker ${tone}" x1="${x(low)}" x2="${x(high)}" y1="50%" y2="50%"/><circle class="estimate ${tone}" cx="${x(shiftPercent)}" cy="50%" r="5"/></svg>
<span class="row-value">${words}</span></div>`;
}

function runDots({ quantiles, runs }: ComparisonDocument): Content {
  const rows = quantiles.slice(0, ROW_LIMIT).flatMap(({ q }) => {
    const known = QUANTILES.find((quantile) => quantile.q === q);
    if (!known) return [];
    const valuesOf = (side: readonly ComparedRun[]): number[] =>
      side.slice(0, RUN_LIMIT).map(({ latencyUs }) => latencyUs.response[known.field]);
    return [{ name: known.name, a: valuesOf(runs.a), b: valuesOf(runs.b) }];
  });
  if (rows.length === 0) return null;
  return html`<figure class="chart"><figcaption><b>Each run as a dot</b> <span class="meta">Response time; every row has its own scale. Base above, candidate below.</span></figcaption>
<div class="rows">${rows.map(dotRow)}</div>
<p class="key"><svg class="mark" aria-hidden="true"><circle class="base" cx="50%" cy="50%" r="4"/></svg> base <svg class="mark" aria-hidden="true"><circle class="candidate" cx="50%" cy="50%" r="4"/></svg> candidate</p></figure>`;
}

function dotRow({ name, a, b }: { name: string; a: number[]; b: number[] }): Markup {
  const all = [...a, ...b];
  const low = all.reduce((x, y) => Math.min(x, y), Number.POSITIVE_INFINITY);
  const high = all.reduce((x, y) => Math.max(x, y), 0);
  const x = linearScale(low, high);
  const dots = (values: readonly number[], kind: string, y: string): Markup[] =>
    values.map((us) => html`<circle class="${kind}" cx="${x(us)}" cy="${y}" r="4"/>`);
  const words = all.length === 0 ? 'no runs' : `${formatUs(low)} to ${formatUs(high)}`;
  return html`<div class="row"><span class="row-name">${name}</span><svg class="strip tall" role="img" aria-label="${name} of each run, ${words}">${dots(a, 'base', '30%')}${dots(b, 'candidate', '70%')}</svg><span class="row-value">${words}</span></div>`;
}

function runTable({ runs }: ComparisonDocument): Content {
  const rowsOf = (side: string, list: readonly ComparedRun[]): Content[][] =>
    list.slice(0, RUN_LIMIT).map((run, at) => {
      const { p50, p99, max } = run.latencyUs.response;
      return [
        `${side} ${at + 1}`,
        shortText(run.name ?? '', 200),
        formatUs(p50),
        formatUs(p99),
        formatUs(max),
      ];
    });
  return html`<details class="figures"><summary class="opener">Each run as a table</summary>${table(
    'Response time of each run',
    [
      { name: 'Run' },
      { name: 'Name' },
      { name: 'p50', numeric: true },
      { name: 'p99', numeric: true },
      { name: 'Max', numeric: true },
    ],
    [...rowsOf('base', runs.a), ...rowsOf('candidate', runs.b)],
    { hideCaption: true },
  )}</details>`;
}
