import type { ComparedSide, ComparisonDocument } from '../../documents/comparison.ts';
import type { RunsSpread, Spread } from '../../documents/load.ts';
import { type Column, cellText, column, numbers, type TitledTable } from './columns.ts';
import { countOf, formatRate, formatShare, formatUs } from './quantities.ts';

/** A figure of several runs: its name, and its spread for each set of runs, if it is known. */
interface SpreadRow {
  readonly name: string;
  readonly spreads: readonly (Spread | undefined)[];
  readonly format: (value: number) => string;
}

/** Figures of a spread: field, name and format. */
export const FIGURES = [
  ['rate', 'rate', formatRate],
  ['p50', 'p50', formatUs],
  ['p90', 'p90', formatUs],
  ['p99', 'p99', formatUs],
  ['p99_9', 'p99.9', formatUs],
  ['failed', 'failed', formatShare],
] as const;

const rowsOf = (sets: readonly (RunsSpread | null)[]): SpreadRow[] =>
  FIGURES.map(([field, name, format]) => ({
    name,
    spreads: sets.map((set) => set?.[field]),
    format,
  }));

type SpreadTable = TitledTable<SpreadRow>;

/** Median and spread of the runs of a set; null if none is valid. */
export function setTable(spread: RunsSpread | null): SpreadTable | null {
  if (spread === null) return null;
  const figure = (name: string, field: keyof Spread): Column<SpreadRow> =>
    numbers(name, ({ spreads: [of], format }) => (of ? format(of[field]) : '–'));
  return {
    title: `Median and spread of ${countOf(spread.runs, 'valid run')}`,
    columns: [
      column('figure', ({ name }) => name),
      figure('median', 'median'),
      figure('lowest', 'min'),
      figure('highest', 'max'),
    ],
    rows: rowsOf([spread]),
  };
}

/** Absolute figures of both sides of a comparison; null if neither has a valid run. */
export function sidesTable({ sides }: ComparisonDocument): SpreadTable | null {
  if (!sides?.a.spread && !sides?.b.spread) return null;
  const side = (name: string, at: number): Column<SpreadRow> =>
    numbers(name, ({ spreads, format }) => {
      const of = spreads[at];
      return of ? `${format(of.median)} (${format(of.min)} to ${format(of.max)})` : '–';
    });
  return {
    title: 'Median of the runs of both sides, lowest and highest',
    columns: [
      column('figure', ({ name }) => name),
      side(sideName('base', sides.a), 0),
      side(sideName('candidate', sides.b), 1),
    ],
    rows: rowsOf([sides.a.spread, sides.b.spread]),
  };
}

/** `base 1.4`; `base` if it was given no name. */
const sideName = (role: string, { name }: { readonly name?: string | undefined }): string =>
  name === undefined ? role : `${role} ${name}`;

/** Labels of both sides of a comparison. */
export function sideFacts({ sides }: ComparisonDocument): [name: string, label: string][] {
  if (sides === undefined) return [];
  return [
    ['base', sideLabel(sides.a)],
    ['candidate', sideLabel(sides.b)],
  ];
}

function sideLabel({ name, label }: ComparedSide): string {
  return name === undefined ? label : `${name} (${label})`;
}

/** Lines of a table of spreads, for a format without tables: `rate: median 50/s, lowest 49/s ...`. */
export function spreadText({ columns: [, ...others], rows }: SpreadTable): string[] {
  return rows.map((row, at) => {
    const cells = others.map(({ name, cell }) => `${name} ${cellText(cell(row, at))}`);
    return `${row.name}: ${cells.join(', ')}`;
  });
}
