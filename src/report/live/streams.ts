import type { IncomingMessage, ServerResponse } from 'node:http';

/** Limits of the streams of a page. */
export interface StreamLimits {
  /** Shortest time between two views; default 1 s. */
  readonly intervalMs?: number | undefined;
  /** Interval of comments on a silent stream; default 15 s. */
  readonly heartbeatMs?: number | undefined;
  /** Streams at the same time; default 8. */
  readonly maxStreams?: number | undefined;
}

const INTERVAL_MS = 1000;
const HEARTBEAT_MS = 15_000;
const MAX_STREAMS = 8;
/** Delay before a page reconnects. */
const RETRY_MS = 1000;

/**
 * The open streams of a page (server-sent events). Each gets the whole view after a change; without
 * a stream nothing is rendered.
 */
export class ViewStreams {
  readonly #render: () => unknown;
  readonly #limits: StreamLimits;
  /** Streams, each true once it has the latest view. */
  readonly #streams = new Map<ServerResponse, boolean>();
  readonly #heartbeat: NodeJS.Timeout;
  #timer: NodeJS.Timeout | null = null;

  constructor(render: () => unknown, limits: StreamLimits) {
    this.#render = render;
    this.#limits = limits;
    const heartbeatMs = limits.heartbeatMs ?? HEARTBEAT_MS;
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
  }

  get isFull(): boolean {
    return this.#streams.size >= (this.#limits.maxStreams ?? MAX_STREAMS);
  }

  /** Starts a stream on a response whose head has been written. */
  add(request: IncomingMessage, response: ServerResponse): void {
    response.once('close', () => this.#streams.delete(response));
    request.socket.setNoDelay(true);
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.#streams.set(response, false);
    this.#send();
  }

  /** Sends the view to each stream, now or once the interval since the last one is over. */
  changed(): void {
    for (const stream of this.#streams.keys()) this.#streams.set(stream, false);
    this.#send();
  }

  /** Sends the last view and ends every stream; resolves when all is sent. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    if (this.#timer) clearTimeout(this.#timer);
    this.#write([...this.#streams].flatMap(([stream, isLatest]) => (isLatest ? [] : [stream])));
    const streams = [...this.#streams.keys()];
    this.#streams.clear();
    await Promise.all(streams.map((stream) => new Promise<void>((done) => stream.end(done))));
  }

  #send(): void {
    if (this.#timer !== null) return;
    // A reader that has not taken the last view gets none until it has: views do not pile up.
    const due = [...this.#streams].flatMap(([stream, isLatest]) =>
      isLatest || stream.writableNeedDrain ? [] : [stream],
    );
    this.#write(due);
    if (![...this.#streams.values()].includes(false) && due.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#send();
    }, this.#limits.intervalMs ?? INTERVAL_MS).unref();
  }

  /** JSON has no line end in it. */
  #write(streams: readonly ServerResponse[]): void {
    if (streams.length === 0) return;
    const message = `data: ${JSON.stringify(this.#render())}\n\n`;
    for (const stream of streams) {
      stream.write(message);
      this.#streams.set(stream, true);
    }
  }

  #beat(): void {
    for (const stream of this.#streams.keys()) {
      if (!stream.writableNeedDrain) stream.write(': heartbeat\n\n');
    }
  }
}
