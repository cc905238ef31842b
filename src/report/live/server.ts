import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { cutText, visibleText } from '../escape/visible-text.ts';
import type { LiveEvent } from './events.ts';
import type { LiveHistory, NumberedEvent } from './history.ts';

/** What a live server is made of. */
export interface LiveServerOptions {
  /** Stands in the address; whoever knows it may read the page. At least 128 random bits. */
  readonly token: string;
  /** The page, whole. */
  readonly page: string;
  /** Its Content-Security-Policy. */
  readonly policy: string;
  readonly history: LiveHistory;
  /** Between two signs of life on a silent stream; default 15 s. */
  readonly heartbeatMs?: number | undefined;
  /** Streams at the same time; default 8. */
  readonly mostStreams?: number | undefined;
  /** What may wait for a reader before it is dropped, its replay left out; default 1 MiB. */
  readonly mostUnsentBytes?: number | undefined;
}

const LOOPBACK = '127.0.0.1';
const HEARTBEAT_MS = 15_000;
const MOST_STREAMS = 8;
const MOST_UNSENT_BYTES = 1024 * 1024;
const MOST_CONNECTIONS = 32;
/** Before a page asks again for a stream that broke. */
const RETRY_MS = 1000;
/** What a slow sender of a request gets. */
const REQUEST_MS = 5000;
/** What readers get for the last events once the command is done. */
const CLOSING_MS = 250;
/** Longest text of an event, in UTF-16 units. */
const TEXT_LIMIT = 800;
const TOKEN = /^[\w-]{22,}$/;

/**
 * Serves one page and its stream of events on loopback, to whoever knows the address. It reads the
 * head of a GET and nothing else; what it does not know is a 404 without a word.
 */
export class LiveServer {
  /** Where the page is. */
  readonly url: string;
  readonly #options: LiveServerOptions;
  readonly #server: Server;
  readonly #origins: ReadonlySet<string>;
  /** What may wait for each reader, in bytes. */
  readonly #streams = new Map<ServerResponse, number>();
  readonly #heartbeat: NodeJS.Timeout;

  private constructor(options: LiveServerOptions, server: Server) {
    const { port } = server.address() as AddressInfo;
    this.#options = options;
    this.#server = server;
    this.#origins = new Set([`http://${LOOPBACK}:${port}`, `http://localhost:${port}`]);
    this.url = `http://${LOOPBACK}:${port}/${options.token}/`;
    this.#heartbeat = setInterval(
      () => this.#write(': still here\n\n'),
      options.heartbeatMs ?? HEARTBEAT_MS,
    ).unref();
    server.on('request', (request, response) => this.#answer(request, response));
  }

  /**
   * Listens on 127.0.0.1, on a port of the system's choice.
   *
   * @throws RangeError for a token that is too short or that an address cannot hold
   */
  static async open(options: LiveServerOptions): Promise<LiveServer> {
    if (!TOKEN.test(options.token)) throw new RangeError('the token is too short, or is no word');
    const server = createServer({
      headersTimeout: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: REQUEST_MS,
      connectionsCheckingInterval: REQUEST_MS / 2,
    });
    server.maxConnections = MOST_CONNECTIONS;
    server.on('clientError', (_error: Error, socket: Socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port: 0, host: LOOPBACK }, resolve);
    });
    server.removeAllListeners('error');
    // A command that is done is done, page or no page.
    server.unref();
    return new LiveServer(options, server);
  }

  /** Tells everyone who reads, and keeps it for who comes later; unread, nothing is serialised. */
  publish(event: LiveEvent): void {
    const entry = this.#options.history.add(event);
    if (this.#streams.size > 0) this.#write(messageOf(entry));
  }

  /** Ends every stream and stops listening; readers get a moment for what is under way. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    const streams = [...this.#streams.keys()];
    this.#streams.clear();
    const written = Promise.all(
      streams.map((stream) => new Promise<void>((resolve) => stream.end(resolve))),
    );
    const cutOff = setTimeout(() => this.#server.closeAllConnections(), CLOSING_MS);
    void written.then(() => this.#server.closeAllConnections());
    await closed;
    clearTimeout(cutOff);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    response.on('error', () => response.destroy());
    const place = this.#placeOf(request);
    if (place === null) refuse(response, 404);
    else if (request.method !== 'GET') refuse(response, 405, { Allow: 'GET' });
    else if (place === 'page') this.#sendPage(response);
    else if (this.#streams.size >= (this.#options.mostStreams ?? MOST_STREAMS)) {
      refuse(response, 503);
    } else this.#stream(request, response);
  }

  #sendPage(response: ServerResponse): void {
    response.writeHead(200, {
      ...COMMON_HEADERS,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': this.#options.policy,
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Opener-Policy': 'same-origin',
    });
    response.end(this.#options.page);
  }

  /**
   * Where a request leads; null unless it names this server, comes from nowhere else, and knows the
   * token. A name of another's that was turned to this machine (DNS rebinding) has another Host.
   */
  #placeOf({ headers, url = '' }: IncomingMessage): 'page' | 'events' | null {
    const own = `http://${headers.host ?? ''}`;
    if (!this.#origins.has(own)) return null;
    if (headers.origin !== undefined && headers.origin !== own) return null;
    const [, token = '', place, ...more] = url.split('/');
    if (!isSame(token, this.#options.token) || more.length > 0) return null;
    if (place === 'events') return isForeign(headers) ? null : 'events';
    return place === '' ? 'page' : null;
  }

  #stream(request: IncomingMessage, response: ServerResponse): void {
    const { history, mostUnsentBytes = MOST_UNSENT_BYTES } = this.#options;
    response.writeHead(200, { ...COMMON_HEADERS, 'Content-Type': 'text/event-stream' });
    response.once('close', () => this.#streams.delete(response));
    request.socket.setNoDelay(true);
    const missed = history.since(lastIdOf(request)).map(messageOf);
    const replay = [`retry: ${RETRY_MS}\n\n`, ...missed].join('');
    response.write(replay);
    this.#streams.set(response, mostUnsentBytes + Buffer.byteLength(replay));
  }

  /** A reader that does not read is dropped: what waits for it would grow without end. */
  #write(text: string): void {
    for (const [stream, mostUnsentBytes] of this.#streams) {
      if (stream.writableLength > mostUnsentBytes) {
        this.#streams.delete(stream);
        stream.destroy();
      } else stream.write(text);
    }
  }
}

const COMMON_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

function refuse(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...COMMON_HEADERS, ...headers, 'Content-Length': 0 });
  response.end();
}

/** One message of a stream; JSON has no line end in it. */
function messageOf({ id, event }: NumberedEvent): string {
  return `id: ${id}\ndata: ${JSON.stringify(event, withInertText)}\n\n`;
}

/** Every text, wherever it comes from: nothing unseen in it, and not without end. */
function withInertText(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? visibleText(cutText(value, TEXT_LIMIT)) : value;
}

function lastIdOf({ headers }: IncomingMessage): number {
  const id = headers['last-event-id'];
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : 0;
}

/** Browsers say so themselves where a script of another page asks. */
function isForeign({ 'sec-fetch-site': site }: IncomingMessage['headers']): boolean {
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
