import type { Frame } from './frame.ts';
import { decodeMessage, encodeMessage } from './message-codec.ts';

/** Parts that a link is made of. */
export interface LinkOptions {
  /** The most bytes of a chunk. */
  readonly chunkBytes: number;
  readonly transmit: (frame: Frame) => void;
  readonly onMessage: (message: unknown) => void;
  /** Called at a message that cannot be read, or with too much unacknowledged. */
  readonly onFault: () => void;
  /** The most that may wait for its acknowledgement; default 64 MiB, far more than a plan. */
  readonly mostUnacknowledgedBytes?: number | undefined;
}

/** Ticks without progress before the frames that are not acknowledged are sent again. */
const REPEAT_TICKS = 3;
const MOST_REPEAT_TICKS = 12;
const MOST_UNACKNOWLEDGED_BYTES = 64 * 1024 * 1024;

/**
 * Messages in numbered frames, which are sent again until they are acknowledged: a broker delivers
 * nothing of what is published while a connection is gone. Frames carry acknowledgements; since each
 * side answers pings, no others are needed. A frame that never arrives holds up all behind it, so the
 * peer falls silent, which is noticed above.
 */
export class Link {
  readonly #options: LinkOptions;
  /** Frames that are not acknowledged, ascending. */
  #unacknowledged: Omit<Frame, 'acknowledged'>[] = [];
  #unacknowledgedBytes = 0;
  #sent = 0;
  #received = 0;
  #chunks: Buffer[] = [];
  #ticks = 0;
  #patience = REPEAT_TICKS;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  send(message: object): void {
    const { chunkBytes, onFault } = this.#options;
    const { mostUnacknowledgedBytes = MOST_UNACKNOWLEDGED_BYTES } = this.#options;
    const bytes = encodeMessage(message);
    for (let from = 0; from < bytes.length; from += chunkBytes) {
      const chunk = bytes.subarray(from, from + chunkBytes);
      const isLast = from + chunkBytes >= bytes.length;
      const frame = { number: ++this.#sent, isLast, chunk };
      this.#unacknowledged.push(frame);
      this.#transmit(frame);
    }
    this.#unacknowledgedBytes += bytes.length;
    if (this.#unacknowledgedBytes > mostUnacknowledgedBytes) onFault();
  }

  /** Takes a frame; one that came before, or that comes before another is repeated, has no effect. */
  receive({ number, acknowledged, isLast, chunk }: Frame): void {
    this.#acknowledge(acknowledged);
    if (number !== this.#received + 1) return;
    this.#received = number;
    this.#chunks.push(chunk);
    if (!isLast) return;
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    let message: unknown;
    try {
      message = decodeMessage(bytes);
    } catch {
      this.#options.onFault();
      return;
    }
    this.#options.onMessage(message);
  }

  /** Sends again what waits for its acknowledgement for too long. */
  tick(): void {
    if (this.#unacknowledged.length === 0 || ++this.#ticks < this.#patience) return;
    this.#patience = Math.min(2 * this.#patience, MOST_REPEAT_TICKS);
    this.repeat();
  }

  /** Sends again what is not acknowledged. */
  repeat(): void {
    this.#ticks = 0;
    for (const frame of this.#unacknowledged) this.#transmit(frame);
  }

  #transmit(frame: Omit<Frame, 'acknowledged'>): void {
    this.#options.transmit({ ...frame, acknowledged: this.#received });
  }

  #acknowledge(number: number): void {
    const open = this.#unacknowledged.findIndex((frame) => frame.number > number);
    const done = this.#unacknowledged.splice(0, open === -1 ? Infinity : open);
    if (done.length === 0) return;
    this.#ticks = 0;
    this.#patience = REPEAT_TICKS;
    for (const { chunk } of done) this.#unacknowledgedBytes -= chunk.length;
  }
}
