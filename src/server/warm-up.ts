import { setTimeout as sleep } from 'node:timers/promises';
import { MovableClock, wallClock } from './clock.ts';
import { createService } from './create-service.ts';
import { intact } from './faults/parts.ts';
import type { HttpListener } from './http/listener.ts';
import { type OwnRequests, sendToItself } from './http/own-client.ts';
import { cryptoRandom } from './random.ts';
import { createListener, type ServiceListenerOptions } from './service-listener.ts';
import type { Settings } from './settings.ts';
import { type WarmUpRequests, warmUpRequests } from './warm-up-requests.ts';

const LOOPBACK = '127.0.0.1';
/** Bursts of connections, and connections in each: as many as a load generator opens at once. */
const BURSTS = 2;
const CONNECTIONS = 64;
/** A handshake takes as long as twenty requests. */
const TLS_CONNECTIONS = 16;
/** Connections of which one requests a token: a partner is allowed ten a day. */
const CONNECTIONS_PER_TOKEN = 16;
/** Longest time that a start waits for it, in milliseconds. */
const LIMIT_MS = 500;

/** Connections that start together, and the estimates that each requests. */
interface Burst {
  readonly connections: number;
  readonly requestsPerConnection: number;
}

/**
 * While the server is idle: connections that start together, and one whose requests each take a turn of the
 * event loop. That often: V8 optimizes what accepts a connection after two thousand of them, and whatever is
 * left to optimize interrupts the first clients. A client that comes meanwhile waits for one burst only.
 */
const IDLE_ROUNDS = 230;
const IDLE_BURSTS: readonly Burst[] = [
  { connections: 8, requestsPerConnection: 1 },
  { connections: 1, requestsPerConnection: 8 },
];
const IDLE_TLS_ROUNDS = 10;
const IDLE_TLS_BURSTS: readonly Burst[] = [
  { connections: TLS_CONNECTIONS, requestsPerConnection: 40 },
];
/** Connections of which one is of a user; each keeps its token, as clients do. */
const CONNECTIONS_PER_USER = 4;
/** Longest time for it, clients included, and interval at which it looks for them, in milliseconds. */
const IDLE_LIMIT_MS = 10_000;
const IDLE_CHECK_MS = 20;

/** Options of {@link warmUp}: those of the listener that decide which code serves. */
export interface WarmUpOptions
  extends Pick<ServiceListenerOptions, 'fastPath' | 'sharedReadBuffer' | 'timeouts' | 'tls'> {
  readonly settings: Pick<Settings, 'environment' | 'behaviour' | 'expiresInSeconds' | 'seed'>;
}

/**
 * Has this process answer some hundred requests of its own, so that V8 has compiled what accepts
 * connections and answers before a client comes. They go over connections of loopback, to a listener and a
 * state that are closed and dropped behind them. Whatever goes wrong ends it early.
 *
 * @param limitMs time after which it ends, in milliseconds
 * @returns the number of its requests that were answered with 200
 * @throws ConfigurationError `TLS_INVALID`
 */
export function warmUp(options: WarmUpOptions, limitMs: number = LIMIT_MS): Promise<number> {
  const signal = AbortSignal.timeout(limitMs);
  return withOwnListener(options, (requests, target) =>
    sendToItself({
      ...target,
      bursts: BURSTS,
      connections: target.isTls ? TLS_CONNECTIONS : CONNECTIONS,
      requestsOf: (connection) => [
        requests.platformEstimate(connection),
        requests.userEstimate(connection),
        connection % CONNECTIONS_PER_TOKEN === 0
          ? requests.token(connection)
          : requests.platformEstimate(connection),
      ],
      signal,
    }),
  );
}

/** Options of {@link warmUpWhileIdle}. */
export interface IdleOptions {
  /** Checks whether no client has connected or requested anything since the last look. */
  readonly isIdle: () => boolean;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Interval at which it looks for clients while there are some, in milliseconds. */
  readonly checkMs?: number | undefined;
}

/**
 * Has this process answer some thousand estimates of its own, as {@link warmUp} does, while the server has no
 * client that sends: V8 optimizes the functions that estimates call often before a client does, for whom the
 * optimizing threads would take the time of the serving one.
 *
 * @returns the number of its requests that were answered with 200
 * @throws ConfigurationError `TLS_INVALID`
 */
export function warmUpWhileIdle(
  options: WarmUpOptions,
  { isIdle, signal: ended, checkMs = IDLE_CHECK_MS }: IdleOptions,
): Promise<number> {
  const signal = AbortSignal.any([ended, AbortSignal.timeout(IDLE_LIMIT_MS)]);
  return withOwnListener(options, async (requests, target) => {
    let answered = 0;
    const [rounds, bursts] = target.isTls
      ? [IDLE_TLS_ROUNDS, IDLE_TLS_BURSTS]
      : [IDLE_ROUNDS, IDLE_BURSTS];
    for (let at = 0; at < rounds * bursts.length && !signal.aborted; at++) {
      while (!isIdle()) await sleep(checkMs, undefined, { signal, ref: false });
      const { connections, requestsPerConnection } = bursts[at % bursts.length]!;
      answered += await sendToItself({
        ...target,
        bursts: 1,
        connections,
        requestsOf: (connection) =>
          Array.from({ length: requestsPerConnection }, (_, request) =>
            (connection + request) % CONNECTIONS_PER_USER === 0
              ? requests.userEstimate(connection + request)
              : requests.platformEstimate(connection + request),
          ),
        signal,
      });
    }
    return answered;
  });
}

/** Ends a warm-up; resolves, with the number of requests answered with 200, once nothing of it is left. */
export type EndWarmUp = () => Promise<number>;

/** Has the process warm up further while the clients of a listener are silent. */
export function keepWarmingUp(
  listener: Pick<HttpListener, 'isIdle'>,
  options: WarmUpOptions,
): EndWarmUp {
  const end = new AbortController();
  const isIdle = (): boolean => listener.isIdle();
  const further = warmUpWhileIdle(options, { isIdle, signal: end.signal });
  return () => {
    end.abort();
    return further;
  };
}

/** Does some work with a listener and a state of its own, which are dropped behind it; 0 if it fails. */
async function withOwnListener(
  options: WarmUpOptions,
  send: (requests: WarmUpRequests, target: Pick<OwnRequests, 'port' | 'isTls'>) => Promise<number>,
): Promise<number> {
  // Of the classes that the server itself has: V8 drops code that meets an object of another class.
  const settings: Settings = {
    ...options.settings,
    clock: new MovableClock(),
    random: cryptoRandom(),
    explainSignature: undefined,
  };
  const created = createService(settings, '');
  const { fastPath, sharedReadBuffer, timeouts, tls } = options;
  // Only these: the logs and interceptors of the server see its clients only.
  const { listener } = createListener(created, {
    fastPath,
    sharedReadBuffer,
    timeouts,
    tls,
    settings,
    replace: intact,
    handler: (request) => created.service.answer(request),
  });
  try {
    await listener.listen(0, LOOPBACK, { isExclusive: true });
    const requests = warmUpRequests(created.state, wallClock.now());
    return await send(requests, { port: listener.port, isTls: tls !== undefined });
  } catch {
    // Nothing listens, and the start of the server itself will say why; or it is being closed.
    return 0;
  } finally {
    await listener.close(0);
  }
}
