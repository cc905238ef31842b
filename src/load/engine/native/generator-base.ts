import type { LoadPlan } from '../../plan.ts';
import { stageStartsMs } from '../../plan.ts';
import { type MeasuredWindow, Recorder, type RecordSoFar } from '../../record/recorder.ts';
import type { GeneratorSample } from '../../record/series.ts';
import { SharedStalls } from '../../record/shared-stalls.ts';
import { UsageMeter } from '../../record/usage.ts';
import type { EngineRun, GeneratorReport, GeneratorUpdate } from '../engine.ts';
import { AnswerCheck } from './answer-check.ts';
import { Connection, type ConnectionOwner } from './http/connection.ts';
import { type SocketOpener, socketOpener } from './http/socket-opener.ts';
import { RequestBuffers } from './request-buffers.ts';

/** One generator's part of a run; all but the clock and the function is data. */
export interface GeneratorTask extends Omit<EngineRun, 'onUpdate' | 'placement' | 'range'> {
  /** Index among the plan's generators, from 0. */
  generator: number;
  /** Memory of {@link SharedStalls}, and the generator's place in it; left out for one by itself. */
  stalls?: { readonly memory: SharedArrayBuffer; readonly own: number } | undefined;
  /** Start of the schedule, monotonic clock. */
  startNs: number;
  onUpdate: (update: GeneratorUpdate) => void;
}

/** Error kind of a request whose answer was followed by bytes that belong to no answer. */
const UNEXPECTED_BYTES = 'unexpected-bytes';
const SWEEP_NS = 50e6;
const UPDATE_NS = 200e6;
/** Longest wait for answers in flight after an interruption. */
const GRACE_NS = 1e9;
/** A request that waits for less is on its way: its connection is being opened, say. */
const BRIEF_NS = 100e6;

/** Common part of both models: connections, the record, timeouts, the end. */
export abstract class GeneratorBase implements ConnectionOwner {
  readonly finished: Promise<GeneratorReport>;
  protected readonly task: GeneratorTask;
  protected readonly plan: LoadPlan;
  protected readonly recorder: Recorder;
  protected readonly buffers: RequestBuffers;
  protected readonly meter: UsageMeter;
  protected readonly connections: Set<Connection> = new Set();
  /** End of the schedule. */
  protected endNs: number;
  protected busyCount = 0;
  /** True while the access token is replaced: nothing is sent. */
  protected paused = false;
  /** Time at which sending was last resumed: nothing could be sent before. */
  protected resumedNs = 0;
  protected unsentThoughFree = 0;
  protected done = false;
  #unexpectedBytes = 0;
  readonly #check: AnswerCheck;
  readonly #opener: SocketOpener;
  #startWindowNs: number;
  #cutNs: number;
  #nextSweepNs = 0;
  #nextUpdateNs = 0;
  #nextRecordNs = 0;
  #onPaused: (() => void) | null = null;
  #resolve: (report: GeneratorReport) => void = () => undefined;

  constructor(task: GeneratorTask) {
    const { plan, startNs } = task;
    this.task = task;
    this.plan = plan;
    this.meter = new UsageMeter(task.clock.threadUsage);
    this.#opener = socketOpener(plan.address);
    this.#startWindowNs = startNs + plan.warmupMs * 1e6;
    this.endNs = this.#startWindowNs + plan.durationMs * 1e6;
    // A request may wait for as long as its timeout, and take as long again.
    this.#cutNs = this.endNs + 2 * plan.timeoutMs * 1e6;
    this.recorder = new Recorder(
      { startNs: this.#startWindowNs, endNs: this.endNs },
      stageStartsMs(plan).map((startMs) => this.#startWindowNs + startMs * 1e6),
      task.stalls && new SharedStalls(task.stalls.memory, task.stalls.own),
    );
    this.buffers = new RequestBuffers(plan, task.requests, task.accessToken);
    this.#check = new AnswerCheck(plan, task.generator);
    this.finished = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Begins at the task's start time, which may lie ahead. */
  abstract begin(): void;
  abstract onClosedIdle(connection: Connection): void;
  /** Called once a new connection is free for a request. */
  protected abstract onFree(connection: Connection, atNs: number): void;
  /** Called once a request ended, successfully or not: its connection is free, or closed. */
  protected abstract onReleased(connection: Connection, atNs: number): void;
  protected abstract onNotOpened(connection: Connection, kind: string, atNs: number): void;
  protected abstract onResumed(nowNs: number): void;
  /** Number of due requests that wait for a connection. */
  protected abstract readonly waiting: number;
  /**
   * Told of the time at each event, before anything is recorded of it.
   *
   * @param plannedNs planned time of the request whose answer has just been read
   */
  protected abstract noticeTurn(nowNs: number, plannedNs?: number): void;
  /** Sends due requests as far as connections allow. */
  protected abstract sendDue(nowNs: number): void;
  /** Gives up requests that were due by then and have not been sent. */
  protected abstract giveUpUnsent(dueByNs: number, nowNs: number): void;

  monotonicNs(): number {
    return this.task.clock.monotonicNs();
  }

  setToken(accessToken: string): void {
    this.buffers.setToken(accessToken);
  }

  /** Stops sending, and resolves when nothing is in flight; planned times keep passing. */
  pause(): Promise<void> {
    this.paused = true;
    if (this.busyCount === 0 || this.done) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onPaused = resolve;
    });
  }

  /** Sends again, with this access token. */
  resume(accessToken: string): void {
    const nowNs = this.monotonicNs();
    this.buffers.setToken(accessToken);
    this.paused = false;
    this.resumedNs = nowNs;
    if (!this.done) this.onResumed(nowNs);
  }

  /** Plans nothing more, and ends the run after at most a second for what is on its way. */
  abort(): void {
    const nowNs = this.monotonicNs();
    if (this.done || nowNs >= this.endNs) return;
    // Requests that became due since the last turn of the loop are not late: they are sent.
    if (!this.paused) this.sendDue(nowNs);
    this.endNs = nowNs;
    this.#cutNs = nowNs + Math.min(GRACE_NS, this.plan.timeoutMs * 1e6);
    this.recorder.endWindowAt(nowNs);
    // While the token is replaced, it is the generator that makes requests wait.
    if (!this.paused) this.giveUpUnsent(nowNs - BRIEF_NS, nowNs);
    this.finishIfIdle(nowNs);
  }

  onOpen(connection: Connection, atNs: number): void {
    this.noticeTurn(atNs);
    if (!connection.isAgain) {
      this.onFree(connection, atNs);
      return;
    }
    const { slot, plannedNs, reader } = connection;
    const { capture } = reader;
    connection.send(this.buffers.at(slot), plannedNs);
    reader.capture = capture;
  }

  onLost(connection: Connection): void {
    const { plannedNs, shape } = connection;
    this.connections.delete(connection);
    this.recorder.reconnected(plannedNs, shape);
    this.connections.add(new Connection(this.#opener, this, connection));
  }

  onAnswer(connection: Connection, atNs: number): void {
    const { plannedNs, sentNs, shape, reader, overran } = connection;
    const { status } = reader.head;
    const body = reader.capture ? reader.takeBody() : null;
    this.noticeTurn(atNs, plannedNs);
    this.busyCount--;
    if (connection.open && this.plan.newConnections) connection.destroy();
    if (!connection.open) this.connections.delete(connection);
    this.onReleased(connection, atNs);
    if (overran) this.#unexpectedBytes++;
    const isChecked = body !== null && status === 200 && !overran;
    const fault = overran ? UNEXPECTED_BYTES : isChecked ? this.#check.faultOf(body) : null;
    if (isChecked) this.recorder.checked(plannedNs, shape);
    connection.succeeded = this.recorder.answered(plannedNs, sentNs, atNs, status, fault, shape);
    this.finishIfIdle(atNs);
  }

  /**
   * Unexpected bytes may arrive with an answer or just after it, by chance of the network: the end of
   * the answer is unknown either way, so its success is retracted.
   */
  onUnexpectedBytes(connection: Connection): void {
    this.#unexpectedBytes++;
    const { succeeded, plannedNs, sentNs, freeSinceNs, shape } = connection;
    if (succeeded) this.recorder.retract(plannedNs, sentNs, freeSinceNs, UNEXPECTED_BYTES, shape);
    this.onClosedIdle(connection);
  }

  onBroken(connection: Connection, kind: string, atNs: number): void {
    this.noticeTurn(atNs);
    this.connections.delete(connection);
    if (connection.busy) {
      this.busyCount--;
      const { plannedNs, sentNs, shape } = connection;
      this.recorder.broke(kind, plannedNs, sentNs, atNs, shape);
      this.onReleased(connection, atNs);
    } else this.onNotOpened(connection, kind, atNs);
    this.finishIfIdle(atNs);
  }

  /** Planned time of the oldest request in flight, or the given one if that is older. */
  protected oldestInFlightNs(plannedNs: number): number {
    let oldestNs = plannedNs;
    for (const one of this.connections) if (one.busy) oldestNs = Math.min(oldestNs, one.plannedNs);
    return oldestNs;
  }

  protected openConnection(): void {
    this.connections.add(new Connection(this.#opener, this));
  }

  /** Sends a request, and records its send lag. */
  protected send(connection: Connection, slot: number, plannedNs: number, couldGoNs: number): void {
    this.busyCount++;
    connection.isAgain = false;
    connection.slot = slot;
    connection.shape = this.buffers.shapeAt(slot);
    connection.send(this.buffers.at(slot), plannedNs);
    connection.reader.capture = this.#check.wantsNext(plannedNs >= this.#startWindowNs);
    this.recorder.sent(plannedNs, Math.max(couldGoNs, this.resumedNs), connection.sentNs);
  }

  protected get window(): MeasuredWindow {
    return { startNs: this.#startWindowNs, endNs: this.endNs };
  }

  /** Handles timeouts, completed seconds and the end of the run; to be called often. */
  protected sweep(nowNs: number): void {
    if (nowNs < this.#nextSweepNs || this.done) return;
    this.#nextSweepNs = nowNs + SWEEP_NS;
    const stoodStill = this.meter.read(nowNs, this.window, this.task.clock.uptimeNs?.() ?? null);
    // What has arrived meanwhile is read first.
    if (!stoodStill) this.#timeOut(nowNs);
    if (nowNs >= this.#nextUpdateNs) {
      this.#nextUpdateNs = nowNs + UPDATE_NS;
      const seconds = this.recorder.takeClosedSeconds(nowNs);
      const figures = seconds.length > 0 && {
        counts: this.recorder.counts(),
        sample: this.#sampleAt(nowNs),
        record: this.#recordAt(nowNs),
      };
      this.task.onUpdate({ seconds, waiting: this.waiting, ...figures });
    }
    if (nowNs >= this.#cutNs) {
      this.giveUpUnsent(nowNs, nowNs);
      for (const connection of this.connections) {
        if (connection.busy) this.#drop(connection, 'unanswered', nowNs);
      }
    }
    this.finishIfIdle(nowNs);
  }

  /** The record so far, if one is due. */
  #recordAt(nowNs: number): RecordSoFar | undefined {
    const { recordEveryMs } = this.task;
    if (recordEveryMs === undefined || nowNs < this.#nextRecordNs) return undefined;
    this.#nextRecordNs = nowNs + recordEveryMs * 1e6;
    return this.recorder.soFar();
  }

  protected finishIfIdle(nowNs: number): void {
    if (this.#onPaused !== null && this.busyCount === 0) {
      this.#onPaused();
      this.#onPaused = null;
    }
    if (this.done || nowNs < this.endNs || this.busyCount > 0 || this.waiting > 0) return;
    this.done = true;
    for (const connection of this.connections) connection.destroy();
    this.connections.clear();
    this.#resolve({
      record: this.recorder.finish(),
      usage: this.meter.finish(nowNs),
      unsentThoughFree: this.unsentThoughFree,
      unexpectedBytes: this.#unexpectedBytes,
      faultSamples: this.#check.samples,
    });
  }

  #sampleAt(nowNs: number): GeneratorSample {
    return { ...this.meter.lap(nowNs), sendLagP99Us: this.recorder.takeSendLagP99Us() };
  }

  #timeOut(nowNs: number): void {
    const limitNs = this.plan.timeoutMs * 1e6;
    for (const connection of this.connections) {
      if (connection.busy && nowNs - connection.sentNs >= limitNs) {
        this.#drop(connection, 'timeout', nowNs);
      } else if (!connection.open && nowNs - connection.openedNs >= limitNs) {
        this.#drop(connection, 'connect-timeout', nowNs);
      }
    }
  }

  #drop(connection: Connection, kind: string, nowNs: number): void {
    const { busy } = connection;
    connection.destroy();
    connection.busy = busy;
    this.onBroken(connection, kind, nowNs);
    connection.busy = false;
  }
}
