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
