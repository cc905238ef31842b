import { type HistogramData, LatencyHistogram } from './histogram.ts';
import { mergeParts, type PartData, PartRecords } from './parts.ts';
import type { SharedStalls } from './shared-stalls.ts';

/** The measured window, monotonic clock, nanoseconds; requests planned outside it do not count. */
export interface MeasuredWindow {
  startNs: number;
  endNs: number;
}

/** Measurements of one second of the window. */
export interface SecondData {
  /** Seconds from the start of the window; late answers lie in seconds after its end. */
  second: number;
  /** Below 0 if a success reported for this second before is retracted. */
  ok: number;
  failed: number;
  /** Requests that were written in this second, whichever they were planned for. */
  sent: number;
  /** Requests that could be written in this second: they were due, and a connection was free. */
  ready: number;
  /** Response times of the successes of this second. */
  response: HistogramData;
}

/** Measurements of one generator as plain data; several merge without loss. */
export interface RecordedData {
  sent: number;
  ok: number;
  failed: number;
  /** Answers with status 200 whose shape was checked, malformed ones included. */
  checked: number;
  /** Requests that were sent twice, since the target closed their kept connection. */
  reconnected: number;
  /** Successful answers within the window, including those to requests of the warm-up. */
  okWithinWindow: number;
  /** From the window's start to the first answer of any kind, nanoseconds; null for none. */
  firstAnswerAfterNs: number | null;
  /** Latencies of the successful requests. */
  response: HistogramData;
  service: HistogramData;
  /** Response times of the failed requests, until they were given up. */
  failures: HistogramData;
  sendLag: HistogramData;
  /** The same requests by shape and stage. */
  parts: PartData[];
  statuses: Record<string, number>;
  errors: Record<string, number>;
  seconds: SecondData[];
}

/** Outcomes of the window so far: the number of answers by status, and of failures by kind. */
export type OutcomeCounts = Pick<RecordedData, 'statuses' | 'errors'>;

/** The record of a generator up to some moment, without what follows from it. */
export type RecordSoFar = Omit<
  RecordedData,
  | 'sent'
  | 'ok'
  | 'failed'
  | 'checked'
  | 'reconnected'
  | 'response'
  | 'service'
  | 'failures'
  | 'seconds'
>;

/** The whole record; the parts add up to its totals. */
export function wholeRecord(soFar: RecordSoFar, seconds: readonly SecondData[]): RecordedData {
  const { ok, failed, sent, checked, reconnected, ...latencies } = mergeParts(soFar.parts);
  return {
    ...soFar,
    sent,
    ok,
    failed,
    checked,
    reconnected,
    response: latencies.response.toData(),
    service: latencies.service.toData(),
    failures: latencies.failures.toData(),
    seconds: [...seconds],
  };
}

/** Failures of an answer with status 200 whose body is no list of estimates. */
export const SHAPE_FAULTS = ['answer-not-json', 'answer-shape'] as const;

/** One of {@link SHAPE_FAULTS}. */
export type ShapeFault = (typeof SHAPE_FAULTS)[number];

const isShapeFault = (fault: string | null): boolean =>
  (SHAPE_FAULTS as readonly (string | null)[]).includes(fault);

const NS_PER_S = 1e9;
const NO_SAMPLES: HistogramData = { slots: [], count: 0, sumUs: 0, minUs: 0, maxUs: 0 };
const NO_SENDS = { sent: 0, ready: 0, response: NO_SAMPLES } as const;

/**
 * Records the outcome of each request. A request belongs to the window by its planned time (in the
 * closed model, by the time its connection was free for it), whenever it is answered.
 */
export class Recorder {
  #window: MeasuredWindow;
  readonly #parts: PartRecords;
  readonly #sendLag = new LatencyHistogram();
  /** Send lag since the last {@link takeSendLagP99Us}, not yet part of the total. */
  readonly #newSendLag = new LatencyHistogram();
  /** Counts by status: cheaper than a map for every request. */
  readonly #statuses = new Float64Array(1000);
  readonly #errors = new Map<string, number>();
  readonly #secondHistogram = new LatencyHistogram();
  #second = 0;
  #secondOk = 0;
  #secondFailed = 0;
  /** The second of the latest write, and the writes in it so far. */
  #sendSecond = 0;
  #sendsOfSecond = 0;
  #readyOfSecond = 0;
  #closed: SecondData[] = [];
  #okWithinWindow = 0;
  #firstAnswerAfterNs: number | null = null;

  /**
   * @param stageStartsNs start of each stage of the window, monotonic clock; empty for one stage
   * @param shared as {@link PartRecords}
   */
  constructor(
    window: MeasuredWindow,
    stageStartsNs: readonly number[] = [],
    shared?: SharedStalls,
  ) {
    this.#window = window;
    this.#parts = new PartRecords(stageStartsNs, shared);
  }

  /** Ends the window early; what was recorded stays. */
  endWindowAt(endNs: number): void {
    this.#window = { ...this.#window, endNs: Math.min(this.#window.endNs, endNs) };
  }

  /**
   * Begins a stall of the generator. What is planned from then until its end is recorded apart, since the
   * target may have met a burst.
   */
  stall(fromNs: number): void {
    this.#parts.stall(fromNs);
  }

  endStall(untilNs: number): void {
    this.#parts.endStall(untilNs);
  }

  /**
   * Records a complete answer; any status but 200 is a failure (interface.md, "Errors"), and so is a
   * body with a fault.
   *
   * @param shape index of the request's shape, as in every method below
   * @returns true for a success
   */
  answered(
    plannedNs: number,
    sentNs: number,
    doneNs: number,
    status: number,
    fault: string | null = null,
    shape = 0,
  ): boolean {
    const ok = status === 200 && fault === null;
    if (this.#measures(doneNs)) {
      this.#firstAnswerAfterNs ??= doneNs - this.#window.startNs;
      if (ok) this.#okWithinWindow++;
    }
    if (!this.#measures(plannedNs)) return ok;
    this.#statuses[status] = (this.#statuses[status] as number) + 1;
    if (!ok) this.#countError(fault ?? `http-${status}`);
    if (isShapeFault(fault)) this.#parts.at(shape, plannedNs).malformed++;
    this.#take(plannedNs, sentNs, doneNs, ok, shape);
    return ok;
  }

  /** Counts a request that is sent again, since the target closed its kept connection. */
  reconnected(plannedNs: number, shape = 0): void {
    if (this.#measures(plannedNs)) this.#parts.at(shape, plannedNs).reconnected++;
  }

  /** Counts an answer whose shape is checked. */
  checked(plannedNs: number, shape = 0): void {
    if (this.#measures(plannedNs)) this.#parts.at(shape, plannedNs).checked++;
  }

  /** Turns a recorded success into a failure; the series keeps its time in the second reported before. */
  retract(plannedNs: number, sentNs: number, doneNs: number, kind: string, shape = 0): void {
    if (this.#measures(doneNs)) this.#okWithinWindow--;
    if (!this.#measures(plannedNs)) return;
    this.#countError(kind);
    const part = this.#parts.at(shape, plannedNs);
    const responseUs = (doneNs - plannedNs) / 1000;
    part.ok--;
    part.failed++;
    part.response.remove(responseUs);
    part.service.remove((doneNs - sentNs) / 1000);
    part.failures.record(responseUs);
    const second = this.#secondOf(doneNs);
    if (second === this.#second && this.#secondHistogram.count > 0) {
      this.#secondOk--;
      this.#secondFailed++;
      this.#secondHistogram.remove(responseUs);
    } else this.#closed.unshift({ second, ok: -1, failed: 1, ...NO_SENDS });
  }

  /** Records a request that failed without an answer; sentNs is null for one never sent. */
  broke(kind: string, plannedNs: number, sentNs: number | null, doneNs: number, shape = 0): void {
    if (!this.#measures(plannedNs)) return;
    this.#countError(kind);
    this.#take(plannedNs, sentNs, doneNs, false, shape);
  }

  /**
   * Records a write, and the time since the request could be sent: the generator's own delay.
   *
   * @param couldGoNs time at which it was due and a connection was free
   */
  sent(plannedNs: number, couldGoNs: number, sentNs: number): void {
    if (this.#measures(plannedNs)) this.#newSendLag.record((sentNs - couldGoNs) / 1000);
    if (sentNs < this.#window.startNs) return;
    const second = this.#secondOf(sentNs);
    if (second > this.#sendSecond) {
      this.#closeSends();
      this.#sendSecond = second;
    }
    this.#sendsOfSecond++;
    if (couldGoNs < this.#window.startNs) return;
    const readySecond = this.#secondOf(couldGoNs);
    if (readySecond === second) this.#readyOfSecond++;
    else this.#addReady(readySecond);
  }

  /** Counts a request that could have been sent in an earlier second; the newest of the seconds stays the last. */
  #addReady(second: number): void {
    const first = this.#closed[0];
    if (first?.second === second) first.ready++;
    else this.#closed.unshift({ second, ok: 0, failed: 0, ...NO_SENDS, ready: 1 });
  }

  /** Send lag p99 since the last call, microseconds; null if nothing was sent. */
  takeSendLagP99Us(): number | null {
    if (this.#newSendLag.count === 0) return null;
    const p99Us = this.#newSendLag.percentileUs(99);
    this.#sendLag.merge(this.#newSendLag.toData());
    this.#newSendLag.reset();
    return p99Us;
  }

  /** Returns the completed seconds that were not taken yet. */
  takeClosedSeconds(nowNs: number): SecondData[] {
    const second = this.#secondOf(nowNs);
    if (second > this.#sendSecond) this.#closeSends();
    if (second > this.#second) this.#closeSecond();
    return this.#takeClosed();
  }

  #takeClosed(): SecondData[] {
    const seconds = this.#closed;
    this.#closed = [];
    return seconds;
  }

  /** Returns everything; the seconds are those not taken yet, the last one included. */
  finish(): RecordedData {
    this.#closeSends();
    this.#closeSecond();
    return wholeRecord(this.soFar(), this.#takeClosed());
  }

  /** Returns everything but the seconds. */
  soFar(): RecordSoFar {
    const sendLag = new LatencyHistogram();
    sendLag.merge(this.#sendLag.toData());
    sendLag.merge(this.#newSendLag.toData());
    return {
      okWithinWindow: this.#okWithinWindow,
      firstAnswerAfterNs: this.#firstAnswerAfterNs,
      sendLag: sendLag.toData(),
      parts: this.#parts.toData(),
      ...this.counts(),
    };
  }

  counts(): OutcomeCounts {
    const seen = [...this.#statuses.entries()].filter(([, count]) => count > 0);
    return { statuses: Object.fromEntries(seen), errors: Object.fromEntries(this.#errors) };
  }

  #measures(plannedNs: number): boolean {
    return plannedNs >= this.#window.startNs && plannedNs < this.#window.endNs;
  }

  #countError(kind: string): void {
    this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1);
  }

  #take(
    plannedNs: number,
    sentNs: number | null,
    doneNs: number,
    ok: boolean,
    shape: number,
  ): void {
    const responseUs = (doneNs - plannedNs) / 1000;
    const part = this.#parts.at(shape, plannedNs);
    if (sentNs !== null) part.sent++;
    const second = this.#secondOf(doneNs);
    if (second > this.#second) {
      this.#closeSecond();
      this.#second = second;
    }
    if (ok) {
      part.ok++;
      part.response.record(responseUs);
      // A success was sent.
      part.service.record((doneNs - (sentNs ?? doneNs)) / 1000);
      this.#secondHistogram.record(responseUs);
      this.#secondOk++;
    } else {
      part.failed++;
      part.failures.record(responseUs);
      this.#secondFailed++;
    }
  }

  #secondOf(ns: number): number {
    return Math.max(0, Math.floor((ns - this.#window.startNs) / NS_PER_S));
  }

  #closeSends(): void {
    if (this.#sendsOfSecond === 0) return;
    const [sent, ready] = [this.#sendsOfSecond, this.#readyOfSecond];
    this.#close({ second: this.#sendSecond, ok: 0, failed: 0, ...NO_SENDS, sent, ready });
    this.#sendsOfSecond = 0;
    this.#readyOfSecond = 0;
  }

  #closeSecond(): void {
    if (this.#secondOk === 0 && this.#secondFailed === 0) return;
    this.#close({
      second: this.#second,
      ok: this.#secondOk,
      failed: this.#secondFailed,
      ...NO_SENDS,
      response: this.#secondHistogram.toData(),
    });
    this.#secondHistogram.reset();
    this.#secondOk = 0;
    this.#secondFailed = 0;
  }

  /** Adds a second, to the one added last where that is the same and only one of them has times. */
  #close(added: SecondData): void {
    const last = this.#closed.at(-1);
    const hasTimes = last !== undefined && last.response.count > 0;
    if (last?.second !== added.second || (hasTimes && added.response.count > 0)) {
      this.#closed.push(added);
      return;
    }
    last.ok += added.ok;
    last.failed += added.failed;
    last.sent += added.sent;
    last.ready += added.ready;
    if (!hasTimes) last.response = added.response;
  }
}
