import { appendPrivate } from '../../../files/write-file.ts';
import { FareproofError } from '../../../interface/errors.ts';

/**
 * File to which a run appends what it does. Once that fails, nothing more is appended: it would stand behind
 * a torn line. The run continues without requests that have to be recorded first.
 */
export class RecordFile {
  readonly #path: string;
  #failure: NodeJS.ErrnoException | null = null;
  #isShort = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** True once a request was not sent because it could not be recorded. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /**
   * Appends a text that a run can do without.
   *
   * @param flush has it on disk, whatever becomes of the machine
   */
  append(text: string, flush = false): void {
    this.attempt(() => appendPrivate(this.#path, text, flush));
  }

  /**
   * Appends a text that has to be written before a request is sent.
   *
   * @param flush has it on disk, whatever becomes of the machine
   * @throws FareproofError `RUN_NOT_RECORDED`: the request must not be sent
   */
  require(text: string, flush = false): void {
    this.attempt(() => appendPrivate(this.#path, text, flush));
    if (!this.#failure) return;
    this.#isShort = true;
    const { code = this.#failure.message } = this.#failure;
    throw new FareproofError(
      'RUN_NOT_RECORDED',
      `a request that counts was not sent, as it could not be recorded first: ${this.#path} cannot be written (${code})`,
    );
  }

  /** Writes to the file, unless that failed before. */
  attempt(write: () => void): void {
    if (this.#failure) return;
    try {
      write();
    } catch (error) {
      this.#failure = error as NodeJS.ErrnoException;
    }
  }
}
