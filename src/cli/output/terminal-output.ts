import type { EndedRun, OutputSample, RunOutput } from '../../load/index.ts';
import { endedRunLine, loadProgressLine, loadProgressLines } from '../../report/index.ts';
import type { Io } from '../io.ts';
import { ProgressLines } from './progress-lines.ts';

/** Between two lines where stderr is not a terminal, so that a log stays short. */
const PLAIN_EVERY_S = 5;

/**
 * Shows the progress of load runs on stderr: figures and a histogram that are redrawn in place on a
 * terminal, plain lines elsewhere.
 */
export class TerminalOutput implements RunOutput {
  readonly #lines: ProgressLines;
  readonly #interactive: boolean;
  #nextPlainS = PLAIN_EVERY_S;
  #label = '';

  constructor(io: Io) {
    this.#lines = new ProgressLines(io);
    this.#interactive = io.interactive;
  }

  start(label: string): void {
    this.#nextPlainS = PLAIN_EVERY_S;
    this.#label = label;
  }

  add({ progress }: OutputSample): void {
    if (this.#interactive) {
      this.#lines.draw(...loadProgressLines(progress, this.#label));
    } else if (progress.elapsedS >= this.#nextPlainS) {
      this.#nextPlainS = progress.elapsedS + PLAIN_EVERY_S - 0.5;
      this.#lines.write(loadProgressLine(progress, this.#label));
    }
  }

  end(run: EndedRun): void {
    this.#lines.erase();
    const line = endedRunLine(this.#label, run);
    if (line !== null) this.#lines.write(line);
  }

  stop(): void {
    this.#lines.erase();
  }
}
