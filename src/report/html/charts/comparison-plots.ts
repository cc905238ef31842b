import type { ComparedRun, ComparisonDocument } from '../../../documents/comparison.ts';
import {
  formatNs,
  formatShift,
  formatUs,
  type NamedShift,
  namedShifts,
  QUANTILES,
  quantileName,
  shiftWords,
} from '../../text/quantities.ts';
import { shortText } from '../blocks.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { plotFigure } from './chart-figure.ts';
import { linearScale, plotRow, roundTicks, type Scale } from './dot-plots.ts';

/** Each shift with its confidence interval, and the margin as a band; null without shifts. */
export function shiftPlot(document: ComparisonDocument, limit: number): Content {
  const { marginPercent } = document;
  const marginOf = (shift: NamedShift): number => shift.marginPercent ?? marginPercent;
  const shifts = namedShifts(document).slice(0, limit);
  if (shifts.length === 0) return null;
  const ends = shifts.flatMap(({ low, high }) => [-low, high]);
  const widest = shifts.map(marginOf).reduce((most, margin) => Math.max(most, margin), 0);
  const reach = ends.reduce((most, end) => Math.max(most, end), Math.max(1, widest * 1.2));
  // Nothing can be faster by more than the whole.
  const low = Math.max(-reach, -100);
  const x = linearScale(low, reach);
  const ticks = roundTicks(low, reach, 6);
  const wider = widest > marginPercent ? ', wider where generators were late' : '';
  const band = marginPercent > 0 ? `; band: margin of ±${marginPercent} %${wider}` : '';
  return plotFigure(
    'Shift of the candidate from the base',
    `Left is faster. Dot: estimate; line: confidence interval${band}.`,
    html`<div class="rows">${shifts.map((shift) => shiftRow(shift, x, marginOf(shift)))}
      <div class="row axis" aria-hidden="true"><span></span>
      <svg class="strip">${ticks.map((tick) => tickLabel(shortShift(tick), x(tick)))}</svg><span></span>
      </div></div>`,
  );
}

const shortShift = (tick: number): string => formatShift(tick).replace('.0', '').replace('±', '');

function tickLabel(words: string, x: string, y = 14): Markup {
  return html`<text class="tick" x="${x}" y="${y}" text-anchor="middle">${words}</text>`;
}

function shiftRow(shift: NamedShift, x: Scale, margin: number): Markup {
  const { shiftPercent, low, high } = shift;
  const tone = low > margin ? 'bad' : high < -margin ? 'good' : 'plain';
  const words = shiftWords(shift);
  const name = shortText(shift.name, 200);
  const strip = html`<svg class="strip" role="img" aria-label="${name}: ${words}">
    ${margin > 0 && marginBand(x(-margin), x(margin))}
    <line class="zero" x1="${x(0)}" x2="${x(0)}" y1="0" y2="100%"/>
    <line class="whisker ${tone}" x1="${x(low)}" x2="${x(high)}" y1="50%" y2="50%"/>
    <circle class="estimate ${tone}" cx="${x(shiftPercent)}" cy="50%" r="5"/>
    </svg>`;
  return plotRow(name, strip, words);
}

function marginBand(from: string, to: string): Markup {
  const width = (Number.parseFloat(to) - Number.parseFloat(from)).toFixed(2);
  return html`<rect class="band" x="${from}" width="${width}%" y="0" height="100%"/>`;
}

interface DotRow {
  readonly name: string;
  /** Value of a run; undefined for none. */
  readonly read: (run: ComparedRun) => number | undefined;
  readonly format: (value: number) => string;
}

/** The value of each run as a dot, a row for each quantile or step; null without rows. */
export function runDots(
  { quantiles, steps, runs }: ComparisonDocument,
  rowLimit: number,
  runLimit: number,
): Content {
  const rows = [
    ...quantiles.flatMap(({ q }) => quantileRow(q) ?? []),
    ...(steps ?? []).map(({ name }) => stepRow(name)),
  ].slice(0, rowLimit);
  if (rows.length === 0) return null;
  const base = runs.a.slice(0, runLimit);
  const candidate = runs.b.slice(0, runLimit);
  return plotFigure(
    `${steps ? 'Median of each step' : 'Response time'} by run`,
    'Each row has its own scale. Grey, above: base; blue, below: candidate.',
    html`<div class="rows">${rows.map((row) => dotRow(row, base, candidate))}</div>`,
  );
}

function quantileRow(q: number): DotRow | undefined {
  const known = QUANTILES.find((quantile) => quantile.q === q);
  return (
    known && {
      name: quantileName(q),
      read: (run) => ('latencyUs' in run ? run.latencyUs.response[known.field] : undefined),
      format: formatUs,
    }
  );
}

function stepRow(name: string): DotRow {
  return { name, read: (run) => medianNs(run, name), format: formatNs };
}

/** Median of a step, or of the whole, in a bench; undefined for none. */
function medianNs(run: ComparedRun, name: string): number | undefined {
  if (!('steps' in run)) return undefined;
  const measured = run.whole ? [run.whole, ...run.steps] : run.steps;
  return measured.find((step) => step.name === name)?.nsMedian;
}

function dotRow(
  { name: fullName, read, format }: DotRow,
  base: readonly ComparedRun[],
  candidate: readonly ComparedRun[],
): Markup {
  const name = shortText(fullName, 200);
  const [a, b] = [base, candidate].map((runs) => runs.flatMap((run) => read(run) ?? []));
  const all = [...(a ?? []), ...(b ?? [])];
  const low = all.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = all.reduce((most, value) => Math.max(most, value), 0);
  const x = linearScale(low, high);
  const dots = (values: readonly number[] = [], side: string, y: string): Markup[] =>
    values.map((value) => html`<circle class="${side}" cx="${x(value)}" cy="${y}" r="4"/>`);
  const words = all.length === 0 ? 'no runs' : `${format(low)} to ${format(high)}`;
  const listed = (values: readonly number[] = []): string => values.map(format).join(', ');
  const label = `${name} of each run, base: ${listed(a)}; candidate: ${listed(b)}`;
  const strip = html`<svg class="strip tall" role="img" aria-label="${label}">
    <line class="zero" x2="100%" y1="36" y2="36"/>
    ${roundTicks(low, high, 4).map((tick) => tickLabel(format(tick), x(tick), 50))}
    ${dots(a, 'base', '10')}${dots(b, 'candidate', '26')}
    </svg>`;
  return plotRow(name, strip, words);
}
