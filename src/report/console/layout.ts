import { escapeTerminal, escapeTerminalLine } from '../escape.ts';
import { type Cell, type Column, cellText, type TitledTable } from '../text/columns.ts';
import type { Tone } from '../text/tones.ts';

/** Colours text that is already escaped, or leaves it as it is; and the width of the terminal. */
export type Paint = Readonly<Record<Tone | 'dim' | 'bold', (text: string) => string>> & {
  readonly columns: number;
};

/** A {@link Paint} with ANSI codes, or one that does nothing. */
export function paint(color: boolean, columns: number): Paint {
  const code =
    (on: number, off: number) =>
    (text: string): string =>
      color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    good: code(32, 39),
    bad: code(31, 39),
    caution: code(33, 39),
    unknown: code(36, 39),
    neutral: code(1, 22),
    dim: code(2, 22),
    bold: code(1, 22),
    columns,
  };
}

/** `  label  text`, escaped, the lines of the text under each other. */
export function labelled(label: string, text: string, width: number): string {
  const indent = `\n${' '.repeat(width + 4)}`;
  const lines = escapeTerminal(text).replaceAll('\n', indent);
  return `  ${escapeTerminalLine(label).padEnd(width)}  ${lines}`;
}

/** Lines under a heading, after an empty line; none if there are no lines. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...(title === '' ? [] : [title]), ...lines];
}

/** A table with aligned columns; verdicts are coloured. Numbers that do not fit are left out from the right. */
function textTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  paints: Paint,
): string[] {
  const cells = rows.map((row, index) => columns.map(({ cell }) => cell(row, index)));
  const textOf = (cell: Cell): string => escapeTerminalLine(cellText(cell));
  const widths = columns.map(({ name }, at) =>
    cells.reduce((most, line) => Math.max(most, textOf(line[at] ?? '').length), name.length),
  );
  const width = widths.reduce((sum, one) => sum + one + 2, 0);
  const lastNumber = columns.findLastIndex(({ numeric }) => numeric === true);
  if (width > paints.columns && lastNumber > 1)
    return textTable(columns.toSpliced(lastNumber, 1), rows, paints);
  const lineOf = (line: readonly Cell[]): string => {
    const padded = line.map((cell, at) => {
      const text = textOf(cell);
      const padding = ' '.repeat((widths[at] ?? 0) - text.length);
      const shown = typeof cell === 'object' && 'tone' in cell ? paints[cell.tone](text) : text;
      return columns[at]?.numeric === true ? padding + shown : shown + padding;
    });
    return `  ${padded.join('  ').trimEnd()}`;
  };
  return [columns.map(({ name }) => name), ...cells].map(lineOf);
}

/** A table under its title, as a section; none without rows. */
export function tableSection<Row>(
  { title, columns, rows }: TitledTable<Row>,
  paints: Paint,
): string[] {
  return rows.length === 0
    ? []
    : section(escapeTerminalLine(title), textTable(columns, rows, paints));
}

/** Rows of cells as lines: each column as wide as its widest cell, numbers to the right. */
export function aligned(rows: readonly (readonly (string | number)[])[]): string[] {
  const cells = rows.map((row) => row.map(String));
  const widths = cells[0]?.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const isNumber = rows.at(-1)?.map((cell) => typeof cell === 'number');
  const pad = (cell: string, at: number): string =>
    isNumber?.[at] ? cell.padStart(widths?.[at] ?? 0) : cell.padEnd(widths?.[at] ?? 0);
  return cells.map((row) => row.map(pad).join('  ').trimEnd());
}

const COLOR_CODE = /\u001b\[\d+m/g;
/** Width below which lines are left as they are. */
const LEAST_WIDTH = 40;
/** Labels of commands, which must be copied in one piece. */
const COMMAND = /^ {2}(reproduce|rerun|replay|fareproof) /;

/**
 * Wraps a line between words. The lines after the first are indented as its text behind a label, or a
 * list mark.
 */
export function wrapped(line: string, columns: number): string[] {
  const text = line.replaceAll(COLOR_CODE, '');
  const label = /^ *- |^ {2}\S+(?: \S+){0,3} {2,}|^ */.exec(text)?.[0] ?? '';
  const isDeep = columns - label.length < LEAST_WIDTH;
  const indent = ' '.repeat(isDeep ? Math.min(4, label.length) : label.length);
  const isFixed = text.length <= columns || columns < LEAST_WIDTH;
  if (isFixed || COMMAND.test(text)) return [line];
  const lines: string[] = [];
  let current = '';
  let length = 0;
  for (const [piece, space = '', word = ''] of line.matchAll(/( *)([^ ]+)/g)) {
    const wordLength = word.replaceAll(COLOR_CODE, '').length;
    if (current.trim() !== '' && length + space.length + wordLength > columns) {
      lines.push(current);
      current = indent + word;
      length = indent.length + wordLength;
    } else {
      current += piece;
      length += space.length + wordLength;
    }
  }
  return [...lines, current];
}
