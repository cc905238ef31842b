import type { LoadProgress } from '../../load/index.ts';
import type { Io } from '../io.ts';

/** A line that a narrow terminal would wrap could not be drawn over: it is cut at the edge. */
const CLEAR = '\r\u001b[2K';
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';
/** Without a terminal a line comes only so often, or a log would fill. */
const PLAIN_EVERY_S = 5;

/** How a load run stands, on stderr: one line drawn over on a terminal, plain lines elsewhere. */
export class LoadProgressLine {
  readonly #io: Pick<Io, 'stderr' | 'interactive'>;
  readonly #label: string;
  #drawn = false;
  #nextPlainS = PLAIN_EVERY_S;

  /** @param label said before each line, such as `run 3 of 10` */
  constructor(io: Pick<Io, 'stderr' | 'interactive'>, label = '') {
    this.#io = io;
    this.#label = label === '' ? '' : `${label}: `;
  }

  show(progress: LoadProgress): void {
    if (this.#io.interactive) {
      this.#io.stderr.write(`${CLEAR}${NO_WRAP}${this.#label}${describe(progress)}${WRAP}`);
      this.#drawn = true;
    } else if (progress.elapsedS >= this.#nextPlainS) {
      this.#nextPlainS = progress.elapsedS + PLAIN_EVERY_S - 0.5;
      this.say(describe(progress));
    }
  }

  /** A line that stays. */
  say(text: string): void {
    this.end();
    this.#io.stderr.write(`${this.#label}${text}\n`);
  }

  end(): void {
    if (this.#drawn) this.#io.stderr.write(CLEAR);
    this.#drawn = false;
  }
}

function describe(progress: LoadProgress): string {
  const { phase, elapsedS, totalS, rate, p50Us, p99Us, failed, seconds } = progress;
  // Of the second whose rate is told, where there is one: on a ramp more is due by now.
  const plannedRate = seconds.at(-1)?.plannedRate ?? progress.plannedRate;
  const planned = plannedRate === null ? '' : ` of ${Math.round(plannedRate)}`;
  const leftS = Math.max(0, totalS - elapsedS);
  return `${phase}: ${Math.round(rate)}${planned}/s, p50 ${ms(p50Us)}, p99 ${ms(p99Us)}, ${failed} failed, ${leftS.toFixed(0)} s left`;
}

const ms = (us: number): string => `${(us / 1000).toFixed(us < 10_000 ? 2 : 0)} ms`;
