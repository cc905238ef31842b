import { shareOfConnections } from '../../plan.ts';
import { TICK_NS } from '../../record/heartbeat.ts';
import { GeneratorBase, type GeneratorTask } from './generator-base.ts';
import type { Connection } from './http/connection.ts';
import { StallWatch } from './stall-watch.ts';

/** Pause after a connection that could not be opened. */
const RETRY_MS = 100;

/**
 * The closed model: each connection sends its next request when the answer to the last one is there.
 * A target that stalls gets fewer requests, which hides the stall; the open model does not.
 */
export class ClosedModel extends GeneratorBase {
  #slot = 0;
  /** Connections that became free while sending is paused. */
  #parked: Connection[] = [];
  readonly #stalls: StallWatch;

  constructor(task: GeneratorTask) {
    super(task);
    // A busy event loop is a tick late often.
    this.#stalls = new StallWatch(Math.max(task.plan.stallUs * 1000, TICK_NS), this.recorder);
  }

  /** Sets apart the requests whose responses were read late; no burst follows, as each sends one at a time. */
  protected override noticeTurn(nowNs: number, plannedNs: number = nowNs): void {
    const lateNs = this.#stalls.lateNs(nowNs);
    if (lateNs === 0) return;
    this.#stalls.begin(this.oldestInFlightNs(plannedNs), lateNs, this.busyCount, nowNs);
    this.#stalls.endIfOver(Number.POSITIVE_INFINITY, this.busyCount, nowNs);
  }

  begin(): void {
    // Generators start at different requests, so that together they send them all.
    this.#slot = Math.floor((this.task.generator * this.buffers.size) / this.plan.generators);
    this.#startOnTime();
  }

  protected onFree(connection: Connection, atNs: number): void {
    const { newConnections } = this.plan;
    this.#sendNext(connection, newConnections ? connection.openedNs : atNs, atNs);
  }

  /** No request was lost, and the connection is still needed. */
  onClosedIdle(connection: Connection): void {
    this.connections.delete(connection);
    this.#reopen();
  }

  protected onReleased(connection: Connection, atNs: number): void {
    if (connection.open) this.#sendNext(connection, atNs, atNs);
    else this.#reopen();
  }

  /** Fails the next request: the connection was opened for it. */
  protected onNotOpened(connection: Connection, kind: string, atNs: number): void {
    const shape = this.buffers.shapeAt(this.#slot++);
    this.recorder.broke(kind, connection.openedNs, null, atNs, shape);
    setTimeout(() => this.#reopen(), RETRY_MS);
  }

  // The closed model plans nothing ahead, and a free connection has sent its next request already.
  protected sendDue(): void {}
  protected giveUpUnsent(): void {}
  protected readonly waiting = 0;

  protected onResumed(nowNs: number): void {
    const parked = this.#parked;
    this.#parked = [];
    for (const connection of parked) {
      if (connection.open) this.#sendNext(connection, nowNs, nowNs);
    }
  }

  /** A timer may fire a little early, and what is sent before the start counts for nothing. */
  #startOnTime(): void {
    const aheadMs = (this.task.startNs - this.monotonicNs()) / 1e6;
    if (aheadMs > 0) {
      setTimeout(() => this.#startOnTime(), aheadMs);
      return;
    }
    const ticker = setInterval(() => {
      const nowNs = this.monotonicNs();
      this.noticeTurn(nowNs);
      this.#stalls.wakeAt(nowNs + TICK_NS);
      this.meter.tick(nowNs, this.window);
      this.sweep(nowNs);
    }, TICK_NS / 1e6);
    void this.finished.then(() => clearInterval(ticker));
    const count = shareOfConnections(this.plan, this.task.generator);
    for (let index = 0; index < count; index++) this.#reopen();
  }

  #reopen(): void {
    if (!this.done && this.monotonicNs() < this.endNs) this.openConnection();
  }

  #sendNext(connection: Connection, plannedNs: number, couldGoNs: number): void {
    if (this.done || couldGoNs >= this.endNs) return;
    if (this.paused) {
      this.#parked.push(connection);
      return;
    }
    this.send(connection, this.#slot++, plannedNs, couldGoNs);
  }
}
