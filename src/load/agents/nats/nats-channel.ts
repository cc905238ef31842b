import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { FareproofError } from '../../../interface/errors.ts';
import { Deferred } from '../../deferred.ts';
import type { MessageChannel } from '../message.ts';
import type { Broker } from './broker.ts';
import type { Envelope } from './envelope.ts';
import type { Line } from './subjects.ts';

/** Parts that a channel is made of. */
export interface NatsChannelOptions {
  readonly broker: Broker;
  readonly sending: Line;
  readonly receiving: Line;
  readonly envelope: Envelope;
}

const liveSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ping'), number: z.number() }),
  z.object({ kind: z.literal('pong'), number: z.number(), atNs: z.number() }),
]);

/** Pings in a row that nobody subscribes to, after which the agent is gone: 400 ms. */
const GONE_PINGS = 4;
/** Messages that are stored again after a reconnect: a broker that ended may have delivered them not. */
const REPEATED_MESSAGES = 32;
/** Bytes of a message besides its payload, at most. */
const HEADER_BYTES = 512;

/**
 * A channel over a broker, which outlasts a reconnect of either side. It ends when the broker says that
 * the agent no longer subscribes to its pings: its process ended, or its connection did and does not
 * come back. After a reconnect of this side that does not count until the agent was heard again: it may
 * be about to reconnect too.
 */
export class NatsChannel<Sent extends { readonly kind: string }, Received>
  implements MessageChannel<Sent, Received>
{
  readonly ended: Promise<void>;
  readonly #options: NatsChannelOptions;
  readonly #end = new Deferred<void>();
  readonly #idPrefix = randomBytes(12).toString('hex');
  /** The last messages, by number. */
  readonly #recent = new Map<number, Buffer>();
  readonly #received = new Set<number>();
  #sent = 0;
  #stored = Promise.resolve();
  #gonePings = 0;
  /** Number of reconnects of this side when the other was heard last. */
  #heardAfter = -1;

  constructor(options: NatsChannelOptions) {
    const { broker } = options;
    this.#options = options;
    this.ended = this.#end.promise;
    void this.ended.then(
      broker.onReconnect(() => {
        for (const [number, bytes] of this.#recent) this.#store(number, bytes);
      }),
    );
    void broker.failed.catch(() => this.close());
  }

  get isDown(): boolean {
    return !this.#options.broker.isConnected;
  }

  /** @throws FareproofError `BROKER_PAYLOAD` */
  send(message: Sent): void {
    if (this.#end.isSettled) return;
    const { broker, sending, receiving, envelope } = this.#options;
    const { kind } = message;
    if (kind === 'ping' || kind === 'pong') {
      // Who asks is told that nobody is there to answer.
      const reply = kind === 'ping' ? receiving.live : undefined;
      return broker.publish(sending.live, Buffer.from(JSON.stringify(message)), reply);
    }
    const number = this.#sent + 1;
    const bytes = envelope.pack({ number, message });
    const most = broker.payloadBytes - HEADER_BYTES;
    if (bytes.length > most) {
      throw new FareproofError(
        'BROKER_PAYLOAD',
        `A message of ${bytes.length} bytes (${kind}) is too long for the broker, which takes ${most}; set its max_payload to more.`,
      );
    }
    this.#sent = number;
    this.#recent.set(number, bytes).delete(number - REPEATED_MESSAGES);
    this.#store(number, bytes);
  }

  listen(listener: (message: Received) => void): void {
    const { broker, receiving, envelope } = this.#options;
    const hear = (message: unknown): void => {
      this.#gonePings = 0;
      this.#heardAfter = broker.reconnects;
      listener(message as Received);
    };
    const stopReading = broker.read(receiving.stored, (bytes) => {
      const opened = envelope.open(bytes);
      if (opened === null || this.#received.has(opened.number)) return;
      this.#received.add(opened.number);
      hear(opened.message);
    });
    const onNobody = (): void => {
      if (this.#heardAfter < broker.reconnects) return;
      if (++this.#gonePings >= GONE_PINGS) this.close();
    };
    const unsubscribe = broker.subscribe(
      receiving.live,
      ({ data }) => {
        const message = liveSchema.safeParse(jsonOf(data)).data;
        if (message) hear(message);
      },
      { onNobody },
    );
    void this.ended.then(() => {
      stopReading();
      unsubscribe();
    });
  }

  close(): void {
    this.#end.resolve();
  }

  /** Stores a message once those before it are; the stream drops one whose id it knows. */
  #store(number: number, bytes: Buffer): void {
    const { broker, sending } = this.#options;
    const id = `${this.#idPrefix}-${number}`;
    this.#stored = this.#stored.then(() => broker.store(sending.stored, bytes, id));
    broker.finishBeforeClose(this.#stored);
  }
}

/** The value of JSON text; undefined for anything else. */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}
