import { FareproofError } from '../../interface/errors.ts';
import { Deferred } from '../deferred.ts';
import type {
  GeneratorHandle,
  GeneratorRange,
  GeneratorReport,
  GeneratorUpdate,
  TokenUser,
} from './engine.ts';
import type { GeneratorOrder, GeneratorWord } from './orders.ts';

/** Generators that run elsewhere, and the way to them. */
export interface RemoteOptions {
  readonly range: GeneratorRange;
  readonly send: (order: GeneratorOrder) => void;
  /** Ends all of them. */
  readonly close: () => void;
  readonly onUpdate: (generator: number, update: GeneratorUpdate) => void;
  /** Put before the message of an error of theirs. */
  readonly label?: string | undefined;
  /** Turns a time of this clock into one of theirs, nanoseconds. */
  readonly theirNs?: ((startNs: number) => number) | undefined;
}

/** Generators that run elsewhere, as handles of this thread; one message is for all of them. */
export class RemoteGenerators {
  readonly handles: readonly GeneratorHandle[];
  /** Number of updates that did not arrive. */
  missingUpdates = 0;
  /** Start of the run, by this clock; null before. */
  startNs: number | null = null;
  readonly #options: RemoteOptions;
  readonly #ready = new Deferred<void>();
  readonly #reports: ReadonlyMap<number, Deferred<GeneratorReport>>;
  #paused = new Deferred<void>();
  #updates = 0;

  constructor(options: RemoteOptions) {
    this.#options = options;
    const { from, count } = options.range;
    const indexes = Array.from({ length: count }, (_, index) => from + index);
    this.#reports = new Map(indexes.map((index) => [index, new Deferred()]));
    this.handles = indexes.map((index) => this.#handle(index, index === from));
  }

  /** Resolves when they are ready to start. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Generators whose report is not there. */
  get open(): number[] {
    return [...this.#reports].flatMap(([index, { isSettled }]) => (isSettled ? [] : index));
  }

  /** Takes their word. */
  take(word: GeneratorWord): void {
    const { onUpdate, label = '' } = this.#options;
    switch (word.kind) {
      case 'ready':
        this.#ready.resolve();
        break;
      case 'failed':
        this.fail(new FareproofError(word.code, label + word.message));
        break;
      case 'paused':
        this.#paused.resolve();
        break;
      case 'update':
        this.#countMissing(word.number - 1);
        this.#updates = word.number;
        onUpdate(word.generator, word.update);
        break;
      case 'report':
        this.#countMissing(word.updates);
        this.report(word.generator, word.report);
        break;
    }
  }

  /** Takes a report, which may be made for a generator that is gone. */
  report(generator: number, report: GeneratorReport): void {
    this.#reports.get(generator)?.resolve(report);
    if (this.open.length === 0) this.#paused.resolve();
  }

  /** Ends what is still waited for. */
  fail(error: FareproofError): void {
    for (const one of [this.#ready, this.#paused, ...this.#reports.values()]) one.reject(error);
  }

  #handle(index: number, isFirst: boolean): GeneratorHandle {
    return {
      run: (startNs, ending) => {
        if (isFirst) this.#start(startNs, ending);
        return this.#reports.get(index)!.promise;
      },
      token: isFirst ? this.#tokenUser() : null,
      close: () => {
        if (isFirst) this.#options.close();
      },
    };
  }

  #start(startNs: number, ending: AbortSignal): void {
    const { send, theirNs = (ns) => ns } = this.#options;
    this.startNs = startNs;
    send({ kind: 'start', startNs: theirNs(startNs) });
    const end = (): void => send({ kind: 'end' });
    if (ending.aborted) end();
    ending.addEventListener('abort', end, { once: true });
  }

  #tokenUser(): TokenUser {
    const { send } = this.#options;
    return {
      setToken: (accessToken) => send({ kind: 'token', accessToken }),
      pause: () => {
        // Who has reported sends nothing any more.
        if (this.open.length > 0) this.#paused = new Deferred();
        send({ kind: 'pause' });
        return this.#paused.promise;
      },
      resume: (accessToken) => send({ kind: 'resume', accessToken }),
    };
  }

  /** Counts the updates that should have arrived before a word, and did not. */
  #countMissing(before: number): void {
    this.missingUpdates += Math.max(0, before - this.#updates);
    this.#updates = Math.max(before, this.#updates);
  }
}
