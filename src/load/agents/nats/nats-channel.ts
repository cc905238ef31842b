import type { MessageChannel } from '../channel.ts';
import { Deferred } from '../deferred.ts';
import type { Broker } from './broker.ts';
import { FrameSealer, SEALED_OVERHEAD, type SessionKeys } from './frame.ts';
import { Link } from './link.ts';

/** Parts that a channel is made of. */
export interface NatsChannelOptions {
  readonly broker: Broker;
  /** Subject of the messages to the other side. */
  readonly sendSubject: string;
  /** Subject of the messages to this side; the caller has subscribed to it, or will. */
  readonly receiveSubject: string;
  readonly keys: SessionKeys;
  /** Called once when the channel ends. */
  readonly onEnd: () => void;
}

const TICK_MS = 100;
/** Ticks in a row with word that nobody subscribes, after which the other side is gone: 400 ms. */
const GONE_TICKS = 4;
/** Longer frames would hold up the pings behind them. */
const MOST_CHUNK_BYTES = 256 * 1024;

/**
 * A channel over a broker, sealed, which outlasts a reconnect of either side. It ends when the broker
 * says that the other side no longer subscribes: a process that ends is noticed so, and one whose
 * connection ended and does not come back. After a reconnect of this side's own connection that does
 * not count until the other side was heard again: it may be about to reconnect too.
 */
export class NatsChannel<Sent extends object, Received> implements MessageChannel<Sent, Received> {
  readonly ended: Promise<void>;
  readonly #options: NatsChannelOptions;
  readonly #sealer: FrameSealer;
  readonly #link: Link;
  readonly #end = new Deferred<void>();
  readonly #ticker: NodeJS.Timeout;
  #waiting: Received[] = [];
  #listener: ((message: Received) => void) | null = null;
  #ticks = 0;
  #goneTicks = 0;
  #lastGoneTick = 0;
  /** Number of reconnects of this side when the other was heard last. */
  #heardAfter: number;
  #seenReconnects: number;

  constructor(options: NatsChannelOptions) {
    const { broker, keys } = options;
    this.#options = options;
    this.ended = this.#end.promise;
    this.#sealer = new FrameSealer(keys);
    this.#heardAfter = broker.reconnects;
    this.#seenReconnects = broker.reconnects;
    this.#link = new Link({
      chunkBytes: Math.min(MOST_CHUNK_BYTES, broker.payloadBytes - SEALED_OVERHEAD),
      transmit: (frame) => this.#publish(this.#sealer.seal(frame)),
      onMessage: (message) => this.#deliver(message as Received),
      onFault: () => this.close(),
    });
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    void broker.failed.catch(() => this.close());
  }

  send(message: Sent): void {
    if (!this.#end.isSettled) this.#link.send(message);
  }

  listen(listener: (message: Received) => void): void {
    this.#listener = listener;
    for (const message of this.#waiting.splice(0)) listener(message);
  }

  close(): void {
    if (this.#end.isSettled) return;
    clearInterval(this.#ticker);
    this.#end.resolve();
    this.#options.onEnd();
  }

  /** Takes what came on the subject of this side. */
  receive(bytes: Uint8Array): void {
    if (this.#end.isSettled) return;
    const frame = this.#sealer.open(bytes);
    if (frame === null) return;
    this.#goneTicks = 0;
    this.#heardAfter = this.#options.broker.reconnects;
    this.#link.receive(frame);
  }

  /** Takes word that nobody subscribes to the subject of the other side; once a tick counts. */
  hearNobody(): void {
    if (this.#heardAfter < this.#options.broker.reconnects) return;
    if (this.#lastGoneTick === this.#ticks) return;
    this.#lastGoneTick = this.#ticks;
    if (++this.#goneTicks >= GONE_TICKS) this.close();
  }

  #tick(): void {
    this.#ticks++;
    const { reconnects } = this.#options.broker;
    if (reconnects > this.#seenReconnects) this.#link.repeat();
    else this.#link.tick();
    this.#seenReconnects = reconnects;
  }

  #publish(bytes: Uint8Array): void {
    const { broker, sendSubject, receiveSubject } = this.#options;
    broker.publish(sendSubject, bytes, receiveSubject);
  }

  #deliver(message: Received): void {
    if (this.#listener === null) this.#waiting.push(message);
    else this.#listener(message);
  }
}
