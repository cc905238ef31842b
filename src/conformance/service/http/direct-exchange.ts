import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type {
  ConnectionKind,
  ConnectionUser,
  DirectConnection,
  DirectConnections,
} from './direct-connections.ts';
import {
  BODY_CAP_BYTES,
  type Exchange,
  type ExchangeProgress,
  type RawAnswer,
} from './exchange.ts';
import { USUAL_HEADERS, type WireRequest } from './message.ts';
import { addHeader, NodeExchange } from './node-exchange.ts';

/** A usual request, as it is sent directly. */
export interface DirectRequest {
  readonly wire: WireRequest;
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  /** Bytes of the head up to the header `Connection`. */
  readonly head: string;
}

/** Addresses with a port that `URL` leaves as they are; parts of a path that begin with a dot it may not. */
const PLAIN_URL =
  /^(http:\/\/([a-z\d][a-z\d.-]*):([1-9]\d{0,4}))(\/[\w\-~!$()*+,;=:@%./]*)(\?[\w\-~!$()*+,;=:@%./?&]*)?$/;

const PLAIN_HEADER = /^[\w-]+: [\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Describes a request that can be sent as it is; null for one that `node:http` has to encode or to
 * refuse.
 */
export function directRequest(wire: WireRequest): DirectRequest | null {
  const { method, url, headers, body, gate, connection } = wire;
  const isPlain = body === null ? method === 'GET' : method === 'POST';
  if (!isPlain || gate || connection !== undefined) return null;
  const match = PLAIN_URL.exec(url);
  if (!match || match[3] === '80' || /\/\.|%2e/i.test(match[4] ?? '')) return null;
  const [, origin = '', host = '', port = '', path = '', query = ''] = match;
  let head = `${method} ${path}${query} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries({ ...USUAL_HEADERS, ...headers })) {
    const line = `${name}: ${value}`;
    if (!PLAIN_HEADER.test(line) || FRAMING.test(name)) return null;
    head += `${line}\r\n`;
  }
  return { wire, origin, host, port: Number(port), head: `${head}Host: ${host}:${port}\r\n` };
}

/** Headers that `node:http` sets or reads itself. */
const FRAMING =
  /^(host|connection|content-length|transfer-encoding|expect|upgrade|te|trailer|keep-alive|date)$/i;

/** Bytes of a head that is read; `node:http` decides about a longer one. */
const MOST_HEAD_BYTES = 8 * 1024;

/**
 * Exchange on a connection of its own making: it costs a third of one by `node:http`. It knows one form
 * of answer, strictly: HTTP/1.1, CRLF, ASCII, one Content-Length, nothing behind the body. Whatever else
 * comes, a byte out of place included, goes with all bytes to `node:http`, whose parser is the trusted one.
 */
export class DirectExchange implements Exchange {
  readonly #request: DirectRequest;
  readonly #kind: ConnectionKind;
  readonly #connections: DirectConnections;
  readonly #progress: ExchangeProgress;
  #connection: DirectConnection | undefined;
  #received: Buffer | null = null;
  #head: AnswerHead | null = null;
  #fallback: NodeExchange | undefined;

  constructor(
    request: DirectRequest,
    kind: ConnectionKind,
    connections: DirectConnections,
    progress: ExchangeProgress,
  ) {
    this.#request = request;
    this.#kind = kind;
    this.#connections = connections;
    this.#progress = progress;
  }

  answer(): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const { wire, head } = this.#request;
      const progress = this.#progress;
      const connection = this.#connections.take(this.#request, this.#kind);
      this.#connection = connection;
      progress.isReused = connection.isUsed;
      progress.isConnected = connection.isUsed;
      connection.user = {
        connected: () => {
          progress.isConnected = true;
        },
        data: (piece) => {
          progress.isBegun = true;
          const answer = this.#read(piece);
          if (answer === 'more') return;
          resolve(answer === 'other' ? this.#giveUp(null, true) : answer);
        },
        end: (error) => {
          if (progress.isConnected) resolve(this.#giveUp(error, false));
          else reject(error ?? new Error('the connection was closed'));
        },
      };
      const persistence = this.#kind === 'singleUse' ? 'close' : 'keep-alive';
      const { body } = wire;
      const length = body === null ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
      connection.socket.write(`${head}Connection: ${persistence}\r\n${length}\r\n${body ?? ''}`);
    });
  }

  destroy(): void {
    this.#fallback?.destroy();
    this.#connection?.socket.destroy();
  }

  #read(piece: Buffer): RawAnswer | 'more' | 'other' {
    const received = this.#received ? Buffer.concat([this.#received, piece]) : piece;
    this.#received = received;
    if (!this.#head) {
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return received.length > MOST_HEAD_BYTES ? 'other' : 'more';
      this.#head =
        end > MOST_HEAD_BYTES ? null : readHead(received.toString('latin1', 0, end), end + 4);
      if (!this.#head) return 'other';
      this.#progress.isAnswered = true;
    }
    const { status, headers, bodyAt, end, isKept } = this.#head;
    if (received.length < end) return 'more';
    if (received.length > end) return 'other';
    const connection = this.#connection!;
    connection.user = null;
    const kind = this.#kind;
    if (isKept && (kind === 'keptAlive' || (kind === 'unspoiled' && status === 200)))
      this.#connections.keep(this.#request.origin, kind, connection, headers['keep-alive']);
    else connection.socket.destroy();
    return { status, headers, bytes: received.subarray(bodyAt), truncated: false };
  }

  /** Leaves what has come, and what is to come, to `node:http`. */
  #giveUp(error: Error | null, isOdd: boolean): Promise<RawAnswer> {
    const { socket } = this.#connection!;
    this.#connection!.user = NOBODY;
    if (isOdd) this.#connections.avoid(this.#request.origin);
    const replay = isOdd ? replayThen(this.#received, socket) : replayed(this.#received, error);
    const { wire } = this.#request;
    this.#fallback = new NodeExchange(wire, { createConnection: () => replay }, this.#progress);
    // `node:http` ends its side of the replay, and a target may keep the connection for as long as it likes.
    return this.#fallback.answer().finally(() => socket.destroy());
  }
}

/** User of a connection that was given up. */
const NOBODY: ConnectionUser = {
  connected: () => undefined,
  data: () => undefined,
  end: () => undefined,
};

/** Head of an answer, and where its body is. */
interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyAt: number;
  readonly end: number;
  readonly isKept: boolean;
}

const STATUS_LINE = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7e]*)?$/;

const HEADER_LINE =
  /^([\w!#$%&'*+.^`|~-]+):[\t ]*((?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?)[\t ]*$/;

/** Reads the head of an answer; null for one of another form. */
function readHead(text: string, bodyAt: number): AnswerHead | null {
  const [first = '', ...lines] = text.split('\r\n');
  const status = Number(STATUS_LINE.exec(first)?.[1]);
  // These have no body, whatever their length says.
  if (!(status >= 200) || status === 204 || status === 304) return null;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined) return null;
    addHeader(headers, name, value);
  }
  if (headers.has('transfer-encoding') || headers.has('upgrade')) return null;
  const length = headers.get('content-length') ?? '';
  if (!/^\d{1,6}$/.test(length) || Number(length) > BODY_CAP_BYTES) return null;
  const persistence = (headers.get('connection') ?? 'keep-alive').toLowerCase();
  if (persistence !== 'keep-alive' && persistence !== 'close') return null;
  return {
    status,
    headers: Object.fromEntries(headers),
    bodyAt,
    end: bodyAt + Number(length),
    isKept: persistence === 'keep-alive',
  };
}

/** Connection on which a request was sent and some bytes came: reads as if nothing had. */
function replayThen(received: Buffer | null, socket: Socket): Duplex {
  const replay = new Duplex({
    read: () => socket.resume(),
    write: (_piece, _encoding, written) => written(),
    destroy: (error, destroyed) => {
      socket.destroy();
      destroyed(error);
    },
  });
  replay.push(received);
  socket.on('data', (piece) => {
    if (!replay.push(piece)) socket.pause();
  });
  socket.on('end', () => replay.push(null));
  socket.on('error', (error) => replay.destroy(error));
  socket.on('close', () => replay.destroy());
  return replay;
}

/** Connection that ended after some bytes, by an error or in order. */
function replayed(received: Buffer | null, error: Error | null): Duplex {
  const pieces = received ? [received] : [];
  return new Duplex({
    read() {
      const piece = pieces.shift();
      if (piece) this.push(piece);
      else if (error) this.destroy(error);
      else this.push(null);
    },
    write: (_piece, _encoding, written) => written(),
  });
}
