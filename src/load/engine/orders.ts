import { FareproofError } from '../../interface/errors.ts';
import {
  type GeneratorHandle,
  type GeneratorReport,
  type GeneratorUpdate,
  tokenUserOf,
} from './engine.ts';

/** An order to generators that run elsewhere: in a thread, or in an agent. */
export type GeneratorOrder =
  | { readonly kind: 'start'; readonly startNs: number }
  | { readonly kind: 'token'; readonly accessToken: string }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume'; readonly accessToken: string }
  /** Ends the run early: what was measured is reported. */
  | { readonly kind: 'end' };

/** Word of such generators. */
export type GeneratorWord =
  | { readonly kind: 'ready' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  /** Numbered from 1 over all of them: a gap is a lost message. */
  | {
      readonly kind: 'update';
      readonly number: number;
      readonly generator: number;
      readonly update: GeneratorUpdate;
    }
  | {
      readonly kind: 'report';
      readonly generator: number;
      /** Number of the last update before it. */
      readonly updates: number;
      readonly report: GeneratorReport;
    };

/** Generators of this thread that obey orders from elsewhere. */
export class ServedGenerators {
  readonly #from: number;
  readonly #send: (word: GeneratorWord) => void;
  readonly #ending = new AbortController();
  #handles: readonly GeneratorHandle[] = [];
  #updates = 0;
  #isClosed = false;

  /** @param from index of the first of them */
  constructor(from: number, send: (word: GeneratorWord) => void) {
    this.#from = from;
    this.#send = send;
  }

  /** True from when they are ready until they are closed. */
  get areReady(): boolean {
    return this.#handles.length > 0 && !this.#isClosed;
  }

  /** Sends an update of one of them. */
  update(generator: number, update: GeneratorUpdate): void {
    this.#updates++;
    this.#tell({ kind: 'update', number: this.#updates, generator, update });
  }

  /** Takes them, and says that they are ready. */
  begin(handles: readonly GeneratorHandle[]): void {
    this.#handles = handles;
    if (this.#isClosed) this.close();
    this.#tell({ kind: 'ready' });
  }

  obey(order: GeneratorOrder): void {
    const token = tokenUserOf(this.#handles);
    switch (order.kind) {
      case 'start':
        for (const index of this.#handles.keys()) void this.#run(index, order.startNs);
        break;
      case 'token':
        token.setToken(order.accessToken);
        break;
      case 'pause':
        void token.pause().then(() => this.#tell({ kind: 'paused' }));
        break;
      case 'resume':
        token.resume(order.accessToken);
        break;
      case 'end':
        this.#ending.abort();
        break;
    }
  }

  fail(error: unknown): void {
    const { code, message } =
      error instanceof FareproofError ? error : generatorFailed((error as Error).message);
    if (!this.#isClosed) this.#send({ kind: 'failed', code, message });
  }

  /** Ends them, started or not; nothing is sent any more. */
  close(): void {
    this.#isClosed = true;
    for (const handle of this.#handles) handle.close();
  }

  async #run(index: number, startNs: number): Promise<void> {
    const generator = this.#from + index;
    try {
      const report = await this.#handles[index]!.run(startNs, this.#ending.signal);
      this.#tell({ kind: 'report', generator, updates: this.#updates, report });
    } catch (error) {
      this.fail(error);
    }
  }

  #tell(word: GeneratorWord): void {
    if (this.#isClosed) return;
    try {
      this.#send(word);
    } catch (error) {
      this.fail(error);
    }
  }
}

/** Error for a generator that failed itself. */
export function generatorFailed(why: string): FareproofError {
  return new FareproofError(
    'GENERATOR_FAILED',
    `A generator of the load run failed (${why}); please report it.`,
  );
}
