import type { SeededRandom } from '../../seeded-random.ts';
import type { WorldClock } from '../world-clock.ts';
import {
  BODY_CAP_BYTES,
  type Exchange,
  type ExchangeProgress,
  type RawAnswer,
} from './exchange.ts';
import { type OpenTransport, USUAL_HEADERS, type WireRequest } from './message.ts';
import { UnderWay } from './under-way.ts';

/** Request as a service in this process gets it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Answer of a service in this process; its headers have names in lower case. */
export type GivenAnswer = Pick<RawAnswer, 'status' | 'headers' | 'bytes'>;

/**
 * Services in this process, told apart by the URL; a rejection is a connection that broke. Whatever they
 * wait for is an event of the same clock, or time moves on without them.
 */
export type InProcessTarget = (request: ReceivedRequest) => GivenAnswer | Promise<GivenAnswer>;

/** Time that a request and an answer each take on their way, ms. */
const WAY_MS = { least: 0.2, most: 1.2 };

/** Opens transports to services in this process. Exchanges take a time that is drawn, by that clock. */
export function inProcess(
  target: InProcessTarget,
  clock: WorldClock,
  random: Pick<SeededRandom, 'next'>,
): OpenTransport {
  const way = (): Promise<void> =>
    clock.sleep(WAY_MS.least + random.next() * (WAY_MS.most - WAY_MS.least));
  const after = clock.after.bind(clock);
  return ({ timeoutMs, signal }) => {
    const underWay = new UnderWay({ timeoutMs, signal, after });
    return {
      send: async (request) => {
        const { outcome } = await underWay.run(
          (progress) => new InProcessExchange(request, target, way, progress),
        );
        return outcome;
      },
      pause: (forMs) => clock.sleep(forMs),
      close: async () => underWay.close(),
    };
  };
}

class InProcessExchange implements Exchange {
  readonly #wire: WireRequest;
  readonly #target: InProcessTarget;
  readonly #way: () => Promise<void>;
  readonly #progress: ExchangeProgress;

  constructor(
    wire: WireRequest,
    target: InProcessTarget,
    way: () => Promise<void>,
    progress: ExchangeProgress,
  ) {
    this.#wire = wire;
    this.#target = target;
    this.#way = way;
    this.#progress = progress;
  }

  async answer(): Promise<RawAnswer> {
    const request = receivedAs(this.#wire);
    this.#progress.isConnected = true;
    await this.#wire.gate?.opened;
    await this.#way();
    const { status, headers, bytes } = await this.#target(request);
    await this.#way();
    this.#progress.isBegun = true;
    this.#progress.isAnswered = true;
    const truncated = bytes.length > BODY_CAP_BYTES;
    const isEmpty = this.#wire.method === 'HEAD' || status === 204 || status === 304;
    return { status, headers, bytes: bytes.subarray(0, isEmpty ? 0 : BODY_CAP_BYTES), truncated };
  }

  destroy(): void {}
}

/** A request as HTTP carries it. */
function receivedAs({ method, url, headers, body }: WireRequest): ReceivedRequest {
  const carried: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...USUAL_HEADERS, ...headers }))
    carried[name.toLowerCase()] = value.replace(/^[\t ]+|[\t ]+$/g, '');
  return {
    method,
    url: new URL(url),
    headers: carried,
    body: Buffer.from(body ?? '', 'utf8'),
  };
}
