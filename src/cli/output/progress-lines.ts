import type { WriteStream } from 'node:tty';
import type { Io } from '../io.ts';

const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
/** A wrapped line could not be redrawn. */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';
/** A terminal that knows these shows what is between them at once. */
const HOLD = '\u001b[?2026h';
const SHOW = '\u001b[?2026l';

/** Lines on stderr that are redrawn in place on a terminal, and omitted elsewhere. */
export class ProgressLines {
  readonly #io: Pick<Io, 'stderr' | 'interactive' | 'secrets'>;
  /** Number of lines on the terminal; the cursor is behind the last one. */
  #drawn = 0;

  constructor(io: Pick<Io, 'stderr' | 'interactive' | 'secrets'>) {
    this.#io = io;
  }

  /** Draws lines in place of the last ones, as many as the terminal is high. */
  draw(...lines: readonly string[]): void {
    const { stderr, interactive, secrets } = this.#io;
    if (!interactive) return;
    // A taller block would scroll, and its first lines could not be reached any more.
    const { rows = Number.POSITIVE_INFINITY, columns = Number.POSITIVE_INFINITY } =
      stderr as Partial<WriteStream>;
    const shown = lines.slice(0, Math.max(1, rows - 1));
    const text = shown.map((line) => CLEAR_LINE + fitted(secrets.hideIn(line), columns)).join('\n');
    stderr.write(`${HOLD}${NO_WRAP}${this.#toStart()}${text}${CLEAR_BELOW}${WRAP}${SHOW}`);
    this.#drawn = shown.length;
  }

  /** Writes a permanent line, on a terminal or not. */
  write(text: string): void {
    this.erase();
    const { stderr, secrets } = this.#io;
    stderr.write(`${secrets.hideIn(text)}\n`);
  }

  /** Erases the lines. */
  erase(): void {
    if (this.#drawn > 0) this.#io.stderr.write(this.#toStart() + CLEAR_BELOW);
    this.#drawn = 0;
  }

  #toStart(): string {
    return this.#drawn > 1 ? `\u001b[${this.#drawn - 1}A\r` : '\r';
  }
}

/** Place between two figures of a line. */
const BETWEEN_FIGURES = /, | · | {2,}| (?=\()/g;

/**
 * The figures of a line that fit into the columns of a terminal, each whole: a cut one is another number,
 * and the terminal would write what is left over the last column.
 */
function fitted(line: string, columns: number): string {
  if (line.length <= columns) return line;
  const ends = [...line.matchAll(BETWEEN_FIGURES)].map(({ index }) => index);
  const end = ends.findLast((at) => at > 0 && at <= columns && line.slice(0, at).trim() !== '');
  return end === undefined ? `${line.slice(0, columns - 1)}…` : line.slice(0, end);
}
