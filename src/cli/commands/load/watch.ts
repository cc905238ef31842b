import type { LoadDocument } from '../../../documents/load.ts';
import type {
  FindMaxOptions,
  FindMaxResult,
  LoadProgress,
  RunObserver,
} from '../../../load/index.ts';
import type { LivePage } from '../../../report/index.ts';
import type { Io } from '../../io.ts';
import { LoadProgressLine } from './progress.ts';

/** The most seconds of a run that may not have been reported when it ends. */
const LAST_SECONDS = 4;

/** Shows the progress of load runs: as a line on stderr, and on the live page where there is one. */
export class LoadWatch implements RunObserver {
  readonly #io: Io;
  readonly #page: LivePage | null;
  #line: LoadProgressLine;
  #label = '';
  /** Label of a run that has not reported yet; the page shows the one before it until it does. */
  #next: string | null = null;

  constructor(io: Io, page: LivePage | null) {
    this.#io = io;
    this.#page = page;
    this.#line = new LoadProgressLine(io);
  }

  onStart(label: string): void {
    this.#line = new LoadProgressLine(this.#io, label);
    this.#label = label;
    this.#next = label;
  }

  onProgress(progress: LoadProgress): void {
    this.#line.show(progress);
    if (this.#page === null) return;
    if (this.#next !== null) this.#page.publish({ kind: 'begin', label: this.#next });
    this.#next = null;
    const { seconds, ...rest } = progress;
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
    this.#line.end();
  }

  /** Runs a search, and shows its trials. */
  async search(
    options: FindMaxOptions,
    findMax: (options: FindMaxOptions) => Promise<FindMaxResult>,
  ): Promise<FindMaxResult> {
    let trial = 1;
    this.#next = `trial ${trial}`;
    try {
      return await findMax({
        ...options,
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

  /** Writes a line that stays. */
  #say(text: string): void {
    this.#line.say(text);
    const label = this.#label === '' ? '' : `${this.#label}: `;
    this.#page?.publish({ kind: 'line', text: label + text });
  }
}

function summaryOf({ verdict, achieved, latencyUs }: LoadDocument): string {
  const p99Ms = (latencyUs.response.p99 / 1000).toFixed(2);
  return `${verdict}, ${Math.round(achieved.rate)}/s, p99 ${p99Ms} ms, ${achieved.failed} failed`;
}
