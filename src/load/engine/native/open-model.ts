import { Schedule, shareOfConnections } from '../../plan.ts';
import { DueQueue } from './due-queue.ts';
import { GeneratorBase, type GeneratorTask } from './generator-base.ts';
import type { Connection } from './http/connection.ts';
import { StallWatch } from './stall-watch.ts';

/**
 * A timer fires after whole milliseconds, and a little later; the rest is spent in a spin. A generator that spins
 * all the time has used up its share of a core when another thread, such as that of the command, wants it.
 */
const SPIN_NS = 0.3e6;
const LATEST_TIMER_NS = 2e6;
const LONGEST_SLEEP_NS = 50e6;

/**
 * The open model: each request is sent at its planned time, whatever became of earlier ones. If no
 * connection is free another one is opened, up to the plan's limit; beyond it requests wait, and
 * their response time runs.
 */
export class OpenModel extends GeneratorBase {
  readonly #schedule: Schedule;
  readonly #due = new DueQueue();
  /** Longest free first; the ones freed last are used first. */
  readonly #free: Connection[] = [];
  readonly #mostConnections: number;
  #opening = 0;
  /** Planned time of the next slot. */
  #nextNs = 0;
  /** Start of the last turn where it ended in a spin; else 0. */
  #spinningSinceNs = 0;
  #worked = false;
  readonly #stalls: StallWatch;

  constructor(task: GeneratorTask) {
    super(task);
    const { plan, generator } = task;
    this.#schedule = new Schedule(plan, { generator, generators: plan.generators });
    this.#mostConnections = shareOfConnections(plan, generator);
    this.#stalls = new StallWatch(plan.stallUs * 1000, this.recorder);
    this.#planNext();
  }

  begin(): void {
    this.#arm(this.monotonicNs());
  }

  protected onFree(connection: Connection, atNs: number): void {
    this.#opening--;
    this.#worked = true;
    this.#free.push(connection);
    this.#advance(atNs);
  }

  onClosedIdle(connection: Connection): void {
    this.connections.delete(connection);
    const at = this.#free.indexOf(connection);
    if (at >= 0) this.#free.splice(at, 1);
  }

  /**
   * Requests that wait while all connections are busy wait for the target, stall or not, unless the generator is
   * often late: then answers may wait for it.
   */
  protected override noticeTurn(nowNs: number, plannedNs = nowNs): void {
    const lateNs = this.#stalls.lateNs(nowNs);
    if (lateNs === 0) return;
    const isFull = this.#due.length > 0 && this.connections.size >= this.#mostConnections;
    if (isFull) this.meter.holdUp(lateNs, nowNs, this.window);
    else this.#beginStall(lateNs, nowNs, plannedNs);
  }

  /**
   * Notes a pause: answers on their way are read late, and requests that were due are sent late.
   *
   * @param readNs planned time of a request whose answer was read late already
   */
  #beginStall(lateNs: number, nowNs: number, readNs: number = nowNs): void {
    const oldestNs = this.oldestInFlightNs(Math.min(this.#nextNs, readNs));
    this.#stalls.begin(Math.min(this.#oldestDueNs, oldestNs), lateNs, this.busyCount, nowNs);
  }

  #endStallIfOver(nowNs: number): void {
    this.#stalls.endIfOver(this.#oldestDueNs, this.busyCount, nowNs);
  }

  get #oldestDueNs(): number {
    return this.#due.length > 0 ? this.#due.oldestNs : Number.POSITIVE_INFINITY;
  }

  protected onReleased(connection: Connection, atNs: number): void {
    this.#worked = true;
    if (connection.open) this.#free.push(connection);
    this.#advance(atNs);
  }

  /** Fails the oldest waiting request: the connection was opened for it. */
  protected onNotOpened(_connection: Connection, kind: string, atNs: number): void {
    this.#opening--;
    this.#worked = true;
    if (this.#due.length > 0) {
      this.#failOldest(kind, atNs);
    }
    this.#advance(atNs);
  }

  protected sendDue(nowNs: number): void {
    this.#takeDue(nowNs);
    this.#dispatch(nowNs);
  }

  protected giveUpUnsent(dueByNs: number, nowNs: number): void {
    this.#takeDue(nowNs);
    while (this.#due.length > 0 && this.#due.oldestNs <= dueByNs) this.#giveUpOldest(nowNs);
  }

  protected get waiting(): number {
    return this.#due.length;
  }

  /** Sends at once the requests that became due during the pause, as after a stall. */
  protected onResumed(nowNs: number): void {
    this.#worked = true;
    this.#takeDue(nowNs);
    if (this.#due.length > 0) this.#beginStall(nowNs - this.#due.oldestNs, nowNs);
    this.#advance(nowNs);
  }

  readonly #wake = (): void => {
    const nowNs = this.monotonicNs();
    if (this.#spinningSinceNs > 0 && !this.#worked) {
      this.meter.spunNs += nowNs - this.#spinningSinceNs;
    }
    this.#worked = false;
    this.noticeTurn(nowNs);
    this.#advance(nowNs);
    this.sweep(nowNs);
    if (!this.done) this.#arm(nowNs);
  };

  #arm(nowNs: number): void {
    const dueNs = nowNs < this.endNs ? this.#nextNs : Number.POSITIVE_INFINITY;
    // Awake often enough to know whether answers were read late.
    const stallNs =
      this.busyCount > 0 ? Math.max(this.plan.stallUs * 1000, LATEST_TIMER_NS) : LONGEST_SLEEP_NS;
    const untilNs = Math.min(dueNs - nowNs, stallNs, LONGEST_SLEEP_NS);
    const sleepMs = Math.floor((untilNs - SPIN_NS) / 1e6);
    if (sleepMs >= 1) {
      this.#spinningSinceNs = 0;
      this.#stalls.wakeAt(Math.min(dueNs, nowNs + sleepMs * 1e6 + LATEST_TIMER_NS));
      setTimeout(this.#wake, sleepMs);
    } else {
      this.#spinningSinceNs = nowNs;
      setImmediate(this.#wake);
    }
  }

  /** Queues what is due by now, and sends as much as connections allow. */
  #advance(nowNs: number): void {
    this.#takeDue(nowNs);
    if (this.#due.length === 0) {
      this.#endStallIfOver(nowNs);
      return;
    }
    this.giveUpUnsent(nowNs - this.plan.timeoutMs * 1e6, nowNs);
    if (this.paused) return;
    this.#dispatch(nowNs);
    this.#endStallIfOver(nowNs);
    this.#openWanted();
  }

  #takeDue(nowNs: number): void {
    while (this.#nextNs <= nowNs && this.#nextNs < this.endNs) {
      this.#due.push(this.#nextNs, this.#schedule.slot);
      this.#planNext();
    }
  }

  #planNext(): void {
    this.#nextNs = this.task.startNs + this.#schedule.nextNs();
  }

  /** The i-th waiting request could be sent once i connections were free, whichever takes it. */
  #dispatch(nowNs: number): void {
    this.#dropStale(nowNs);
    const free = this.#free;
    const count = Math.min(free.length, this.#due.length);
    for (let index = 0; index < count; index++) {
      const plannedNs = this.#due.oldestNs;
      const slot = this.#due.oldestSlot;
      this.#due.shift();
      const freeSinceNs = (free[index] as Connection).freeSinceNs;
      const connection = free[free.length - 1 - index] as Connection;
      this.send(connection, slot, plannedNs, Math.max(plannedNs, freeSinceNs));
    }
    if (count > 0) {
      this.#worked = true;
      free.length -= count;
    }
  }

  /** Drops connections that the server may close at any moment: a request would be lost with one. */
  #dropStale(nowNs: number): void {
    while (this.#free.length > 0 && !(this.#free[0] as Connection).isKeptAt(nowNs)) {
      const stale = this.#free.shift() as Connection;
      this.connections.delete(stale);
      stale.destroy();
    }
  }

  #openWanted(): void {
    let wanted = this.#due.length - this.#opening;
    while (wanted-- > 0 && this.connections.size < this.#mostConnections) {
      this.#opening++;
      this.#worked = true;
      this.openConnection();
    }
  }

  #giveUpOldest(nowNs: number): void {
    const expiresNs = this.#due.oldestNs + this.plan.timeoutMs * 1e6;
    const [free] = this.#free;
    // One that became free later could not have taken it in time.
    if (free !== undefined && free.freeSinceNs < expiresNs && !this.paused) this.unsentThoughFree++;
    this.#failOldest('unsent', nowNs);
  }

  #failOldest(kind: string, nowNs: number): void {
    const { oldestNs, oldestSlot } = this.#due;
    this.recorder.broke(kind, oldestNs, null, nowNs, this.buffers.shapeAt(oldestSlot));
    this.#due.shift();
  }
}
