import type { LoadDocument } from '../../../documents/load.ts';
import type {
  FindMaxResult,
  LoadProgress,
  PlannedLoad,
  RunObserver,
  SearchContext,
} from '../../../load/index.ts';
import { type LivePage, loadProgressLine, loadProgressLines } from '../../../report/index.ts';
import type { Io } from '../../io.ts';
import { ProgressLines } from '../../output/progress-lines.ts';

/** The most seconds of a run that may not have been reported when it ends. */
const LAST_SECONDS = 4;

/** Between two lines where stderr is not a terminal, so that a log stays short. */
const PLAIN_EVERY_S = 5;

/**
 * Shows the progress of load runs on the live page, where there is one, and on stderr: figures and a histogram that
 * are redrawn in place on a terminal, plain lines elsewhere.
 */
export class LoadWatch implements RunObserver {
  readonly #lines: ProgressLines;
  readonly #interactive: boolean;
  readonly #page: LivePage | null;
  #nextPlainS = PLAIN_EVERY_S;
  /** Put before each line: empty, or such as `run 3 of 10: `. */
  #label = '';
  /** Label of a run that has not reported yet; the page shows the one before it until it does. */
  #next: string | null = null;

  constructor(io: Io, page: LivePage | null) {
    this.#lines = new ProgressLines(io);
    this.#interactive = io.interactive;
    this.#page = page;
  }

  onStart(label: string): void {
    this.#nextPlainS = PLAIN_EVERY_S;
    this.#label = label === '' ? '' : `${label}: `;
    this.#next = label;
  }

  onProgress(progress: LoadProgress): void {
    this.#showLine(progress);
    if (this.#page === null) return;
    if (this.#next !== null) this.#page.publish({ kind: 'begin', label: this.#next });
    this.#next = null;
    const { seconds, soFar: _soFar, ...rest } = progress;
    this.#page.publish({ kind: 'progress', ...rest });
    for (const point of seconds) this.#page.publish({ kind: 'point', point });
  }

  onEnd(document: LoadDocument): void {
    for (const point of document.series.slice(-LAST_SECONDS)) {
      this.#page?.publish({ kind: 'point', point });
    }
    // A single run needs no summary: its report follows.
    if (this.#label !== '') this.#say(summaryOf(document));
  }

  onSettled(): void {
    this.#lines.erase();
  }

  /** Runs a search, and shows its trials. */
  async search(
    load: PlannedLoad,
    findMax: (load: PlannedLoad, search: SearchContext) => Promise<FindMaxResult>,
  ): Promise<FindMaxResult> {
    let trial = 1;
    this.#next = `trial ${trial}`;
    try {
      return await findMax(load, {
        onProgress: (progress) => this.onProgress(progress),
        onTrial: ({ rate, held, valid, reason }) => {
          const outcome = held ? 'holds' : valid ? 'falls short' : 'is not valid';
          this.#say(`${rate}/s ${outcome}: ${reason}`);
          this.#next = `trial ${++trial}`;
        },
      });
    } finally {
      this.onSettled();
    }
  }

  #showLine(progress: LoadProgress): void {
    if (this.#interactive) {
      this.#lines.draw(...loadProgressLines(progress, this.#label));
    } else if (progress.elapsedS >= this.#nextPlainS) {
      this.#nextPlainS = progress.elapsedS + PLAIN_EVERY_S - 0.5;
      this.#lines.write(this.#label + loadProgressLine(progress));
    }
  }

  /** Writes a line that stays. */
  #say(text: string): void {
    this.#lines.write(this.#label + text);
    this.#page?.publish({ kind: 'line', text: this.#label + text });
  }
}

function summaryOf({ verdict, reason, achieved, latencyUs }: LoadDocument): string {
  if (verdict === 'invalid') return `invalid: ${reason}`;
  const p99Ms = (latencyUs.response.p99 / 1000).toFixed(2);
  return `${verdict}, ${Math.round(achieved.rate)}/s, p99 ${p99Ms} ms, ${achieved.failed} failed`;
}
