import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { WorldClock } from '../../src/conformance/service/world-clock.ts';
import type { LoadClock } from '../../src/load/clock.ts';
import type { Chance } from '../independent-service/chance.ts';

/** Wall clock at the start, ms since the epoch. */
const START_MS = 1.7e12;

/** Turn of the event loop of a thread that has little to do. */
export const SHORT_TURN_NS = 40e3;

/** Time in which a thread gets no core, nanoseconds of the machine's clock. */
export type Pause = readonly [fromNs: number, untilNs: number];

/** Thread of a machine, with an event loop of its own. */
export interface Thread {
  /** First time from one on at which it has a core. */
  readonly runsFromNs: (atNs: number) => number;
  /** Time that a turn of its event loop takes, nanoseconds. */
  readonly turnNs: number;
  busyUntilNs: number;
  cpuNs: number;
  coreWaitNs: number;
}

/** Makes a thread; by default one that always has a core. */
export const threadOf = (
  pauses: () => readonly Pause[] = () => [],
  turnNs = SHORT_TURN_NS,
  slice: { readonly eachNs: number; readonly onNs: number } | null = null,
): Thread => ({
  runsFromNs: (atNs) => {
    const woken = pauses().reduce(
      (ns, [from, until]) => (ns >= from && ns < until ? until : ns),
      atNs,
    );
    if (slice === null || woken % slice.eachNs < slice.onNs) return woken;
    return woken + slice.eachNs - (woken % slice.eachNs);
  },
  turnNs,
  busyUntilNs: 0,
  cpuNs: 0,
  coreWaitNs: 0,
});

/** Connection to a target that the machine's sockets lead to. */
export interface Peer {
  /** @param atNs time at which a request is there */
  receive(socket: MachineSocket, atNs: number): void;
  /** @returns false if connections are refused then */
  accept(atNs: number): boolean;
  /** Time of a message on its way, nanoseconds. */
  readonly tripNs: number;
}

const REAL = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
};
const connectInReality = net.connect;

/** Timer of a machine. */
class Timer {
  isOver = false;

  unref(): this {
    return this;
  }
}

/** Turns of all threads in which a program is to end. */
const MOST_TURNS = 3e6;

/**
 * Machine of a world: its timers, clocks and sockets are those of Node while a program runs on it, and its time
 * moves from event to event.
 */
export class Machine {
  /** Time in which it was suspended, nanoseconds. */
  suspendedNs = 0;
  readonly #chance: Chance;
  readonly #world = new WorldClock(START_MS);
  /** Thread that programs begin on. */
  readonly main: Thread = threadOf();
  #current: Thread = this.main;
  #turns = 0;
  #fail: (error: Error) => void = () => undefined;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  readonly clock: LoadClock = {
    now: () => this.#world.now(),
    monotonicNs: () => this.nowNs,
    uptimeNs: () => this.nowNs + this.suspendedNs,
    threadUsage: () => {
      const { cpuNs, coreWaitNs } = this.#current;
      const activeMs = (cpuNs + coreWaitNs) / 1e6;
      return { cpuNs, coreWaitNs, activeMs, idleMs: this.nowNs / 1e6 - activeMs };
    },
  };

  get nowNs(): number {
    return this.#world.monotonicNs();
  }

  /** The thread that runs. */
  get thread(): Thread {
    return this.#current;
  }

  /** Lets something happen on a thread; default the one that runs. */
  at(atNs: number, run: () => void, thread: Thread = this.#current): void {
    this.#world.after((atNs - this.nowNs) / 1e6, () => this.#turn(thread, run));
  }

  /** Runs something at once that belongs to a thread. */
  on<T>(thread: Thread, run: () => T): T {
    const before = this.#current;
    this.#current = thread;
    try {
      return run();
    } finally {
      this.#current = before;
    }
  }

  /** Runs a program to its end; rejects as it does, and if it does not end. */
  async run<T>(peer: Peer, program: () => Promise<T>): Promise<T> {
    this.#install(peer);
    try {
      const failed = new Promise<never>((_, reject) => (this.#fail = reject));
      return await Promise.race([program(), failed]);
    } finally {
      Object.assign(globalThis, REAL);
      net.connect = connectInReality;
      syncBuiltinESMExports();
    }
  }

  /** A turn of a thread's event loop, once it has a core and has ended the one before. */
  #turn(thread: Thread, run: () => void): void {
    if (++this.#turns > MOST_TURNS) {
      this.#fail(new Error(`no end after ${MOST_TURNS} turns`));
      return;
    }
    const { nowNs } = this;
    const atNs = thread.runsFromNs(Math.max(nowNs, thread.busyUntilNs));
    if (atNs > nowNs) {
      thread.coreWaitNs += atNs - Math.max(nowNs, thread.busyUntilNs);
      thread.busyUntilNs = atNs;
      this.at(atNs, run, thread);
      return;
    }
    try {
      this.on(thread, run);
    } catch (error) {
      this.#fail(error as Error);
    }
    thread.cpuNs += thread.turnNs;
    thread.busyUntilNs = nowNs + thread.turnNs;
  }

  #install(peer: Peer): void {
    const begin = (ms: number, run: () => void): Timer => {
      const timer = new Timer();
      // A timer fires a little late.
      const ns = (Math.max(1, ms) + 0.05 + 0.2 * this.#chance.draw()) * 1e6;
      this.at(this.nowNs + ns, () => timer.isOver || run());
      return timer;
    };
    const end = (timer?: Timer | null): void => {
      if (timer) timer.isOver = true;
    };
    const repeat = (run: () => void, ms: number): Timer => {
      const timer = new Timer();
      const again = (): void => {
        if (timer.isOver) return;
        run();
        begin(ms, again);
      };
      begin(ms, again);
      return timer;
    };
    Object.assign(globalThis, {
      setTimeout: (run: () => void, ms = 0) => begin(ms, run),
      clearTimeout: end,
      setInterval: repeat,
      clearInterval: end,
      setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) =>
        this.at(this.nowNs, () => run(...args)),
    });
    net.connect = ((options: { onread: net.OnReadOpts }) =>
      new MachineSocket(this, peer, options.onread)) as unknown as typeof net.connect;
    syncBuiltinESMExports();
  }
}

/** Socket of a machine, as far as the engine uses one. */
export class MachineSocket extends EventEmitter {
  readonly #machine: Machine;
  readonly #peer: Peer;
  readonly #thread: Thread;
  readonly #onread: net.OnReadOpts;
  #isOver = false;
  /** Number of requests that were sent on it. */
  requests = 0;

  constructor(machine: Machine, peer: Peer, onread: net.OnReadOpts) {
    super();
    this.#machine = machine;
    this.#peer = peer;
    this.#thread = machine.thread;
    this.#onread = onread;
    const openNs = machine.nowNs + 2 * peer.tripNs;
    this.#later(openNs, () => {
      if (peer.accept(openNs)) this.emit('connect');
      else this.#fail('ECONNREFUSED');
    });
  }

  setNoDelay(): void {}

  setTimeout(): void {}

  write(_request: Buffer): void {
    this.requests++;
    this.#peer.receive(this, this.#machine.nowNs + this.#peer.tripNs);
  }

  /** Brings bytes, once they have come from the target. */
  bring(text: string, fromNs: number): void {
    this.#later(fromNs + this.#peer.tripNs, () => {
      const { buffer, callback } = this.#onread;
      const length = (buffer as Buffer).write(text, 'latin1');
      callback(length, buffer as Buffer);
    });
  }

  /** Closes it from the target's side; with a reset where bytes of the client were lost. */
  close(fromNs: number, isReset: boolean): void {
    this.#later(fromNs + this.#peer.tripNs, () => {
      if (isReset) this.#fail('ECONNRESET');
      else this.emit('end');
    });
  }

  destroy(): void {
    this.#isOver = true;
  }

  #fail(code: string): void {
    this.emit('error', Object.assign(new Error(code), { code }));
  }

  #later(atNs: number, run: () => void): void {
    this.#machine.at(atNs, () => this.#isOver || run(), this.#thread);
  }
}
