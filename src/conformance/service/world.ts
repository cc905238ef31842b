import type { SeededRandom } from '../seeded-random.ts';
import { type InProcessTarget, inProcess } from './http/in-process.ts';
import type { OpenTransport } from './http/message.ts';
import { WorldClock } from './world-clock.ts';

/** Services in this process, each at a host of its own; they, and the runs that judge them, live by one clock. */
export class World extends WorldClock {
  readonly openTransport: OpenTransport;
  readonly #targets = new Map<string, InProcessTarget>();

  /**
   * @param startMs wall clock at the start, ms since the epoch
   * @param random draws the time that requests and answers take
   */
  constructor(startMs: number, random: Pick<SeededRandom, 'next'>) {
    super(startMs);
    const answer: InProcessTarget = (request) => {
      const target = this.#targets.get(request.url.hostname);
      if (target === undefined) throw new Error(`nothing answers at ${request.url.hostname}`);
      return target(request);
    };
    this.openTransport = inProcess(answer, this, random);
  }

  /** The host of the service that joins next. */
  get nextHost(): string {
    return `127.0.0.${this.#targets.size + 1}`;
  }

  /** Adds a service at {@link nextHost}. */
  join(target: InProcessTarget): void {
    this.#targets.set(this.nextHost, target);
  }
}
