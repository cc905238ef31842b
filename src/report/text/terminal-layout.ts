import { escapeTerminal, escapeTerminalLine } from '../escape/terminal.ts';
import type { Tone } from './headline.ts';

/** Puts colour on text that is already escaped, or leaves it as it is. */
export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly caution: (text: string) => string;
  readonly unknown: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
}

/** A {@link Paint} with ANSI codes, or one that does nothing. */
export function paint(color: boolean): Paint {
  const code =
    (on: number, off: number) =>
    (text: string): string =>
      color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    good: code(32, 39),
    bad: code(31, 39),
    caution: code(33, 39),
    unknown: code(36, 39),
    dim: code(2, 22),
    bold: code(1, 22),
  };
}

/** The colour of a tone. */
export function paintTone(paints: Paint, tone: Tone, text: string): string {
  return tone === 'neutral' ? paints.bold(text) : paints[tone](text);
}

/** `  label  text`, the text's own lines kept under each other; both are escaped here. */
export function labelled(label: string, text: string, width: number, indent = 2): string {
  const margin = ' '.repeat(indent);
  const under = `\n${' '.repeat(indent + width + 2)}`;
  return `${margin}${escapeTerminalLine(label).padEnd(width)}  ${escapeTerminal(text).replaceAll('\n', under)}`;
}

/** Rows of cells that are already escaped, columns aligned; the first is left, the rest right. */
export function columns(rows: readonly (readonly string[])[], indent = 2): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, cell.length);
    });
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => pad(cell, widths[at] ?? 0, at === 0)).join('  ');
  return rows.map((row) => `${' '.repeat(indent)}${line(row)}`.trimEnd());
}

function pad(cell: string, width: number, left: boolean): string {
  return left ? cell.padEnd(width) : cell.padStart(width);
}
