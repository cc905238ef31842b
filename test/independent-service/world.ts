import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { openServersInProcess } from '../../src/app/embedded/in-process.ts';
import {
  type CheckServiceOptions,
  type GivenAnswer,
  type ReceivedRequest,
  type RunClock,
  SeededRandom,
  World,
} from '../../src/conformance/index.ts';
import type { InProcessTarget } from '../../src/conformance/service/http/in-process.ts';
import type { InProcessOptions } from '../../src/server/index.ts';
import type { OddStyle } from './odd/odd-style.ts';

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** True for a style, or a broken form, of which some trait shows only on a connection. */
export function needsSockets(style: OddStyle, broken: readonly string[] = []): boolean {
  if (broken.some((form) => form.endsWith('#connection'))) return true;
  const { isHttp10, endsByClosing, closesSilently, idleMs, requestsPerConnection } = style;
  const { continuesUnasked, hints, trailers, reason } = style;
  const texts = [idleMs, requestsPerConnection, reason].some((one) => one !== undefined);
  const kinds = [isHttp10, endsByClosing, closesSilently, continuesUnasked, hints, trailers];
  return texts || kinds.some((one) => one === true);
}

/** A service that gets its address, and the means to wait, from a world. */
interface JoiningService {
  baseUrl: string;
  controlUrl: string;
  sleep: (ms: number) => Promise<void>;
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
  control(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Far from the end of a day, in any time zone of a style, and from a quarter of an hour. */
const START_MS = Date.UTC(2026, 6, 8, 10, 3);

const SEED = 11;

/** Port of the control API of each service. */
export const CONTROL_PORT = '81';

/** A world that starts far from the end of a day. */
export const newWorld = (startMs: number = START_MS): World =>
  new World(startMs, new SeededRandom(SEED));

/**
 * Gives a service an address in a world.
 *
 * @param through what stands between the world and the service
 */
export function join(
  world: World,
  service: JoiningService,
  through: (answer: InProcessTarget) => InProcessTarget = (answer) => answer,
): void {
  const host = world.nextHost;
  service.baseUrl = `http://${host}/some/prefix`;
  service.controlUrl = `http://${host}:${CONTROL_PORT}`;
  service.sleep = (ms) => world.sleep(ms);
  world.join(through(async (request) => answerOf(service, request)));
}

/** Options of a run that judges the reference server in both environments, with a control API unless partners are given. */
export async function embeddedPair(
  options: InProcessOptions = {},
): Promise<Pick<CheckServiceOptions, 'clock' | 'openTransport' | 'target' | 'companion'>> {
  const control = options.partners === undefined ? { controlToken: 'control-token' } : {};
  const servers = (['production', 'test'] as const).map((environment) => ({
    ...control,
    ...options,
    environment,
  }));
  const { profiles, ...world } = await openServersInProcess(servers, {
    seed: SEED,
    startMs: START_MS,
  });
  return { ...world, target: profiles[0]!, companion: profiles[1]! };
}

/** The same clock for a run whose sleeps are watched. */
export function watchedClock(clock: RunClock, onSleep: (forMs: number) => unknown): RunClock {
  return {
    now: () => clock.now(),
    monotonicNs: () => clock.monotonicNs(),
    sleep: (forMs, signal) => {
      onSleep(forMs);
      return clock.sleep(forMs, signal);
    },
  };
}

function answerOf(service: JoiningService, received: ReceivedRequest): Promise<GivenAnswer> {
  const { method, url, headers, body } = received;
  const socket = new Connection();
  const target = url.pathname + url.search;
  const message = Object.assign(Readable.from([body]), { method, url: target, headers, socket });
  const request = message as unknown as IncomingMessage;
  const answer = new Answer(request, socket);
  const response = answer as unknown as ServerResponse;
  const isControl = url.port === CONTROL_PORT;
  const served = isControl ? service.control(request, response) : service.serve(request, response);
  served.catch(answer.fail);
  return answer.whole;
}

/** A connection of one request. */
class Connection extends EventEmitter {
  destroy(): void {
    this.emit('lost');
  }
}

/** The response of node:http, as far as the service uses it. */
class Answer {
  readonly req: IncomingMessage;
  readonly socket: Connection;
  readonly whole: Promise<GivenAnswer>;
  fail: (error: Error) => void = () => undefined;
  sendDate = true;
  #give: (answer: GivenAnswer) => void = () => undefined;
  #status = 200;
  #headers: Headers = {};
  readonly #pieces: Buffer[] = [];

  constructor(req: IncomingMessage, socket: Connection) {
    this.req = req;
    this.socket = socket;
    this.whole = new Promise((resolve, reject) => {
      this.#give = resolve;
      this.fail = reject;
    });
    const error = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    socket.once('lost', () => this.fail(error));
  }

  writeHead(status: number, headers: Headers = {}): this {
    this.#status = status;
    this.#headers = headers;
    return this;
  }

  write(piece: Buffer | string): void {
    this.#pieces.push(Buffer.from(piece));
  }

  flushHeaders(): void {}

  end(piece: Buffer | string = ''): void {
    this.write(piece);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(this.#headers))
      headers[name.toLowerCase()] = [value].flat().join(', ');
    this.#give({ status: this.#status, headers, bytes: Buffer.concat(this.#pieces) });
  }
}
