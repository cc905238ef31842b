/** Reasons why the head of an answer could not be read. */
export type HeadFailure =
  | 'malformed-status-line'
  | 'malformed-header'
  | 'head-too-long'
  | 'conflicting-length'
  | 'unsupported-transfer-encoding';

const CR = 13;
const LF = 10;
const SPACE = 32;
const TAB = 9;
const COLON = 58;
const VERSION = Buffer.from('HTTP/1.', 'latin1');

/** Token characters of RFC 9110, section 5.6.2. */
const TOKEN: Uint8Array = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  TOKEN[character.charCodeAt(0)] = 1;
}

/** Header fields that decide framing and connection reuse (RFC 9112, section 6.3). */
export class ResponseHead {
  status = 0;
  /** Bytes; -1 where there is none. */
  contentLength = -1;
  chunked = false;
  /** True if the connection takes another request after this answer. */
  keepAlive = true;
  /** Seconds for which the server keeps an idle connection (Keep-Alive header); -1 where unknown. */
  keepAliveTimeoutS = -1;
  failure: HeadFailure = 'malformed-status-line';
  /** Offset of the first incomplete line. */
  resumeAt = 0;
  #inHeaders = false;
  #transferEncoding = false;

  /** Resets the fields for the next head. */
  begin(): void {
    this.contentLength = -1;
    this.chunked = false;
    this.keepAliveTimeoutS = -1;
    this.#inHeaders = false;
    this.#transferEncoding = false;
  }

  /**
   * Parses a head from the start of a line. If the head continues beyond `to`, complete lines are
   * taken, and parsing resumes at {@link resumeAt} once there are more bytes.
   *
   * @returns offset of the body; 0 if the head is incomplete; -1 with {@link failure} set
   */
  parse(bytes: Buffer, from: number, to: number): number {
    let line = from;
    if (!this.#inHeaders) {
      const next = this.#parseStatusLine(bytes, line, to);
      this.resumeAt = line;
      if (next <= 0) return next;
      this.#inHeaders = true;
      line = next;
    }
    for (;;) {
      this.resumeAt = line;
      if (line >= to) return 0;
      if (bytes[line] === CR) return this.#endHead(bytes, line, to);
      const next = this.#parseHeader(bytes, line, to);
      if (next <= 0) return next;
      line = next;
    }
  }

  #endHead(bytes: Buffer, line: number, to: number): number {
    if (line + 1 >= to) return 0;
    if (bytes[line + 1] !== LF) return this.#refuse('malformed-header');
    return this.#transferEncoding && this.contentLength >= 0
      ? this.#refuse('conflicting-length')
      : line + 2;
  }

  /** `HTTP/1.1 200 OK`; the reason may be left out. Returns as {@link parse}. */
  #parseStatusLine(bytes: Buffer, from: number, to: number): number {
    const known = Math.min(to - from, 7);
    for (let index = 0; index < known; index++) {
      if (bytes[from + index] !== VERSION[index]) return this.#refuse('malformed-status-line');
    }
    if (to - from < 13)
      return bytes.subarray(from, to).includes(LF) ? this.#refuse('malformed-status-line') : 0;
    const minor = (bytes[from + 7] as number) - 48;
    const status = digits(bytes, from + 9, from + 12);
    const after = bytes[from + 12];
    if (
      (minor !== 0 && minor !== 1) ||
      bytes[from + 8] !== SPACE ||
      status < 100 ||
      (after !== SPACE && after !== CR)
    ) {
      return this.#refuse('malformed-status-line');
    }
    this.status = status;
    this.keepAlive = minor === 1;
    return this.#endLine(bytes, from + 12, to, 'malformed-status-line');
  }

  /** One header line; returns as {@link parse}. */
  #parseHeader(bytes: Buffer, from: number, to: number): number {
    let at = from;
    while (at < to && TOKEN[bytes[at] as number] === 1) at++;
    if (at >= to) return 0;
    if (bytes[at] !== COLON || at === from) return this.#refuse('malformed-header');
    const nameLength = at - from;
    const valueFrom = at + 1;
    const next = this.#endLine(bytes, valueFrom, to, 'malformed-header');
    if (next <= 0) return next;
    // Few names matter, and their lengths rule out most others.
    switch (nameLength) {
      case 10:
        if (isName(bytes, from, 'connection')) this.#takeConnection(bytes, valueFrom, next - 2);
        else if (isName(bytes, from, 'keep-alive')) this.#takeKeepAlive(bytes, valueFrom, next - 2);
        break;
      case 14:
        if (isName(bytes, from, 'content-length')) return this.#takeLength(bytes, valueFrom, next);
        break;
      case 17:
        if (isName(bytes, from, 'transfer-encoding'))
          return this.#takeCoding(bytes, valueFrom, next);
        break;
    }
    return next;
  }

  /** The rest of a line; a bare CR or LF or a NUL in it is refused. Returns as {@link parse}. */
  #endLine(bytes: Buffer, from: number, to: number, failure: HeadFailure): number {
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte > CR) continue;
      if (byte === CR) {
        if (at + 1 >= to) return 0;
        return bytes[at + 1] === LF ? at + 2 : this.#refuse(failure);
      }
      if (byte === LF || byte === 0) return this.#refuse(failure);
    }
    return 0;
  }

  #takeLength(bytes: Buffer, valueFrom: number, next: number): number {
    let from = valueFrom;
    let to = next - 2;
    while (from < to && isBlank(bytes[from] as number)) from++;
    while (to > from && isBlank(bytes[to - 1] as number)) to--;
    const length = to - from > 15 ? -1 : digits(bytes, from, to);
    if (length < 0 || (this.contentLength >= 0 && this.contentLength !== length)) {
      return this.#refuse('conflicting-length');
    }
    this.contentLength = length;
    return next;
  }

  #takeCoding(bytes: Buffer, valueFrom: number, next: number): number {
    const value = textOf(bytes, valueFrom, next - 2);
    // Anything else would have to be decoded to find its end.
    if (this.#transferEncoding || value !== 'chunked') {
      return this.#refuse('unsupported-transfer-encoding');
    }
    this.#transferEncoding = true;
    this.chunked = true;
    return next;
  }

  #takeConnection(bytes: Buffer, valueFrom: number, to: number): void {
    let from = valueFrom;
    while (from < to && isBlank(bytes[from] as number)) from++;
    // The two usual values, without making a string once a request.
    if (to - from === 10 && isName(bytes, from, 'keep-alive')) this.keepAlive = true;
    else if (to - from === 5 && isName(bytes, from, 'close')) this.keepAlive = false;
    else {
      const options = textOf(bytes, from, to).split(/[ \t]*,[ \t]*/);
      if (options.includes('close')) this.keepAlive = false;
    }
  }

  #takeKeepAlive(bytes: Buffer, from: number, to: number): void {
    const seconds = /(?:^|,)\s*timeout=(\d{1,6})/.exec(textOf(bytes, from, to))?.[1];
    if (seconds !== undefined) this.keepAliveTimeoutS = Number(seconds);
  }

  #refuse(failure: HeadFailure): -1 {
    this.failure = failure;
    return -1;
  }
}

/** Case does not matter; `name` is lower case. */
function isName(bytes: Buffer, from: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if (((bytes[from + index] as number) | 0x20) !== name.charCodeAt(index)) return false;
  }
  return true;
}

/** A whole number; -1 where a byte is not a digit or there is none. */
function digits(bytes: Buffer, from: number, to: number): number {
  if (from >= to) return -1;
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = (bytes[at] as number) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const isBlank = (byte: number): boolean => byte === SPACE || byte === TAB;

const textOf = (bytes: Buffer, from: number, to: number): string =>
  bytes.toString('latin1', from, to).trim().toLowerCase();
