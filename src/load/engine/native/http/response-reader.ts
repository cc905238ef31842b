import { ChunkFraming, Framing } from './chunk-framing.ts';
import { type HeadFailure, ResponseHead } from './response-head.ts';

/** Reasons why an answer could not be read; each is counted under its name. */
export type ReadFailure =
  | HeadFailure
  | 'malformed-chunk'
  | 'body-too-long'
  | 'unexpected-upgrade'
  | 'too-many-interim'
  | 'closed-before-answer'
  | 'closed-mid-answer';

/** Longest head accepted, as common for servers and clients. */
const HEAD_LIMIT_BYTES = 65_536;
const CAPTURE_LIMIT_BYTES = 4_194_304;
const INTERIM_LIMIT = 32;

const State = {
  head: 0,
  length: 1,
  untilClose: 2,
  chunkFraming: 3,
  chunkData: 4,
  complete: 5,
  failed: 6,
} as const;

/**
 * Parses HTTP/1 answers to GET, one after the other, from bytes split anywhere (RFC 9112):
 * Content-Length, chunked, until close; interim answers are skipped. Strict: everything it does not
 * understand is a failure with a name.
 */
export class ResponseReader {
  readonly head: ResponseHead = new ResponseHead();
  /** Set to keep the body of the next answer for {@link takeBody}. */
  capture = false;
  failure: ReadFailure | null = null;
  readonly #framing = new ChunkFraming();
  #state: number = State.head;
  /** A head received in pieces; empty for one received whole. */
  #stash: Buffer = Buffer.alloc(0);
  #stashed = 0;
  /** Offset in the stash of the first incomplete line. */
  #resumeAt = 0;
  /** Bytes of the body, or of the chunk, still to come. */
  #left = 0;
  #interim = 0;
  #began = false;
  #body: Buffer[] = [];
  #bodyBytes = 0;

  /** True once the whole answer was read. */
  get complete(): boolean {
    return this.#state === State.complete;
  }

  /** True once any byte of the answer was read. */
  get began(): boolean {
    return this.#began;
  }

  /** Resets the reader for the next answer on the same connection. */
  reset(): void {
    this.#state = State.head;
    this.#stashed = 0;
    this.#interim = 0;
    this.#began = false;
    this.capture = false;
    this.failure = null;
    if (this.#bodyBytes > 0) {
      this.#body = [];
      this.#bodyBytes = 0;
    }
  }

  /** Returns the captured body. */
  takeBody(): Buffer {
    const body = Buffer.concat(this.#body);
    this.#body = [];
    this.#bodyBytes = 0;
    return body;
  }

  /**
   * Reads new bytes, up to the end of one answer.
   *
   * @returns offset of the first byte after the answer, or `to`; see {@link complete} and {@link failure}
   */
  read(bytes: Buffer, from: number, to: number): number {
    let at = from;
    if (at < to) this.#began = true;
    while (at < to && this.#state < State.complete) {
      switch (this.#state) {
        case State.head:
          at = this.#readHead(bytes, at, to);
          break;
        case State.length:
        case State.chunkData:
          at = this.#skip(bytes, at, to);
          break;
        case State.untilClose:
          this.#keep(bytes, at, to);
          at = to;
          break;
        default:
          this.#readFraming(bytes[at] as number);
          at++;
      }
    }
    return at;
  }

  /** Handles the end of the connection: only an answer that lasts until then is complete. */
  end(): void {
    if (this.#state === State.untilClose) this.#state = State.complete;
    else if (this.#state < State.complete) {
      this.#fail(this.#began ? 'closed-mid-answer' : 'closed-before-answer');
    }
  }

  #fail(failure: ReadFailure): void {
    this.failure = failure;
    this.#state = State.failed;
  }

  #readHead(bytes: Buffer, from: number, to: number): number {
    if (this.#stashed > 0) return this.#readStashedHead(bytes, from, to);
    this.head.begin();
    const end = this.head.parse(bytes, from, to);
    if (end > 0) {
      this.#beginBody();
      return end;
    }
    if (end < 0) {
      this.#fail(this.head.failure);
      return from;
    }
    this.#resumeAt = this.head.resumeAt - from;
    this.#append(bytes, from, to);
    if (this.#stashed > HEAD_LIMIT_BYTES) this.#fail('head-too-long');
    return to;
  }

  #readStashedHead(bytes: Buffer, from: number, to: number): number {
    const before = this.#stashed;
    this.#append(bytes, from, to);
    const end = this.head.parse(this.#stash, this.#resumeAt, this.#stashed);
    this.#resumeAt = this.head.resumeAt;
    if (end === 0) {
      if (this.#stashed > HEAD_LIMIT_BYTES) this.#fail('head-too-long');
      return to;
    }
    if (end < 0) {
      this.#fail(this.head.failure);
      return to;
    }
    this.#stashed = 0;
    this.#beginBody();
    return from + (end - before);
  }

  #append(bytes: Buffer, from: number, to: number): void {
    const length = this.#stashed + to - from;
    if (length > this.#stash.length) {
      const grown = Buffer.allocUnsafe(Math.max(1024, 2 * length));
      this.#stash.copy(grown, 0, 0, this.#stashed);
      this.#stash = grown;
    }
    bytes.copy(this.#stash, this.#stashed, from, to);
    this.#stashed = length;
  }

  #beginBody(): void {
    const { status, contentLength, chunked } = this.head;
    if (status < 200) {
      if (status === 101) this.#fail('unexpected-upgrade');
      else if (++this.#interim > INTERIM_LIMIT) this.#fail('too-many-interim');
      return;
    }
    if (status === 204 || status === 304) this.#state = State.complete;
    else if (chunked) {
      this.#framing.begin();
      this.#state = State.chunkFraming;
    } else if (contentLength < 0) {
      this.#state = State.untilClose;
      this.head.keepAlive = false;
    } else {
      this.#left = contentLength;
      this.#state = contentLength === 0 ? State.complete : State.length;
    }
  }

  #skip(bytes: Buffer, from: number, to: number): number {
    const end = Math.min(to, from + this.#left);
    if (this.capture) this.#keep(bytes, from, end);
    this.#left -= end - from;
    if (this.#left === 0 && this.#state < State.complete) {
      if (this.#state === State.chunkData) this.#framing.endOfData();
      this.#state = this.#state === State.length ? State.complete : State.chunkFraming;
    }
    return end;
  }

  #keep(bytes: Buffer, from: number, to: number): void {
    if (!this.capture) return;
    this.#bodyBytes += to - from;
    if (this.#bodyBytes > CAPTURE_LIMIT_BYTES) this.#fail('body-too-long');
    else this.#body.push(Buffer.from(bytes.subarray(from, to)));
  }

  /** One byte between the data of chunks. */
  #readFraming(byte: number): void {
    switch (this.#framing.read(byte)) {
      case Framing.data:
        this.#left = this.#framing.size;
        this.#state = State.chunkData;
        break;
      case Framing.end:
        this.#state = State.complete;
        break;
      case Framing.malformed:
        this.#fail('malformed-chunk');
        break;
    }
  }
}
