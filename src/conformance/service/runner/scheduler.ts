/** A task that may wait for a time of the target's clock by {@link Scheduler.reach}. */
export type Task = () => Promise<void>;

type MoveTo = (atMs: number, rules: readonly string[]) => Promise<number>;

interface Waiting {
  readonly atMs: number;
  readonly rules: readonly string[];
  readonly resolve: (nowMs: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs tasks a few at a time, and moves the one clock of their target only when each of them waits
 * for it or has ended: so no request of one task grows old by the move of another.
 */
export class Scheduler {
  readonly #limit: number;
  readonly #moveTo: MoveTo;
  readonly #queue: (() => void)[] = [];
  #waiting: readonly Waiting[] = [];
  #running = 0;
  #moving = false;

  /**
   * @param limit tasks that run at once
   * @param moveTo moves the target's clock to a time at least, for rules, and returns where it stands
   */
  constructor(limit: number, moveTo: MoveTo) {
    this.#limit = limit;
    this.#moveTo = moveTo;
  }

  /** Runs all tasks to their end; rejects with the first error, after all have ended. */
  async run(tasks: readonly Task[]): Promise<void> {
    const ends = await Promise.allSettled(tasks.map((task) => this.#runOne(task)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /**
   * Waits, inside a task, until the target's clock stands at `atMs` or later; resolves with where
   * it stands.
   *
   * @param rules ids of the rules that the task waits for
   */
  reach(atMs: number, rules: readonly string[] = []): Promise<number> {
    return new Promise<number>((resolve, reject) => {
      this.#waiting = [...this.#waiting, { atMs, rules, resolve, reject }];
      this.#leave();
    });
  }

  /** Waits, inside a task, until each other task has ended, or waits for that as well. */
  async othersEnd(): Promise<void> {
    await this.reach(Number.POSITIVE_INFINITY);
  }

  async #runOne(task: Task): Promise<void> {
    await new Promise<void>((start) => {
      this.#queue.push(start);
      this.#pump();
    });
    try {
      await task();
    } finally {
      this.#leave();
    }
  }

  #leave(): void {
    this.#running--;
    this.#pump();
  }

  #pump(): void {
    while (this.#running < this.#limit && this.#queue.length > 0) {
      this.#running++;
      this.#queue.shift()?.();
    }
    if (this.#running > 0 || this.#waiting.length === 0 || this.#moving) return;
    this.#moving = true;
    void this.#move();
  }

  async #move(): Promise<void> {
    const earliest = Math.min(...this.#waiting.map(({ atMs }) => atMs));
    const rules = this.#waiting.filter(({ atMs }) => atMs === earliest).flatMap((one) => one.rules);
    try {
      const isTime = Number.isFinite(earliest);
      const now = isTime ? await this.#moveTo(earliest, rules) : earliest;
      this.#moving = false;
      const dueMs = Math.max(now, earliest);
      for (const { resolve } of this.#release(dueMs)) resolve(now);
    } catch (error) {
      this.#moving = false;
      for (const { reject } of this.#release(Number.POSITIVE_INFINITY)) reject(error);
    }
  }

  /** Those released run at once, even beyond the limit: they are in the middle of a measurement. */
  #release(dueMs: number): readonly Waiting[] {
    const released = this.#waiting.filter(({ atMs }) => atMs <= dueMs);
    this.#waiting = this.#waiting.filter(({ atMs }) => atMs > dueMs);
    this.#running += released.length;
    return released;
  }
}
