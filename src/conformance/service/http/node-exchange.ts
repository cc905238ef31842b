import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from 'node:http';
import { request as tlsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import {
  BODY_CAP_BYTES,
  type Exchange,
  type ExchangeProgress,
  type RawAnswer,
} from './exchange.ts';
import { USUAL_HEADERS, type WireRequest } from './message.ts';

/** Exchange by `node:http`, which reads whatever a target answers. */
export class NodeExchange implements Exchange {
  readonly #wire: WireRequest;
  readonly #connection: Pick<RequestOptions, 'agent' | 'createConnection'>;
  readonly #progress: ExchangeProgress;
  #request: ClientRequest | undefined;

  /** @param connection agent, or the connection on which the request was sent already */
  constructor(
    wire: WireRequest,
    connection: { readonly agent: Agent } | Pick<RequestOptions, 'createConnection'>,
    progress: ExchangeProgress,
  ) {
    this.#wire = wire;
    this.#connection = connection;
    this.#progress = progress;
  }

  answer(): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const request = this.#open();
      this.#request = request;
      request.on('error', reject);
      request.once('response', (answer) => {
        this.#progress.isAnswered = true;
        const { statusCode: status = 0 } = answer;
        const headers = plainHeaders(answer);
        readBounded(answer).then((body) => resolve({ status, headers, ...body }), reject);
      });
      request.once('close', () => {
        // After the head, the answer itself says whether it is whole.
        if (!this.#progress.isAnswered)
          reject(new Error('the connection was closed without a response'));
      });
      send(request, this.#wire);
    });
  }

  destroy(): void {
    this.#request?.destroy();
  }

  #open(): ClientRequest {
    const { url, method, headers, body, gate } = this.#wire;
    const isSecure = url.startsWith('https:');
    const length = gate && body !== null ? { 'content-length': Buffer.byteLength(body) } : {};
    const request = (isSecure ? tlsRequest : plainRequest)({
      ...urlToHttpOptions(new URL(url)),
      auth: null,
      ...this.#connection,
      method,
      headers: { ...USUAL_HEADERS, ...headers, ...length },
    });
    request.once('socket', (socket) => {
      const progress = this.#progress;
      const before = socket.bytesRead;
      // First of its listeners, so that it is known when the exchange fails.
      request.prependListener('error', () => {
        progress.isBegun ||= socket.bytesRead > before;
      });
      const connected = (): void => {
        progress.isConnected = true;
      };
      progress.isReused ||= request.reusedSocket;
      if (progress.isReused) connected();
      else socket.once(isSecure ? 'secureConnect' : 'connect', connected);
    });
    return request;
  }
}

/** Sends the body, its last byte once the gate opens. */
function send(request: ClientRequest, { body, gate }: WireRequest): void {
  if (!gate || body === null) {
    request.end(body);
    return;
  }
  const bytes = Buffer.from(body, 'utf8');
  request.write(bytes.subarray(0, -1));
  void gate.opened.then(() => request.end(bytes.subarray(-1)));
}

/** Pieces of a body that are kept apart before they are joined. */
const MOST_PIECES = 1_000;

/** Pieces of a body that are read: each costs time, however short it is. */
const MOST_PIECES_READ = 16_384;

/** Reads by events: a target may send byte by byte, and async iteration costs a turn for each. */
function readBounded(answer: IncomingMessage): Promise<Pick<RawAnswer, 'bytes' | 'truncated'>> {
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] = [];
    let [size, count] = [0, 0];
    const finish = (truncated: boolean): void => {
      const [first] = pieces;
      const bytes =
        first && pieces.length === 1
          ? first.subarray(0, BODY_CAP_BYTES)
          : Buffer.concat(pieces, Math.min(size, BODY_CAP_BYTES));
      resolve({ bytes, truncated });
    };
    answer.on('data', (piece: Buffer) => {
      if (size > BODY_CAP_BYTES || count > MOST_PIECES_READ) return;
      if (pieces.length >= MOST_PIECES) pieces = [Buffer.concat(pieces)];
      pieces.push(piece);
      size += piece.length;
      count++;
      if (size <= BODY_CAP_BYTES && count <= MOST_PIECES_READ) return;
      finish(true);
      answer.destroy();
    });
    answer.once('end', () => finish(false));
    answer.on('error', reject);
    answer.once('close', () => reject(new Error('the connection was closed mid-response')));
  });
}

function plainHeaders({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2)
    addHeader(headers, rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return Object.fromEntries(headers);
}

/** Adds a header by its name in lower case; several of one name are joined. */
export function addHeader(headers: Map<string, string>, name: string, value: string): void {
  const lower = name.toLowerCase();
  const earlier = headers.get(lower);
  headers.set(lower, earlier === undefined ? value : `${earlier}, ${value}`);
}
