/** The state after a byte of the framing. */
export const Framing = { more: 0, data: 1, end: 2, malformed: 3 } as const;

const State = {
  size: 0,
  extension: 1,
  sizeLf: 2,
  dataCr: 3,
  dataLf: 4,
  trailerStart: 5,
  trailer: 6,
  trailerLf: 7,
  endLf: 8,
} as const;

const LINE_LIMIT_BYTES = 16_384;
/** Twelve hexadecimal digits are 256 TB; more would leave the exact integers. */
const MOST_DIGITS = 12;
const CR = 13;
const LF = 10;

/** Parses the framing between the data of chunks, byte by byte (RFC 9112, section 7.1). */
export class ChunkFraming {
  /** Size of the chunk whose data comes next, bytes. */
  size = 0;
  #state: number = State.size;
  #digits = 0;
  #line = 0;

  /** Resets the parser for the first chunk of a body. */
  begin(): void {
    this.#digits = 0;
    this.#line = 0;
    this.#state = State.size;
  }

  /** Marks the data of a chunk as read. */
  endOfData(): void {
    this.#state = State.dataCr;
  }

  /** @returns one of {@link Framing}, such as: the data of a chunk comes next */
  read(byte: number): number {
    if (++this.#line > LINE_LIMIT_BYTES) return Framing.malformed;
    switch (this.#state) {
      case State.size:
        return this.#readSize(byte);
      case State.extension:
        return this.#readLine(byte, State.sizeLf);
      case State.sizeLf:
        this.#state = State.trailerStart;
        if (byte !== LF) return Framing.malformed;
        return this.size === 0 ? Framing.more : Framing.data;
      case State.dataCr:
        return this.#expect(byte, CR, State.dataLf);
      case State.dataLf:
        this.#digits = 0;
        this.#line = 0;
        return this.#expect(byte, LF, State.size);
      case State.trailerStart:
        this.#state = byte === CR ? State.endLf : State.trailer;
        return byte === LF ? Framing.malformed : Framing.more;
      case State.trailer:
        return this.#readLine(byte, State.trailerLf);
      case State.trailerLf:
        return this.#expect(byte, LF, State.trailerStart);
      default:
        return byte === LF ? Framing.end : Framing.malformed;
    }
  }

  #readSize(byte: number): number {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      if (++this.#digits > MOST_DIGITS) return Framing.malformed;
      this.size = this.#digits === 1 ? digit : this.size * 16 + digit;
    } else if (this.#digits === 0) return Framing.malformed;
    else if (byte === CR) this.#state = State.sizeLf;
    else if (byte === 0x3b || byte === 0x20 || byte === 0x09) this.#state = State.extension;
    else return Framing.malformed;
    return Framing.more;
  }

  /** Skips text up to the end of a line. */
  #readLine(byte: number, next: number): number {
    if (byte === CR) this.#state = next;
    return byte === LF || byte === 0 ? Framing.malformed : Framing.more;
  }

  #expect(byte: number, wanted: number, next: number): number {
    this.#state = next;
    return byte === wanted ? Framing.more : Framing.malformed;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
