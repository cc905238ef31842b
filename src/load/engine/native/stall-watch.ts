import type { Recorder } from '../../record/recorder.ts';

/**
 * Length of a stall's aftermath, as a multiple of the stall, after which the target is what is slow: a queue that a
 * target of which nine tenths are in use had built up meanwhile is gone by then.
 */
const LONGEST_AFTERMATH = 10;

/**
 * Finds the stalls of a generator, and tells the recorder. A stall lasts until everything that was
 * due by its end has been sent, and no more requests are in flight than before it: until then the target may be busy
 * with the burst.
 */
export class StallWatch {
  readonly #stallNs: number;
  readonly #recorder: Pick<Recorder, 'stall' | 'endStall'>;
  /** Time at which the generator is to be awake again. */
  #expectedNs = Number.POSITIVE_INFINITY;
  #isOpen = false;
  /** Time until which planned requests are still to be sent. */
  #backlogUntilNs = 0;
  /** Requests in flight before it. */
  #inFlightBefore = 0;
  #latestEndNs = 0;

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

  /**
   * @param oldestNs planned time of the oldest request that is in flight or due
   * @param lateNs time for which the generator did nothing
   * @param inFlight number of requests that wait for a response, those included whose response is read late
   */
  begin(oldestNs: number, lateNs: number, inFlight: number, nowNs: number): void {
    if (!this.#isOpen) {
      this.#recorder.stall(oldestNs);
      this.#inFlightBefore = inFlight;
      this.#latestEndNs = 0;
    }
    this.#isOpen = true;
    this.#backlogUntilNs = nowNs;
    this.#latestEndNs = Math.max(this.#latestEndNs, nowNs + LONGEST_AFTERMATH * lateNs);
  }

  /**
   * To be called after each turn.
   *
   * @param oldestDueNs planned time of the oldest request that waits; `Infinity` for none
   */
  endIfOver(oldestDueNs: number, inFlight: number, nowNs: number): void {
    if (!this.#isOpen || oldestDueNs <= this.#backlogUntilNs) return;
    if (inFlight > this.#inFlightBefore && nowNs < this.#latestEndNs) return;
    this.#isOpen = false;
    this.#recorder.endStall(nowNs);
  }
}
