import type { IncomingMessage, ServerResponse } from 'node:http';
import { cutText, visibleText } from '../escape.ts';
import type { LiveHistory, NumberedEvent } from './history.ts';

/** Limits of the streams of a page. */
export interface StreamLimits {
  /** Interval of comments on a silent stream; default 15 s. */
  readonly heartbeatMs?: number | undefined;
  /** Streams at the same time; default 8. */
  readonly maxStreams?: number | undefined;
  /** Unsent bytes, without the replay, at which a stream is closed; default 1 MiB. */
  readonly maxUnsentBytes?: number | undefined;
}

const HEARTBEAT_MS = 15_000;
const MAX_STREAMS = 8;
const MAX_UNSENT_BYTES = 1024 * 1024;
/** Delay before a page reconnects. */
const RETRY_MS = 1000;
/** UTF-16 units of a text in an event. */
const TEXT_LIMIT = 800;

/** The open streams of a page (server-sent events); a new one is sent what it missed. */
export class EventStreams {
  readonly #history: LiveHistory;
  readonly #limits: StreamLimits;
  /** Unsent bytes that are allowed, by stream. */
  readonly #streams = new Map<ServerResponse, number>();
  readonly #heartbeat: NodeJS.Timeout;

  constructor(history: LiveHistory, limits: StreamLimits) {
    this.#history = history;
    this.#limits = limits;
    const heartbeatMs = limits.heartbeatMs ?? HEARTBEAT_MS;
    this.#heartbeat = setInterval(() => this.#write(': heartbeat\n\n'), heartbeatMs).unref();
  }

  get isFull(): boolean {
    return this.#streams.size >= (this.#limits.maxStreams ?? MAX_STREAMS);
  }

  /** Starts a stream on a response whose head has been written. */
  add(request: IncomingMessage, response: ServerResponse): void {
    response.once('close', () => this.#streams.delete(response));
    request.socket.setNoDelay(true);
    const missed = this.#history.since(lastEventId(request)).map(messageOf);
    const replay = [`retry: ${RETRY_MS}\n\n`, ...missed].join('');
    response.write(replay);
    const { maxUnsentBytes = MAX_UNSENT_BYTES } = this.#limits;
    this.#streams.set(response, maxUnsentBytes + Buffer.byteLength(replay));
  }

  /** Sends an event; without a stream it is not serialized. */
  send(event: NumberedEvent): void {
    if (this.#streams.size > 0) this.#write(messageOf(event));
  }

  /** Ends every stream; resolves when all is sent. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    const streams = [...this.#streams.keys()];
    this.#streams.clear();
    await Promise.all(streams.map((stream) => new Promise<void>((done) => stream.end(done))));
  }

  /** Closes a stream whose reader does not read: its unsent bytes would grow without end. */
  #write(text: string): void {
    for (const [stream, maxUnsentBytes] of this.#streams) {
      if (stream.writableLength > maxUnsentBytes) {
        this.#streams.delete(stream);
        stream.destroy();
      } else stream.write(text);
    }
  }
}

/** One message of a stream; JSON has no line end in it. */
function messageOf({ id, event }: NumberedEvent): string {
  return `id: ${id}\ndata: ${JSON.stringify(event, withVisibleText)}\n\n`;
}

/** Every text in an event: nothing invisible in it, and of limited length. */
function withVisibleText(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? visibleText(cutText(value, TEXT_LIMIT)) : value;
}

function lastEventId({ headers }: IncomingMessage): number {
  const id = headers['last-event-id'];
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : 0;
}
