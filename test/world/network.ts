import type { GivenAnswer, ReceivedRequest } from '../../src/conformance/index.ts';
import type { InProcessTarget } from '../../src/conformance/service/http/in-process.ts';
import type { WorldClock } from '../../src/conformance/service/world-clock.ts';
import type { Chance } from '../independent-service/chance.ts';
import { CONTROL_PORT } from '../independent-service/world.ts';
import { EVERY_SPELLING } from '../support/spellings.ts';
import type { SideClock } from './clocks.ts';
import type { Fault } from './plan.ts';

/** Counts of what a network did. */
export type Met = Partial<Record<Fault['kind'], number>>;

type Of<K extends Fault['kind']> = Extract<Fault, { kind: K }>;

/** Network between the checkers of a world and its service. */
export class Network {
  readonly met: Met = {};
  /** Requests that were sent to the service, lost ones included. */
  sent = 0;
  /** Called as a request arrives, with its number from 1. */
  onArrival: (number: number) => void = () => undefined;
  readonly #faults: readonly Fault[];
  readonly #world: WorldClock;
  readonly #service: SideClock;
  readonly #chance: Chance;
  readonly #timeoutMs: number;
  #taken: number[] = [];

  constructor(
    faults: readonly Fault[],
    world: WorldClock,
    service: SideClock,
    chance: Chance,
    timeoutMs: number,
  ) {
    this.#faults = faults;
    this.#world = world;
    this.#service = service;
    this.#chance = chance;
    this.#timeoutMs = timeoutMs;
  }

  /** Stands between a service and the world. */
  through(answer: InProcessTarget): InProcessTarget {
    return async (request) => {
      if (request.url.port === CONTROL_PORT) return this.#control(answer, request);
      const number = ++this.sent;
      this.onArrival(number);
      await this.#delay();
      await this.#lose('lost-before');
      for (const { every } of this.#of('closes'))
        if (number % every === 0) await this.#breakOff('closes');
      const refusal = this.#refusal();
      if (refusal) return refusal;
      await this.#service.awake();
      const answered = await answer(request);
      await this.#lose('lost-after');
      await this.#delay();
      return this.#echoed(answered, request);
    };
  }

  #of<K extends Fault['kind']>(kind: K): Of<K>[] {
    return this.#faults.filter((fault): fault is Of<K> => fault.kind === kind);
  }

  get #nowMs(): number {
    return this.#world.monotonicNs() / 1e6;
  }

  #count(kind: Fault['kind']): void {
    this.met[kind] = (this.met[kind] ?? 0) + 1;
  }

  async #delay(): Promise<void> {
    for (const { share, mostMs } of this.#of('delay')) {
      if (this.#chance.draw() >= share) continue;
      this.#count('delay');
      await this.#world.sleep(this.#chance.draw() * mostMs);
    }
  }

  async #lose(kind: 'lost-before' | 'lost-after'): Promise<void> {
    for (const { share } of this.#of(kind))
      if (this.#chance.draw() < share) await this.#breakOff(kind);
  }

  /** Breaks the connection, or lets the request wait in vain. */
  async #breakOff(kind: Fault['kind']): Promise<never> {
    this.#count(kind);
    if (kind !== 'closes' && this.#chance.draw() < 0.5)
      await this.#world.sleep(2 * this.#timeoutMs);
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
  }

  #refusal(): GivenAnswer | null {
    for (const { status, window, most, periodMs } of this.#of('limit')) {
      const now = this.#nowMs;
      const from = window === 'rolling' ? now - periodMs : now - (now % periodMs);
      this.#taken = this.#taken.filter((atMs) => atMs > from);
      if (this.#taken.length >= most) {
        this.#count('limit');
        return { status, headers: {}, bytes: Buffer.from('slow down') };
      }
      this.#taken.push(now);
    }
    return null;
  }

  #echoed(answer: GivenAnswer, { headers, body }: ReceivedRequest): GivenAnswer {
    const [echo] = this.#of('echo');
    if (!echo) return answer;
    this.#count('echo');
    const sent = `${headers['authorization'] ?? ''} ${Buffer.from(body).toString()}`;
    // What is as long as a token, a code or a signature.
    const texts = sent.match(/[\w.~+/-]{8,}/g) ?? [];
    const said = texts.map((text) => EVERY_SPELLING[echo.spelling]!(text)).join(' ');
    return { ...answer, headers: { ...answer.headers, 'x-received': said } };
  }

  async #control(answer: InProcessTarget, request: ReceivedRequest): Promise<GivenAnswer> {
    for (const { share, how } of this.#of('control-fails')) {
      if (this.#chance.draw() >= share) continue;
      this.#count('control-fails');
      if (how === 'status') return { status: 500, headers: {}, bytes: Buffer.from('{}') };
      return this.#breakOff('control-fails');
    }
    return answer(request);
  }
}
