import type { LoadPlan } from '../../src/load/plan.ts';
import { Schedule } from '../../src/load/plan.ts';
import { Chance } from '../independent-service/chance.ts';
import { ESTIMATE_RECORD } from '../support/estimate-record.ts';
import type { MachineSocket, Peer } from './machine.ts';

/** Fault of a target under load; times are from the start of the schedule, in ms. */
export type TargetFault =
  /** It does nothing for a while. */
  | { readonly kind: 'stalls'; readonly atMs: number; readonly forMs: number }
  /** Its connections are reset, and new ones refused for a while. */
  | { readonly kind: 'dies'; readonly atMs: number; readonly forMs: number }
  /** It refuses all requests of a second beyond a number. */
  | { readonly kind: 'limits'; readonly perS: number }
  /** One request in so many is answered by an error. */
  | { readonly kind: 'errors'; readonly each: number }
  /** One request in so many takes longer. */
  | { readonly kind: 'slows'; readonly each: number; readonly byMs: number }
  /** It closes each connection some time after so many answers, announced or not. */
  | {
      readonly kind: 'closes';
      readonly after: number;
      readonly inMs: number;
      readonly says: boolean;
    };

/** Target of a load, as data. */
export interface TargetPlan {
  readonly seed: number;
  readonly serviceMs: number;
  /** Requests that it serves at once. */
  readonly workers: number;
  readonly faults: readonly TargetFault[];
}

/** Answer of a target; null status: the connection is reset. */
interface Answer {
  readonly atNs: number;
  readonly status: number | null;
}

const BODY = JSON.stringify([ESTIMATE_RECORD]);
const TRIP_NS = 100e3;

/** Target of a world, which knows by itself when it answers what. */
export class LoadTarget implements Peer {
  readonly tripNs = TRIP_NS;
  /** Start of the schedule; before it is known, nothing befalls the target. */
  startNs = Number.POSITIVE_INFINITY;
  /** Number of requests that reached it. */
  received = 0;
  readonly #plan: TargetPlan;
  readonly #chance: Chance;
  readonly #freeNs: number[];
  readonly #perSecond = new Map<number, number>();
  readonly #closed = new WeakMap<MachineSocket, number>();
  readonly #met: Record<string, number>;

  constructor(plan: TargetPlan, met: Record<string, number> = {}) {
    this.#plan = plan;
    this.#met = met;
    this.#chance = new Chance(plan.seed);
    this.#freeNs = Array.from({ length: plan.workers }, () => 0);
  }

  accept(atNs: number): boolean {
    return !this.#isDeadAt(atNs);
  }

  receive(socket: MachineSocket, atNs: number): void {
    if (atNs >= (this.#closed.get(socket) ?? Number.POSITIVE_INFINITY)) {
      socket.close(atNs, true);
      return;
    }
    const answer = this.answerTo(atNs);
    if (answer.status === null) {
      socket.close(answer.atNs, true);
      return;
    }
    const closes = this.#of('closes')[0];
    const isLast = closes !== undefined && socket.requests >= closes.after;
    const head = [
      `HTTP/1.1 ${answer.status} ${answer.status === 200 ? 'OK' : 'No'}`,
      'Content-Type: application/json',
      `Content-Length: ${BODY.length}`,
      ...(isLast && closes.says ? ['Connection: close'] : []),
    ];
    socket.bring(`${head.join('\r\n')}\r\n\r\n${BODY}`, answer.atNs);
    if (!isLast) return;
    this.#note('closes');
    const closesNs = answer.atNs + closes.inMs * 1e6;
    this.#closed.set(socket, closesNs);
    socket.close(closesNs, false);
  }

  /** Answers a request that reaches it then; they come in order. */
  answerTo(atNs: number): Answer {
    const number = ++this.received;
    if (this.#isDeadAt(atNs)) return { atNs, status: null };
    const second = Math.floor((atNs - this.startNs) / 1e9);
    const ofSecond = (this.#perSecond.get(second) ?? 0) + 1;
    this.#perSecond.set(second, ofSecond);
    for (const { perS } of this.#of('limits')) {
      if (ofSecond > perS) return this.#refuse('limits', atNs, 429);
    }
    for (const { each } of this.#of('errors')) {
      if (number % each === 0) return this.#refuse('errors', atNs, 500);
    }
    let serviceNs = this.#plan.serviceMs * 1e6 * (0.75 + 0.5 * this.#chance.draw());
    for (const { each, byMs } of this.#of('slows')) {
      if (number % each !== 0) continue;
      this.#note('slows');
      serviceNs += byMs * 1e6;
    }
    const freeNs = Math.min(...this.#freeNs);
    const begunNs = Math.max(atNs, freeNs);
    let doneNs = begunNs + serviceNs;
    for (const { atMs, forMs } of this.#of('stalls')) {
      const fromNs = this.startNs + atMs * 1e6;
      if (begunNs >= fromNs + forMs * 1e6 || doneNs <= fromNs) continue;
      this.#note('stalls');
      doneNs += fromNs + forMs * 1e6 - Math.max(fromNs, begunNs);
    }
    const dies = this.#of('dies').find((one) => {
      const fromNs = this.startNs + one.atMs * 1e6;
      return doneNs > fromNs && begunNs < fromNs;
    });
    if (dies) return { atNs: this.startNs + dies.atMs * 1e6, status: null };
    this.#freeNs[this.#freeNs.indexOf(freeNs)] = doneNs;
    return { atNs: doneNs, status: 200 };
  }

  #refuse(kind: TargetFault['kind'], atNs: number, status: number): Answer {
    this.#note(kind);
    return { atNs: atNs + 2e6, status };
  }

  #isDeadAt(atNs: number): boolean {
    return this.#of('dies').some(({ atMs, forMs }) => {
      const ms = (atNs - this.startNs) / 1e6;
      const isDead = ms >= atMs && ms < atMs + forMs;
      if (isDead) this.#note('dies');
      return isDead;
    });
  }

  #of<K extends TargetFault['kind']>(kind: K): readonly Extract<TargetFault, { kind: K }>[] {
    return this.#plan.faults.filter(
      (fault): fault is Extract<TargetFault, { kind: K }> => fault.kind === kind,
    );
  }

  #note(kind: string): void {
    this.#met[kind] = (this.#met[kind] ?? 0) + 1;
  }
}

/** Figures that a generator without any fault would measure. */
export interface Truth {
  /** Of each request of the window: its response and service time, ms; Infinity for a failed one. */
  readonly responseMs: readonly number[];
  readonly serviceMs: readonly number[];
  readonly errors: number;
  readonly ratePerS: number;
}

type Times = Pick<
  LoadPlan,
  'arrivals' | 'connections' | 'durationMs' | 'model' | 'seed' | 'stages' | 'timeoutMs' | 'warmupMs'
>;

/** Pause of the closed model after a refused connection, as docs/load.md says. */
const RETRY_NS = 100e6;

/**
 * Works out what a load meets, without the generator: each request is sent as soon as it is planned and a
 * connection is free.
 */
export function truthOf(plan: Times, target: TargetPlan): Truth {
  const peer = new LoadTarget(target);
  peer.startNs = 0;
  const timeoutNs = plan.timeoutMs * 1e6;
  const fromNs = plan.warmupMs * 1e6;
  const endNs = fromNs + plan.durationMs * 1e6;
  const schedule =
    plan.model === 'open' ? new Schedule(plan, { generator: 0, generators: 1 }) : null;
  /** Time from which each connection is free. */
  const free = Array.from({ length: plan.connections }, () => 2 * TRIP_NS);
  const responseMs: number[] = [];
  const serviceMs: number[] = [];
  let [count, failed, withinWindow] = [0, 0, 0];
  for (;;) {
    const freeNs = Math.min(...free);
    const plannedNs = schedule?.nextNs() ?? freeNs;
    if (plannedNs >= endNs) break;
    const sentNs = Math.max(plannedNs, freeNs);
    let doneNs = plannedNs + timeoutNs;
    let isOk = false;
    let nextNs = freeNs;
    if (sentNs < doneNs) {
      if (peer.accept(sentNs)) {
        const { atNs, status } = peer.answerTo(sentNs + TRIP_NS);
        const isAnswered = atNs + TRIP_NS < sentNs + timeoutNs;
        isOk = isAnswered && status === 200;
        doneNs = isAnswered ? atNs + TRIP_NS : sentNs + timeoutNs;
        nextNs = doneNs;
      } else {
        doneNs = sentNs + 2 * TRIP_NS;
        nextNs = doneNs + (schedule === null ? RETRY_NS : 0);
      }
      free[free.indexOf(freeNs)] = nextNs;
    }
    if (isOk && doneNs >= fromNs && doneNs < endNs) withinWindow++;
    if (plannedNs < fromNs) continue;
    count++;
    if (!isOk) failed++;
    responseMs.push(isOk ? (doneNs - plannedNs) / 1e6 : Number.POSITIVE_INFINITY);
    serviceMs.push(isOk ? (doneNs - sentNs) / 1e6 : Number.POSITIVE_INFINITY);
  }
  const inOrder = (list: number[]): number[] => list.sort((a, b) => a - b);
  return {
    responseMs: inOrder(responseMs),
    serviceMs: inOrder(serviceMs),
    errors: count === 0 ? 0 : failed / count,
    ratePerS: withinWindow / (plan.durationMs / 1000),
  };
}
