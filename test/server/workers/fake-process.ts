import type { FromWorker, ToWorker } from '../../../src/server/workers/messages.ts';
import type { ForkWorker, WorkerEvents } from '../../../src/server/workers/worker-link.ts';

/** A worker's process that does what a test says. */
export interface FakeProcess {
  readonly received: ToWorker[];
  send(message: FromWorker): void;
  /** Ends it as if by itself. */
  exit(): void;
}

/** Processes that were forked, in their order; killing one ends it. */
export class FakeProcesses {
  readonly all: FakeProcess[] = [];
  readonly #onFork: (process: FakeProcess) => void;

  /** @param onFork called with each process that is forked */
  constructor(onFork: (process: FakeProcess) => void = () => undefined) {
    this.#onFork = onFork;
  }

  readonly fork: ForkWorker = (events: WorkerEvents) => {
    const received: ToWorker[] = [];
    const exit = (): void => events.exit();
    const process: FakeProcess = { received, send: (message) => events.message(message), exit };
    this.all.push(process);
    queueMicrotask(() => this.#onFork(process));
    return { send: (message) => void received.push(message), kill: exit };
  };
}

export const ACKNOWLEDGED: FromWorker = { kind: 'acknowledged', fastPathAnswers: 0 };
