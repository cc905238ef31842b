import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Answers after which those of a turn are written, even if more may follow. */
const MOST = 32;
/** Longer answers get memory of their own. */
const SLOT_BYTES = 1024;

/** Memory that is used again for answers, and views of its first bytes, by their number. */
interface Slot {
  bytes: Buffer;
  views: (Buffer | undefined)[];
}

/**
 * Collects the answers of one turn of the event loop and writes them together. Each write wakes a client
 * that waits; one that is awake finds the next answer without being woken. Answers wait as long as the
 * requests that were read with theirs take.
 */
export class TurnAnswers {
  readonly #onFull: (socket: Socket) => void;
  readonly #slots: Slot[] = Array.from({ length: MOST }, newSlot);
  // Filled from the start: V8 takes lists that are empty at first for others, and drops the code that it
  // optimized while the server warmed up.
  readonly #sockets: (Socket | null)[] = Array.from({ length: MOST }, () => null);
  readonly #answers: (Buffer | null)[] = Array.from({ length: MOST }, () => null);
  #count = 0;
  // Bound: V8 would optimize a function around it, with all that it calls, under the first clients.
  readonly #flush = this.flush.bind(this);
  #isPlanned = false;

  /** @param onFull called for a socket that should not be read until it is drained */
  constructor(onFull: (socket: Socket) => void) {
    this.#onFull = onFull;
  }

  /** Adds an answer; its bytes are copied. */
  add(socket: Socket, answer: Buffer): void {
    const at = this.#count++;
    this.#sockets[at] = socket;
    this.#answers[at] = this.#copyOf(answer, at);
    if (this.#count === MOST) {
      this.flush();
    } else if (!this.#isPlanned) {
      this.#isPlanned = true;
      setImmediate(this.#flush);
    }
  }

  /** Writes the answers; whatever else is written to their sockets comes after. */
  flush(): void {
    this.#isPlanned = false;
    for (let at = 0; at < this.#count; at++) {
      const socket = this.#sockets[at]!;
      const isQueued = socket.writableLength > 0;
      if (!socket.write(this.#answers[at]!)) this.#onFull(socket);
      if (isQueued || isStillRead(socket)) this.#slots[at] = newSlot();
      this.#sockets[at] = null;
      this.#answers[at] = null;
    }
    this.#count = 0;
  }

  #copyOf(answer: Buffer, at: number): Buffer {
    const slot = this.#slots[at];
    if (slot === undefined || answer.length > SLOT_BYTES) return Buffer.from(answer);
    slot.bytes.set(answer);
    slot.views[answer.length] ??= slot.bytes.subarray(0, answer.length);
    return slot.views[answer.length]!;
  }
}

/**
 * Checks whether a socket that had nothing to write reads the bytes of its last write later. The kernel nearly always takes
 * all at once; TLS has encrypted or copied them.
 */
function isStillRead(socket: Socket): boolean {
  return socket.writableLength > 0 && !(socket instanceof TLSSocket);
}

function newSlot(): Slot {
  // Filled from the start: V8 keeps a list with gaps in a hash table, which is slower to read.
  return {
    bytes: Buffer.allocUnsafeSlow(SLOT_BYTES),
    views: Array.from({ length: SLOT_BYTES + 1 }, () => undefined),
  };
}
