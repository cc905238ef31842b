import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
} from 'node:http';
import { request as tlsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { decodeBody } from './decode-body.ts';
import {
  explainFailure,
  type TransportErrorCode,
  type WireOutcome,
  type WireRequest,
} from './message.ts';

/**
 * Bytes of a body that are read; the connection is closed beyond them. A list of estimates has a few
 * thousand, and what is read takes many times as much memory.
 */
const BODY_CAP_BYTES = 48 * 1024;

/** Time that a request under way has left once the run is interrupted. */
const GRACE_MS = 1_000;

/** Gateways may refuse requests without these, which `node:http` leaves out. */
const USUAL_HEADERS = { 'user-agent': 'fareproof', accept: '*/*' } as const;

/** Request under way, with its deadline. */
export class OutgoingRequest {
  readonly #wire: WireRequest;
  readonly #agent: Agent;
  readonly #timeoutMs: number;
  #grace: NodeJS.Timeout | undefined;
  #isLate = false;
  /** Rejects what `outcome` waits for. */
  #breakOff: (reason: Error) => void = () => undefined;
  #isConnected = false;
  #isAnswered = false;
  #isReused = false;

  constructor(wire: WireRequest, agent: Agent, timeoutMs: number) {
    this.#wire = wire;
    this.#agent = agent;
    this.#timeoutMs = timeoutMs;
  }

  /** True once the head of the answer was read. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** True if its connection had other requests before. */
  get isReused(): boolean {
    return this.#isReused;
  }

  /** Cuts the deadline to the grace period of an interrupted run. */
  hurry(): void {
    this.#grace ??= this.#endAfter(GRACE_MS);
  }

  /** Sends the request and reads the response; never rejects. */
  async outcome(): Promise<WireOutcome> {
    const timer = this.#endAfter(this.#timeoutMs);
    const over = new Promise<never>((_, reject) => {
      this.#breakOff = reject;
    });
    // It may reject when it is no longer awaited.
    over.catch(() => undefined);
    let request: ClientRequest | undefined;
    try {
      request = this.#open();
      request.on('error', this.#breakOff);
      const answer = await Promise.race([over, answerTo(request, this.#wire)]);
      this.#isAnswered = true;
      const { bytes, truncated } = await Promise.race([over, readBounded(answer)]);
      const headers = plainHeaders(answer);
      const decoded = decodeBody(bytes, truncated, headers['content-encoding'], BODY_CAP_BYTES);
      if ('error' in decoded) return failure('BODY_UNDECODABLE', decoded.error);
      return { response: { status: answer.statusCode ?? 0, headers, ...decoded }, error: null };
    } catch (error) {
      request?.destroy();
      return this.#isLate ? this.#late() : { response: null, error: explainFailure(error) };
    } finally {
      clearTimeout(timer);
      clearTimeout(this.#grace);
    }
  }

  #open(): ClientRequest {
    const { url, method, headers, body, gate } = this.#wire;
    const isSecure = url.startsWith('https:');
    const length = gate && body !== null ? { 'content-length': Buffer.byteLength(body) } : {};
    const request = (isSecure ? tlsRequest : plainRequest)({
      ...urlToHttpOptions(new URL(url)),
      auth: null,
      agent: this.#agent,
      method,
      headers: { ...USUAL_HEADERS, ...headers, ...length },
    });
    request.once('socket', (socket) => {
      const connected = (): void => {
        this.#isConnected = true;
      };
      this.#isReused = request.reusedSocket;
      if (this.#isReused) connected();
      else socket.once(isSecure ? 'secureConnect' : 'connect', connected);
    });
    return request;
  }

  /** Ends one turn later: a response that arrived while this process was stalled is read first. */
  #endAfter(afterMs: number): NodeJS.Timeout {
    const end = (): void => {
      this.#isLate = true;
      this.#breakOff(new Error('the deadline is over'));
    };
    return setTimeout(() => setImmediate(end), afterMs);
  }

  #late(): WireOutcome {
    const withinMs = `within ${this.#timeoutMs} ms`;
    if (this.#grace !== undefined)
      return failure('INTERRUPTED', 'the run was interrupted before the answer was there');
    if (this.#isAnswered)
      return failure('TIMEOUT_MID_ANSWER', `the answer was not whole ${withinMs}`);
    return this.#isConnected
      ? failure('TIMEOUT', `the target did not send an answer ${withinMs}`)
      : failure('CONNECT_TIMEOUT', `the target did not take a connection ${withinMs}`);
  }
}

/** Sends the body, its last byte once the gate opens, and waits for the response's head. */
function answerTo(request: ClientRequest, { body, gate }: WireRequest): Promise<IncomingMessage> {
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('close', () => reject(new Error('the connection was closed without an answer')));
  });
  if (!gate || body === null) request.end(body);
  else {
    const bytes = Buffer.from(body, 'utf8');
    request.write(bytes.subarray(0, -1));
    void gate.then(() => request.end(bytes.subarray(-1)));
  }
  return answer;
}

/** Pieces of a body that are kept apart before they are joined. */
const MOST_PIECES = 1_000;

/** Pieces of a body that are read: each costs time, however short it is. */
const MOST_PIECES_READ = 16_384;

/** Reads by events: a target may send byte by byte, and async iteration costs a turn for each. */
function readBounded(answer: IncomingMessage): Promise<{ bytes: Buffer; truncated: boolean }> {
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
    answer.once('close', () => reject(new Error('the connection was closed mid-answer')));
  });
}

/** Names in lower case; several headers of one name are joined. */
function plainHeaders({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at]?.toLowerCase(), rawHeaders[at + 1]];
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return Object.fromEntries(headers);
}

function failure(code: TransportErrorCode, message: string): WireOutcome {
  return { response: null, error: { code, message } };
}
