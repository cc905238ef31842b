import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../../interface/index.ts';
import type { FromWorker, ToWorker } from './messages.ts';

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
