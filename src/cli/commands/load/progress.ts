import type { LoadProgress } from '../../../load/index.ts';
import type { Io } from '../../io.ts';
import { ProgressLine } from '../../output/progress-line.ts';

/** Between two lines where stderr is not a terminal, so that a log stays short. */
const PLAIN_EVERY_S = 5;

/** Progress of a load run on stderr: one line drawn over on a terminal, plain lines elsewhere. */
export class LoadProgressLine {
  readonly #line: ProgressLine;
  readonly #interactive: boolean;
  readonly #label: string;
  #nextPlainS = PLAIN_EVERY_S;

  /** @param label put before each line, such as `run 3 of 10` */
  constructor(io: Pick<Io, 'stderr' | 'interactive'>, label = '') {
    this.#line = new ProgressLine(io);
    this.#interactive = io.interactive;
    this.#label = label === '' ? '' : `${label}: `;
  }

  show(progress: LoadProgress): void {
    if (this.#interactive) {
      this.#line.draw(this.#label + describe(progress));
    } else if (progress.elapsedS >= this.#nextPlainS) {
      this.#nextPlainS = progress.elapsedS + PLAIN_EVERY_S - 0.5;
      this.say(describe(progress));
    }
  }

  /** Writes a line that stays. */
  say(text: string): void {
    this.#line.write(this.#label + text);
  }

  end(): void {
    this.#line.erase();
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

const ms = (us: number): string => `${(us / 1000).toFixed(us < 10_000 ? 2 : 0)} ms`;
