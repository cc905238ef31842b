import { ESTIMATES_PATH, sign, TOKEN_PATH } from '../interface/index.ts';
import { wallClock } from './clock.ts';
import { createService } from './create-service.ts';
import { SAMPLE_ROUTE } from './estimate/sample-route.ts';
import { intact } from './faults/parts.ts';
import { sendToItself } from './http/own-client.ts';
import { cryptoRandom } from './random.ts';
import { createListener, type ServiceListenerOptions } from './service-listener.ts';
import type { ServiceState } from './service-state.ts';
import type { Settings } from './settings.ts';
import type { Partner } from './state/partners.ts';

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
const KEY = 'signing-key-of-warm-up';

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
export async function warmUp(options: WarmUpOptions, limitMs: number = LIMIT_MS): Promise<number> {
  const settings: Settings = {
    ...options.settings,
    clock: wallClock,
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
    const isTls = tls !== undefined;
    return await sendToItself({
      port: listener.port,
      isTls,
      bursts: BURSTS,
      connections: isTls ? TLS_CONNECTIONS : CONNECTIONS,
      requestsOf: requestsOf(created.state),
      signal: AbortSignal.timeout(limitMs),
    });
  } catch {
    // Nothing listens, and the start of the server itself will say why.
    return 0;
  } finally {
    await listener.close(0);
  }
}

/** Makes the requests of a connection, by its number. */
function requestsOf(state: ServiceState): (connection: number) => readonly string[] {
  const partner = state.partners.add('warm-up', KEY, false);
  const tokenOf = (userId: string | null): string => {
    const request = { partner, userId, scope: 'public', refreshed: null };
    return state.tokens.admit(request, wallClock.now()).accessToken;
  };
  const [platformToken, userToken] = [tokenOf(null), tokenOf('user')];
  // The server does not read the same query twice in a row.
  const turns = ['39.9087', '39.9163'].map((lat) => {
    const parameters = { ...SAMPLE_ROUTE, start_lat: lat };
    const signature = sign(parameters, KEY);
    return {
      asPlatform: estimate(parameters, `${partner.id}|${platformToken}`),
      asUser: estimate(parameters, `${partner.id}|${signature} openid|${userToken}`),
    };
  });
  return (connection) => {
    const { asPlatform, asUser } = turns[connection % turns.length]!;
    const isForToken = connection % CONNECTIONS_PER_TOKEN === 0;
    return [asPlatform, asUser, isForToken ? tokenRequest(partner, connection) : asPlatform];
  };
}

function estimate(parameters: Readonly<Record<string, string>>, credentials: string): string {
  const query = new URLSearchParams(parameters).toString();
  return `GET ${ESTIMATES_PATH}?${query} HTTP/1.1\r\nHost: ${LOOPBACK}\r\nAuthorization: Bearer ${credentials}\r\n\r\n`;
}

function tokenRequest(partner: Partner, number: number): string {
  const nostr = number.toString(36).padStart(6, '0');
  const now = new Date(wallClock.now()).toISOString();
  const fields = { grant_type: 'client_credentials', scope: 'public', _: now, nostr };
  const body = JSON.stringify(fields);
  return [
    `POST ${TOKEN_PATH} HTTP/1.1`,
    `Host: ${LOOPBACK}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Authorization: Bearer ${partner.id}|${sign(fields, KEY)}`,
    '',
    body,
  ].join('\r\n');
}
