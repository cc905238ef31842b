import type { ComparedRun, ComparisonDocument } from '../../../documents/comparison.ts';
import { formatNs, formatUs, QUANTILES, quantileName } from '../../text/quantities.ts';
import { shortText } from '../blocks.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { legend, linearScale, rowsClass } from './dot-plots.ts';

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
  return html`<figure class="chart">
    <figcaption><b>${steps ? 'Median of each step' : 'Response time'} by run</b>
    <span class="meta">Each row has its own scale. Base above, candidate below.</span></figcaption>
    <div class="${rowsClass(steps)}">${rows.map((row) => dotRow(row, base, candidate))}</div>
    ${legend([
      ['base', 'base'],
      ['candidate', 'candidate'],
    ])}
    </figure>`;
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
export function medianNs(run: ComparedRun, name: string): number | undefined {
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
  return html`<div class="row">
    <span class="row-name">${name}</span>
    <svg class="strip tall" role="img" aria-label="${name} of each run, ${words}">
    ${dots(a, 'base', '30%')}${dots(b, 'candidate', '70%')}
    </svg>
    <span class="row-value">${words}</span>
    </div>`;
}
