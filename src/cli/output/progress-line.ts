import { type Io, note } from '../io.ts';

const ERASE = '\r\u001b[2K';
/** Cuts at the edge of the terminal: a wrapped line could not be redrawn. */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';

/** Line on stderr that is redrawn on a terminal and omitted elsewhere. */
export class ProgressLine {
  readonly #io: Pick<Io, 'stderr' | 'interactive' | 'secrets'>;
  #isDrawn = false;

  constructor(io: Pick<Io, 'stderr' | 'interactive' | 'secrets'>) {
    this.#io = io;
  }

  /** Draws a text in place of the last one. */
  draw(text: string): void {
    if (!this.#io.interactive) return;
    this.#io.stderr.write(`${ERASE}${NO_WRAP}${text}${WRAP}`);
    this.#isDrawn = true;
  }

  /** Writes a permanent line, on a terminal or not. */
  write(text: string): void {
    this.erase();
    note(this.#io, text);
  }

  /** Erases the line. */
  erase(): void {
    if (this.#isDrawn) this.#io.stderr.write(ERASE);
    this.#isDrawn = false;
  }
}
