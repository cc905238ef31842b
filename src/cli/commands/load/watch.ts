import type { LoadDocument } from '../../../documents/load.ts';
import type {
  FindMaxOptions,
  FindMaxResult,
  LoadProgress,
  RunObserver,
} from '../../../load/index.ts';
import type { LivePage } from '../../../report/index.ts';
import type { Io } from '../../io.ts';
import { ProgressLine } from '../../output/progress-line.ts';

/** The most seconds of a run that may not have been reported when it ends. */
const LAST_SECONDS = 4;

/** Between two lines where stderr is not a terminal, so that a log stays short. */
const PLAIN_EVERY_S = 5;

/**
 * Shows the progress of load runs on the live page, where there is one, and on stderr: one line drawn
 * over on a terminal, plain lines elsewhere.
 */
export class LoadWatch implements RunObserver {
  readonly #line: ProgressLine;
  readonly #interactive: boolean;
  readonly #page: LivePage | null;
  #nextPlainS = PLAIN_EVERY_S;
  /** Put before each line: empty, or such as `run 3 of 10: `. */
  #label = '';
  /** Label of a run that has not reported yet; the page shows the one before it until it does. */
  #next: string | null = null;

  constructor(io: Io, page: LivePage | null) {
    this.#line = new ProgressLine(io);
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
    this.#line.erase();
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

  #showLine(progress: LoadProgress): void {
    if (this.#interactive) {
      this.#line.draw(this.#label + describe(progress));
    } else if (progress.elapsedS >= this.#nextPlainS) {
      this.#nextPlainS = progress.elapsedS + PLAIN_EVERY_S - 0.5;
      this.#line.write(this.#label + describe(progress));
    }
  }

  /** Writes a line that stays. */
  #say(text: string): void {
    this.#line.write(this.#label + text);
    this.#page?.publish({ kind: 'line', text: this.#label + text });
  }
}

function describe(progress: LoadProgress): string {
  const { phase, elapsedS, totalS, rate, p50Us, p99Us, failed, seconds } = progress;
  // The plan of the second whose rate is shown: on a ramp, more is due by now.
  const plannedRate = seconds.at(-1)?.plannedRate ?? progress.plannedRate;
  const planned = plannedRate === null ? '' : ` of ${Math.round(plannedRate)}`;
  const leftS = Math.max(0, totalS - elapsedS);
  return `${phase}: ${Math.round(rate)}${planned}/s, p50 ${ms(p50Us)}, p99 ${ms(p99Us)}, ${failed} failed, ${leftS.toFixed(0)} s left`;
}

/** `–` without a success, whose latency is 0. */
const ms = (us: number): string =>
  us === 0 ? '–' : `${(us / 1000).toFixed(us < 10_000 ? 2 : 0)} ms`;

function summaryOf({ verdict, reason, achieved, latencyUs }: LoadDocument): string {
  if (verdict === 'invalid') return `invalid: ${reason}`;
  const p99Ms = (latencyUs.response.p99 / 1000).toFixed(2);
  return `${verdict}, ${Math.round(achieved.rate)}/s, p99 ${p99Ms} ms, ${achieved.failed} failed`;
}
