import type { TextFact } from './load-words.ts';
import type { Outcome } from './tones.ts';

/** A cell of a table, not escaped: text, text in a fixed-width font, or a verdict. */
export type Cell = string | { readonly code: string } | Outcome;

/** A column of a table; the same columns make the tables of terminal, Markdown and page. */
export interface Column<Row, C = Cell> {
  /** In lower case. */
  readonly name: string;
  /** Numbers are aligned to the right. */
  readonly numeric?: boolean;
  /** @param index of the row, from 0 */
  readonly cell: (row: Row, index: number) => C;
}

/** A table under its title. */
export interface TitledTable<Row> {
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}

/** Facts under a title; one without words is not shown. */
export interface FactBlock {
  readonly title: string | { readonly code: string };
  readonly facts: readonly TextFact[];
  /** Verdict that the title has before it, and the level of its rule. */
  readonly finding?: Outcome & { readonly level?: string };
  /** True for what a page of text folds. */
  readonly isFolded?: true;
}

/** A part of a run in a medium of text; one without facts or rows is not shown, nor an empty title. */
export type Block = FactBlock | TitledTable<readonly Cell[]>;

/** A table whose cells are made, so that tables of any rows are one type. */
export function tableBlock<Row>(
  title: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[] = [],
): Block {
  return {
    title,
    columns: columns.map((one, at) => ({ ...one, cell: (row) => row[at] ?? '' })),
    rows: rows.map((row, index) => columns.map(({ cell }) => cell(row, index))),
  };
}

/** A column of text. */
export function column<Row, C = Cell>(name: string, cell: Column<Row, C>['cell']): Column<Row, C> {
  return { name, cell };
}

/** A column of numbers. */
export function numbers<Row, C = Cell>(name: string, cell: Column<Row, C>['cell']): Column<Row, C> {
  return { name, numeric: true, cell };
}

/** The text of a cell. */
export function cellText(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  return 'code' in cell ? cell.code : cell.words;
}

/** A measurement, or a dash where it is unknown. */
export function known(value: number | null | undefined, format: (value: number) => string): string {
  return value == null ? '–' : format(value);
}
