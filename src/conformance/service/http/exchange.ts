import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import { USUAL_HEADERS, type WireRequest } from './message.ts';

/**
 * Bytes of a body that are read; the connection is closed beyond them. A list of estimates has a few
 * thousand, and what is read takes many times as much memory.
 */
export const BODY_CAP_BYTES = 48 * 1024;

/** Answer as it came, its body still encoded. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case; several of one name joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** True if the body is longer than the cap. */
  readonly truncated: boolean;
}

/** Request that is sent once on a connection, and its answer. */
export class Exchange {
  readonly #connection: Connection;
  readonly #wire: WireRequest;
  readonly #isLast: boolean;
  #bytesBefore = 0;
  isConnected = false;
  /** True once the head of the answer was read. */
  isAnswered = false;
  /** True if its connection had other requests before. */
  isReused = false;

  /** @param isLast asks the target to close the connection afterwards */
  constructor(connection: Connection, wire: WireRequest, isLast: boolean) {
    this.#connection = connection;
    this.#wire = wire;
    this.#isLast = isLast;
  }

  /** True once any byte of the answer came. */
  get isBegun(): boolean {
    return this.isConnected && this.#connection.bytesRead > this.#bytesBefore;
  }

  /** Sends the request and reads the answer; rejects if none came whole. */
  answer(): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const connection = this.#connection;
      const body = new BoundedBody();
      let status = 0;
      let headers: Record<string, string> = {};
      const finish = (): void => resolve({ status, headers, ...body.read() });
      connection.dispatch(dispatched(this.#wire, this.#isLast), {
        onRequestStart: () => {
          this.isConnected = true;
          this.isReused = connection.answers > 0;
          this.#bytesBefore = connection.bytesRead;
          connection.awaitsAnswer = true;
        },
        onResponseStart: ({ rawHeaders }, code) => {
          this.isAnswered = true;
          status = code;
          headers = plainHeaders(rawHeaders as readonly Buffer[]);
        },
        onResponseData: (_, piece) => {
          if (body.takes(piece)) return;
          finish();
          connection.destroy();
        },
        onResponseEnd: () => {
          connection.answers++;
          finish();
        },
        onResponseError: (_, error) => reject(error),
      });
    });
  }

  /** Closes its connection. */
  destroy(): void {
    this.#connection.destroy();
  }
}

/** The request in the terms of undici. */
function dispatched(wire: WireRequest, isLast: boolean): Dispatcher.DispatchOptions {
  const { url, method, headers, body, gate } = wire;
  const { pathname, search } = new URL(url);
  const options = { path: pathname + search, method, reset: isLast };
  const all = { ...USUAL_HEADERS, ...headers };
  if (gate === undefined || body === null) return { ...options, headers: all, body };
  const bytes = Buffer.from(body, 'utf8');
  const length = { 'content-length': String(bytes.length) };
  return { ...options, headers: { ...all, ...length }, body: Readable.from(gated(bytes, gate)) };
}

/** The body, its last byte once the gate opens. */
async function* gated(bytes: Buffer, gate: Promise<void>): AsyncGenerator<Buffer> {
  yield bytes.subarray(0, -1);
  await gate;
  yield bytes.subarray(-1);
}

/** Pieces of a body that are kept apart before they are joined. */
const MOST_PIECES = 1_000;

/** Pieces of a body that are read: each costs time, however short it is. */
const MOST_PIECES_READ = 16_384;

/** The body of an answer, up to the cap: a target may send byte by byte, or without an end. */
class BoundedBody {
  #pieces: Buffer[] = [];
  #size = 0;
  #count = 0;

  /** Adds a piece; false once there are too many bytes or pieces. */
  takes(piece: Buffer): boolean {
    if (this.#pieces.length >= MOST_PIECES) this.#pieces = [Buffer.concat(this.#pieces)];
    this.#pieces.push(piece);
    this.#size += piece.length;
    this.#count++;
    return !this.#isCut;
  }

  read(): Pick<RawAnswer, 'bytes' | 'truncated'> {
    const bytes = Buffer.concat(this.#pieces, Math.min(this.#size, BODY_CAP_BYTES));
    return { bytes, truncated: this.#isCut };
  }

  get #isCut(): boolean {
    return this.#size > BODY_CAP_BYTES || this.#count > MOST_PIECES_READ;
  }
}

/** Headers by their names in lower case; several of one name are joined. */
function plainHeaders(raw: readonly Buffer[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toString('latin1').toLowerCase() ?? '';
    const value = raw[at + 1]?.toString('latin1').replace(/[\t ]+$/, '') ?? '';
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return Object.fromEntries(headers);
}
