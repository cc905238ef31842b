import type { ComparedRun, ComparisonDocument } from '../../../documents/comparison.ts';
import { QUANTILES, quantileName } from '../../text/latency-rows.ts';
import { formatNs, formatShare, formatShift, formatUs } from '../../text/quantities.ts';
import { type ShiftRow, shiftRows, shiftWords } from '../../text/shift-rows.ts';
import { type Fact, part, shortText, table } from '../blocks.ts';
import { linearScale, roundTicks, type Scale } from '../charts/svg-scale.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { notesPart, verdictHeader } from '../verdict-header.ts';

/** Quantiles, or steps, that are shown. */
const ROW_LIMIT = 60;
/** Runs of a side that are shown as dots. */
const RUN_LIMIT = 200;

/** Two builds: the shift of each quantile (or step) with its interval, and each run as a dot. */
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
${part(document.steps ? 'Shift per step' : 'Shift per quantile', `${id}-shifts`, shiftPlot(document))}
${part('Runs', `${id}-runs`, runDots(document), runTable(document))}`;
}

function shiftPlot(document: ComparisonDocument): Content {
  const { marginPercent = 0 } = document;
  const shown = shiftRows(document).slice(0, ROW_LIMIT);
  if (shown.length === 0) return null;
  const reach = [marginPercent * 1.2, 1, ...shown.flatMap(({ low, high }) => [-low, high])].reduce(
    (a, b) => Math.max(a, b),
  );
  const x = linearScale(-reach, reach);
  const ticks = roundTicks(-reach, reach, 6);
  return html`<figure class="chart"><figcaption><b>How far the candidate lies from the base</b> <span class="meta">Left is faster. The line is the interval, the dot the estimate${marginPercent > 0 && `, the band the margin of ±${marginPercent} %`}.</span></figcaption>
<div class="${rowsClass(document)}">${shown.map((shift) => shiftRow(shift, x, marginPercent))}
<div class="row axis" aria-hidden="true"><span></span><svg class="strip">${ticks.map((tick) => html`<text class="tick" x="${x(tick)}" y="14" text-anchor="middle">${formatShift(tick).replace('.0', '').replace('±', '')}</text>`)}</svg><span></span></div></div></figure>`;
}

/** Steps have longer names than quantiles. */
const rowsClass = ({ steps }: ComparisonDocument): string => (steps ? 'rows budget-rows' : 'rows');

function shiftRow(shift: ShiftRow, x: Scale, margin: number): Markup {
  const { shiftPercent, low, high } = shift;
  const tone = low > margin ? 'bad' : high < -margin ? 'good' : 'plain';
  const words = shiftWords(shift);
  const name = shortText(shift.name, 200);
  return html`<div class="row"><span class="row-name">${name}</span>
<svg class="strip" role="img" aria-label="${name}: ${words}">
${margin > 0 && html`<rect class="band" x="${x(-margin)}" width="${(Number.parseFloat(x(margin)) - Number.parseFloat(x(-margin))).toFixed(2)}%" y="0" height="100%"/>`}
<line class="zero" x1="${x(0)}" x2="${x(0)}" y1="0" y2="100%"/>
<line class="whisker ${tone}" x1="${x(low)}" x2="${x(high)}" y1="50%" y2="50%"/><circle class="estimate ${tone}" cx="${x(shiftPercent)}" cy="50%" r="5"/></svg>
<span class="row-value">${words}</span></div>`;
}

interface DotRow {
  name: string;
  a: number[];
  b: number[];
  format: (value: number) => string;
}

function runDots(document: ComparisonDocument): Content {
  const { quantiles, steps, runs } = document;
  const row = (
    name: string,
    read: (run: ComparedRun) => number | undefined,
    format: DotRow['format'],
  ): DotRow => {
    const valuesOf = (side: readonly ComparedRun[]): number[] =>
      side.slice(0, RUN_LIMIT).flatMap((run) => read(run) ?? []);
    return { name, a: valuesOf(runs.a), b: valuesOf(runs.b), format };
  };
  const rows = [
    ...quantiles.flatMap(({ q }) => {
      const known = QUANTILES.find((quantile) => quantile.q === q);
      if (!known) return [];
      const us = (run: ComparedRun): number | undefined =>
        'latencyUs' in run ? run.latencyUs.response[known.field] : undefined;
      return [row(quantileName(q), us, formatUs)];
    }),
    ...(steps ?? []).map(({ name }) => row(name, (run) => medianNs(run, name), formatNs)),
  ].slice(0, ROW_LIMIT);
  if (rows.length === 0) return null;
  return html`<figure class="chart"><figcaption><b>Each run as a dot</b> <span class="meta">${steps ? 'Median of each step' : 'Response time'}; every row has its own scale. Base above, candidate below.</span></figcaption>
<div class="${rowsClass(document)}">${rows.map(dotRow)}</div>
<p class="key"><svg class="mark" aria-hidden="true"><circle class="base" cx="50%" cy="50%" r="4"/></svg> base <svg class="mark" aria-hidden="true"><circle class="candidate" cx="50%" cy="50%" r="4"/></svg> candidate</p></figure>`;
}

function medianNs(run: ComparedRun, name: string): number | undefined {
  if (!('steps' in run)) return undefined;
  const measured = run.whole ? [run.whole, ...run.steps] : run.steps;
  return measured.find((step) => step.name === name)?.nsMedian;
}

function dotRow({ name: unsafe, a, b, format }: DotRow): Markup {
  const name = shortText(unsafe, 200);
  const all = [...a, ...b];
  const low = all.reduce((x, y) => Math.min(x, y), Number.POSITIVE_INFINITY);
  const high = all.reduce((x, y) => Math.max(x, y), 0);
  const x = linearScale(low, high);
  const dots = (values: readonly number[], kind: string, y: string): Markup[] =>
    values.map((us) => html`<circle class="${kind}" cx="${x(us)}" cy="${y}" r="4"/>`);
  const words = all.length === 0 ? 'no runs' : `${format(low)} to ${format(high)}`;
  return html`<div class="row"><span class="row-name">${name}</span><svg class="strip tall" role="img" aria-label="${name} of each run, ${words}">${dots(a, 'base', '30%')}${dots(b, 'candidate', '70%')}</svg><span class="row-value">${words}</span></div>`;
}

function runTable({ runs, steps }: ComparisonDocument): Content {
  const shown = (steps ?? []).slice(0, ROW_LIMIT).map(({ name }) => name);
  const valuesOf = (run: ComparedRun): string[] => {
    if (steps) {
      const times = shown.map((name) => medianNs(run, name));
      return times.map((ns) => (ns === undefined ? '' : formatNs(ns)));
    }
    if (!('latencyUs' in run)) return ['', '', ''];
    const { p50, p99, max } = run.latencyUs.response;
    return [p50, p99, max].map(formatUs);
  };
  const rowsOf = (side: string, list: readonly ComparedRun[]): Content[][] =>
    list
      .slice(0, RUN_LIMIT)
      .map((run, at) => [`${side} ${at + 1}`, shortText(run.name ?? '', 200), ...valuesOf(run)]);
  const columns = steps ? shown.map((name) => shortText(name, 200)) : ['p50', 'p99', 'Max'];
  return html`<details class="figures"><summary class="opener">Each run as a table</summary>${table(
    steps ? 'Median of each step in each run' : 'Response time of each run',
    [{ name: 'Run' }, { name: 'Name' }, ...columns.map((name) => ({ name, numeric: true }))],
    [...rowsOf('base', runs.a), ...rowsOf('candidate', runs.b)],
    { hideCaption: true },
  )}</details>`;
}
