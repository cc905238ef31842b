import type { EndedRun, OutputSample, RunOutput } from '../../../load/index.ts';
import { loadProgressLine, loadProgressLines } from '../../../report/index.ts';
import type { Io } from '../../io.ts';
import { ProgressLines } from '../../output/progress-lines.ts';

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
    const before = prefixOf(this.#label);
    if (this.#interactive) {
      this.#lines.draw(...loadProgressLines(progress, before));
    } else if (progress.elapsedS >= this.#nextPlainS) {
      this.#nextPlainS = progress.elapsedS + PLAIN_EVERY_S - 0.5;
      this.#lines.write(before + loadProgressLine(progress));
    }
  }

  end(run: EndedRun): void {
    this.#lines.erase();
    const line = summaryLine(this.#label, run);
    if (line !== null) this.#lines.write(line);
  }

  stop(): void {
    this.#lines.erase();
  }
}

/** A line for a run that is over; null for a single one, whose report follows. */
export function summaryLine(label: string, { result, trial }: EndedRun): string | null {
  if (label === '') return null;
  if (trial === undefined) return prefixOf(label) + summaryOf(result);
  const { rate, held, valid, reason } = trial;
  const outcome = held ? 'holds' : valid ? 'falls short' : 'is not valid';
  return `${prefixOf(label)}${rate}/s ${outcome}: ${reason}`;
}

/** Put before each line of a run: empty, or such as `run 3 of 10: `. */
const prefixOf = (label: string): string => (label === '' ? '' : `${label}: `);

function summaryOf({ verdict, reason, achieved, latencyUs }: EndedRun['result']): string {
  if (verdict === 'invalid') return `invalid: ${reason}`;
  const p99Ms = (latencyUs.response.p99 / 1000).toFixed(2);
  return `${verdict}, ${Math.round(achieved.rate)}/s, p99 ${p99Ms} ms, ${achieved.failed} failed`;
}
