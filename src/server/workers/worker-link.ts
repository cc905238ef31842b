import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../../interface/index.ts';
import type { Change, FromWorker, ToWorker } from './messages.ts';

const PROCESS = new URL('./worker-process.js', import.meta.url);

/** The process of a worker. */
export interface WorkerProcess {
  /** Sends a message; a process that has ended gets none. */
  send(message: ToWorker): void;
  /** Ends it at once. */
  kill(): void;
}

/** Listeners of a worker's process. */
export interface WorkerEvents {
  readonly message: (message: FromWorker) => void;
  /** It has ended, and nothing comes from it any more. */
  readonly exit: () => void;
}

/** Starts the process of a worker. */
export type ForkWorker = (events: WorkerEvents) => WorkerProcess;

/**
 * Starts a worker of `node:cluster`, whose workers share the port that they listen on.
 *
 * @throws ConfigurationError `WORKERS_NOT_POSSIBLE` within a worker of `node:cluster`, or if this package
 * runs from source
 */
export const forkWorker: ForkWorker = (events) => {
  const exec = fileURLToPath(PROCESS);
  if (!cluster.isPrimary) throw notPossible('this process is a worker of node:cluster itself');
  if (!existsSync(exec)) throw notPossible('it is not compiled');
  // The settings are those of the whole process, which may have workers of its own.
  const { exec: otherExec, args: otherArgs, serialization } = cluster.settings;
  cluster.setupPrimary({ exec, args: [], serialization: 'advanced' });
  const worker = cluster.fork();
  if (otherExec !== undefined)
    cluster.setupPrimary({
      exec: otherExec,
      args: otherArgs ?? [],
      serialization: serialization ?? 'json',
    });
  worker.on('message', (message: FromWorker) => events.message(message));
  worker.on('exit', events.exit);
  // It ends, which the exit tells.
  worker.on('error', () => undefined);
  return {
    send: (message) => {
      if (worker.isConnected()) worker.send(message, () => undefined);
    },
    kill: () => void worker.process.kill('SIGKILL'),
  };
};

function notPossible(why: string): ConfigurationError {
  return new ConfigurationError(
    'WORKERS_NOT_POSSIBLE',
    `The server cannot have workers here (${why}); use one worker.`,
  );
}

/** Beats after which a worker that gives no sign of life is silent. */
export const BEATS_PER_SILENCE = 4;
/** Beats that a worker has to start: on a busy machine it gets no core for seconds. */
const BEATS_TO_START = 120;

/** Message of a worker to the owner's service. */
export type WorkerReport = Extract<FromWorker, { kind: 'request' | 'logged' | 'broken' }>;

/** The owner's end of a worker: its start, the changes that it has not acknowledged, its silence. */
export class WorkerLink {
  /** Resolves once it takes messages; rejects with a ConfigurationError if it ends before. */
  readonly loaded: Promise<void>;
  /** Resolves once it listens; rejects with a ConfigurationError if it cannot, or ends before. */
  readonly ready: Promise<void>;
  /** Resolves once its process has ended. */
  readonly ended: Promise<void>;
  /** Set from the moment from which it may get connections. */
  isServing = false;
  /** True once it has listened. */
  isReady = false;
  /** Estimates that its fast path has answered, as far as it has said. */
  fastPathAnswers = 0;
  readonly #process: WorkerProcess;
  /** Ends of {@link push}, oldest first. */
  readonly #unacknowledged: (() => void)[] = [];
  #quietBeats = 0;
  #hasEnded = false;

  /**
   * Starts the process.
   *
   * @param report takes its messages for the service
   * @throws ConfigurationError `WORKERS_NOT_POSSIBLE`
   */
  constructor(fork: ForkWorker, report: (message: WorkerReport) => void) {
    const loading = openPromise();
    const starting = openPromise();
    const ending = openPromise();
    this.loaded = loading.promise;
    this.ready = starting.promise;
    this.ended = ending.promise;
    this.#process = fork({
      message: (message) => {
        switch (message.kind) {
          case 'loaded':
            return loading.resolve();
          case 'ready':
            this.isReady = true;
            this.#quietBeats = 0;
            return starting.resolve();
          case 'failed':
            return starting.reject(new ConfigurationError(message.code, message.message));
          case 'acknowledged':
            return this.#acknowledge(message.fastPathAnswers);
          default:
            report(message);
        }
      },
      exit: () => {
        this.#hasEnded = true;
        for (const resolve of this.#unacknowledged.splice(0)) resolve();
        const error = new ConfigurationError('WORKER_ENDED', 'A worker ended before it listened.');
        loading.reject(error);
        starting.reject(error);
        ending.resolve();
      },
    });
  }

  send(message: ToWorker): void {
    this.#process.send(message);
  }

  /** Sends changes; resolves once they are in effect, or the worker has ended. */
  push(changes: readonly Change[]): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    this.send({ kind: 'changes', changes });
    return new Promise((resolve) => this.#unacknowledged.push(resolve));
  }

  /**
   * Asks for a sign of life. Called at regular times; a call that comes late counts once, so that a pause
   * of the owner is no silence of the worker.
   *
   * @returns true if the worker has been silent for as long as it may
   */
  beat(): boolean {
    if (!this.isReady) return ++this.#quietBeats >= BEATS_TO_START;
    if (this.#unacknowledged.length === 0) {
      this.#quietBeats = 0;
      void this.push([]);
      return false;
    }
    this.#quietBeats++;
    return this.#quietBeats >= BEATS_PER_SILENCE;
  }

  kill(): void {
    this.#process.kill();
  }

  #acknowledge(fastPathAnswers: number): void {
    this.fastPathAnswers = fastPathAnswers;
    this.#quietBeats = 0;
    this.#unacknowledged.shift()?.();
  }
}

interface OpenPromise {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A promise that is settled from outside; nobody has to wait for it. */
function openPromise(): OpenPromise {
  let settle: Pick<OpenPromise, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => undefined);
  return { promise, ...settle! };
}
