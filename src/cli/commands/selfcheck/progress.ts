import type { SelfcheckRow } from '../../../documents/selfcheck.ts';
import type { Io } from '../../io.ts';
import { ProgressLine } from '../../output/progress-line.ts';

/** Shows the number of rules broken so far and the time they took. */
export class SelfcheckProgress {
  readonly #line: ProgressLine;
  readonly #total: number;
  readonly #startMs = performance.now();
  #done = 0;

  constructor(io: Io, total: number) {
    this.#line = new ProgressLine(io);
    this.#total = total;
  }

  add({ rule }: SelfcheckRow): void {
    this.#done++;
    this.#line.draw(`${this.#done} of ${this.#total}  ${rule}`);
  }

  end(): void {
    const seconds = ((performance.now() - this.#startMs) / 1000).toFixed(1);
    this.#line.write(`${this.#done} of ${this.#total} rules broken in turn, ${seconds} s`);
  }
}
