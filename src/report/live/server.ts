import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type StreamLimits, ViewStreams } from './streams.ts';

const LOOPBACK = '127.0.0.1';
/** 22 characters of base64url hold 128 bits and more. */
const TOKEN = /^[\w-]{22,}$/;

/**
 * The page or its stream; null unless the request names this server as its host, comes from no
 * other origin and has the token. A foreign name that resolves to this machine (DNS rebinding) has
 * another host.
 */
function placeOf(
  { headers, url = '' }: IncomingMessage,
  port: number,
  token: string,
): 'page' | 'events' | null {
  const { host = '', origin } = headers;
  if (host !== `${LOOPBACK}:${port}` && host !== `localhost:${port}`) return null;
  if (origin !== undefined && origin !== `http://${host}`) return null;
  const [, given = '', place, ...more] = url.split('/');
  if (!isEqual(given, token) || more.length > 0) return null;
  if (place === 'events') return isCrossSite(headers) ? null : 'events';
  return place === '' ? 'page' : null;
}

/** A browser says so where a script of another site asks. */
function isCrossSite({ 'sec-fetch-site': site }: IncomingMessage['headers']): boolean {
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function isEqual(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Options of a live server. */
export interface LiveServerOptions extends StreamLimits {
  /** Part of the address: whoever knows it may read the page. At least 128 random bits. */
  readonly token: string;
  /** Renders the page as it is now. */
  readonly page: () => string;
  /** Renders what its stream gets, as a value of JSON. */
  readonly view: () => unknown;
  /** Value of its Content-Security-Policy header. */
  readonly policy: string;
}

const MAX_CONNECTIONS = 32;
/** Time for a client to send a request. */
const REQUEST_TIMEOUT_MS = 5000;
/** Time for readers to receive the last events. */
const CLOSE_TIMEOUT_MS = 250;

const COMMON_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Serves one page and its stream of events on loopback to whoever knows the address. It reads the
 * head of a GET and nothing else; anything unknown is an empty 404.
 */
export class LiveServer {
  /** Address of the page. */
  readonly url: string;
  readonly #options: LiveServerOptions;
  readonly #server: Server;
  readonly #port: number;
  readonly #streams: ViewStreams;

  private constructor(options: LiveServerOptions, server: Server) {
    const { port } = server.address() as AddressInfo;
    this.#options = options;
    this.#server = server;
    this.#port = port;
    this.#streams = new ViewStreams(options.view, options);
    this.url = `http://${LOOPBACK}:${port}/${options.token}/`;
    server.on('request', (request, response) => this.#answer(request, response));
  }

  /**
   * Listens on 127.0.0.1, on a free port.
   *
   * @throws RangeError for a token that is too short or does not fit into an address
   */
  static async open(options: LiveServerOptions): Promise<LiveServer> {
    if (!TOKEN.test(options.token)) throw new RangeError('the token is too short or malformed');
    const server = createServer({
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: REQUEST_TIMEOUT_MS / 2,
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.on('clientError', (_error: Error, socket: Socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port: 0, host: LOOPBACK }, resolve);
    });
    server.removeAllListeners('error');
    // The page does not keep a command alive that has ended.
    server.unref();
    return new LiveServer(options, server);
  }

  /** Sends the view to every open page, soon. */
  changed(): void {
    this.#streams.changed();
  }

  /** Ends every stream and stops listening; readers get a moment for what is being sent. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    const cutOff = setTimeout(() => this.#server.closeAllConnections(), CLOSE_TIMEOUT_MS);
    void this.#streams.close().then(() => this.#server.closeAllConnections());
    await closed;
    clearTimeout(cutOff);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    response.on('error', () => response.destroy());
    const place = placeOf(request, this.#port, this.#options.token);
    if (place === null) refuse(response, 404);
    else if (request.method !== 'GET') refuse(response, 405, { Allow: 'GET' });
    else if (place === 'page') this.#sendPage(response);
    else if (this.#streams.isFull) refuse(response, 503);
    else {
      response.writeHead(200, { ...COMMON_HEADERS, 'Content-Type': 'text/event-stream' });
      this.#streams.add(request, response);
    }
  }

  #sendPage(response: ServerResponse): void {
    response.writeHead(200, {
      ...COMMON_HEADERS,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': this.#options.policy,
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Opener-Policy': 'same-origin',
    });
    response.end(this.#options.page());
  }
}

function refuse(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...COMMON_HEADERS, ...headers, 'Content-Length': 0 });
  response.end();
}
