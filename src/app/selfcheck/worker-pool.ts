import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { untilAborted } from '../surroundings.ts';
import { judgeTask, type Task, type TaskAnswer } from './sides.ts';

const WORKER = new URL('./worker.js', import.meta.url);

/** Judges one task at a time. */
interface TaskWorker {
  judge(task: Task): Promise<TaskAnswer>;
  close(): Promise<void>;
}

/** Judges tasks in parallel, one worker per thread. */
export class WorkerPool {
  readonly #workers: readonly TaskWorker[];

  /**
   * @param size number of threads; where the worker is not compiled (the sources run as they are),
   *   of tasks in parallel in this thread
   */
  constructor(size: number) {
    const isCompiled = existsSync(WORKER);
    this.#workers = Array.from({ length: size }, () => (isCompiled ? startThread() : inThisThread));
  }

  /**
   * Judges all tasks. Those not begun when `signal` aborts are left out, those under way are not
   * waited for.
   *
   * @param inParallel number of tasks in parallel in this thread; null for one in each of the pool's
   * @param onAnswer called as each task ends, in no certain order
   */
  async judgeAll(
    tasks: readonly Task[],
    inParallel: number | null,
    signal: AbortSignal,
    onAnswer: (task: Task, answer: TaskAnswer) => void,
  ): Promise<void> {
    const waiting = [...tasks];
    const workers =
      inParallel === null ? this.#workers : Array.from({ length: inParallel }, () => inThisThread);
    const work = workers.map(async (worker) => {
      for (let task = waiting.shift(); task; task = waiting.shift()) {
        if (signal.aborted) return;
        const answer = await worker.judge(task);
        if (!signal.aborted) onAnswer(task, answer);
      }
    });
    await Promise.race([Promise.all(work), untilAborted(signal)]);
  }

  /** Ends the threads, also in the middle of a task. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }
}

const inThisThread: TaskWorker = { judge: judgeTask, close: async () => {} };

function startThread(): TaskWorker {
  const worker = new Worker(WORKER);
  let settle: ((answer: TaskAnswer) => void) | null = null;
  let ended: string | null = null;
  const end = (why: string): void => {
    ended ??= why;
    settle?.({ ok: false, message: ended });
  };
  worker.on('message', (answer: TaskAnswer) => settle?.(answer));
  worker.on('error', (error) => end(error.message));
  worker.on('exit', () => end('its thread ended'));
  return {
    judge: (task) =>
      new Promise((resolve) => {
        if (ended !== null) return resolve({ ok: false, message: ended });
        settle = resolve;
        worker.postMessage(task);
      }),
    close: async () => {
      await worker.terminate();
    },
  };
}
