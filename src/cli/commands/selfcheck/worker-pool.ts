import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { untilAborted } from '../../io.ts';
import { judgeTask, type Task, type TaskAnswer } from './task.ts';

const WORKER = new URL('./worker.js', import.meta.url);

/** Judges one task at a time. */
interface Hand {
  judge(task: Task): Promise<TaskAnswer>;
  close(): Promise<void>;
}

/** Judges tasks a few at a time, each hand in a thread of its own. */
export class Crew {
  readonly #hands: readonly Hand[];

  /**
   * @param size threads; where the worker is not compiled (the sources run as they are), tasks that
   * run at once in this thread
   */
  constructor(size: number) {
    const compiled = existsSync(WORKER);
    this.#hands = Array.from({ length: size }, () => (compiled ? startThread() : inThisThread));
  }

  /**
   * Judges all tasks; those not begun when `signal` aborts are left out, those under way are not
   * waited for.
   *
   * @param atOnce so many in this thread; null for one in each of the crew's
   * @param onAnswer told of each as it ends, in no certain order
   */
  async judgeAll(
    tasks: readonly Task[],
    atOnce: number | null,
    signal: AbortSignal,
    onAnswer: (task: Task, answer: TaskAnswer) => void,
  ): Promise<void> {
    const waiting = [...tasks];
    const hands =
      atOnce === null ? this.#hands : Array.from({ length: atOnce }, () => inThisThread);
    const work = hands.map(async (hand) => {
      for (let task = waiting.shift(); task; task = waiting.shift()) {
        if (signal.aborted) return;
        const answer = await hand.judge(task);
        if (!signal.aborted) onAnswer(task, answer);
      }
    });
    await Promise.race([Promise.all(work), untilAborted(signal)]);
  }

  /** Ends the threads, whatever they are at. */
  async close(): Promise<void> {
    await Promise.all(this.#hands.map((hand) => hand.close()));
  }
}

const inThisThread: Hand = { judge: judgeTask, close: async () => {} };

function startThread(): Hand {
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
