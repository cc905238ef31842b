import type { Recorder } from '../../record/recorder.ts';

/**
 * Finds the stalls of a generator of the open model, and tells the recorder. A stall lasts until everything that was
 * due by its end has been sent, and all that was under way then is answered: until then the target may be
 * busy with the burst.
 */
export class StallWatch {
  readonly #stallNs: number;
  readonly #recorder: Pick<Recorder, 'stall' | 'endStall'>;
  /** Time at which the generator is to be awake again. */
  #expectedNs = Number.POSITIVE_INFINITY;
  #isOpen = false;
  /** Time until which planned requests are still to be sent; null once they were. */
  #backlogUntilNs: number | null = null;
  /** Sends up to then are part of the stall. */
  #sentUntilNs = 0;
  #underWay = 0;

  /** @param stallNs delay from which it is a stall */
  constructor(stallNs: number, recorder: Pick<Recorder, 'stall' | 'endStall'>) {
    this.#stallNs = stallNs;
    this.#recorder = recorder;
  }

  /** The generator sleeps until then, or less long. */
  wakeAt(ns: number): void {
    this.#expectedNs = ns;
  }

  /** Time by which the generator woke late, if that is a stall; else 0. From now on it is awake. */
  lateNs(nowNs: number): number {
    const lateNs = nowNs - this.#expectedNs;
    this.#expectedNs = Math.max(nowNs, this.#expectedNs);
    return lateNs >= this.#stallNs ? lateNs : 0;
  }

  /** @param oldestNs planned time of the oldest request that is under way or due */
  begin(oldestNs: number, nowNs: number): void {
    if (!this.#isOpen) this.#recorder.stall(oldestNs);
    this.#isOpen = true;
    this.#backlogUntilNs = nowNs;
  }

  /**
   * @param oldestDueNs planned time of the oldest request that waits
   * @param underWay number of requests that wait for an answer
   */
  sentUpTo(oldestDueNs: number, underWay: number, nowNs: number): void {
    if (this.#backlogUntilNs === null || oldestDueNs <= this.#backlogUntilNs) return;
    this.#backlogUntilNs = null;
    this.#sentUntilNs = nowNs;
    this.#underWay = underWay;
    this.#endIfAnswered(nowNs);
  }

  /** A request that was sent then is answered, or has failed. */
  released(sentNs: number, nowNs: number): void {
    if (!this.#isOpen || this.#backlogUntilNs !== null || sentNs > this.#sentUntilNs) return;
    this.#underWay--;
    this.#endIfAnswered(nowNs);
  }

  #endIfAnswered(nowNs: number): void {
    if (this.#underWay > 0) return;
    this.#isOpen = false;
    this.#recorder.endStall(nowNs);
  }
}
