import type { MessageChannel } from '../channel.ts';
import { Deferred } from '../deferred.ts';
import type { FromAgent, ToAgent } from '../message.ts';
import type { Broker } from './broker.ts';
import { type JoinReply, type JoinRequest, readJoinRequest, welcome } from './handshake.ts';
import { NatsChannel } from './nats-channel.ts';
import type { Subjects } from './subjects.ts';

/** Parts that a join desk is made of. */
export interface JoinDeskOptions {
  readonly broker: Broker;
  readonly subjects: Subjects;
  /** Version of the controller's package. */
  readonly version: string;
}

/** Time for an agent that was welcomed to answer; then its place is offered again. */
const OFFER_MS = 10_000;

type AgentChannel = NatsChannel<ToAgent, FromAgent>;

/**
 * Brings agents that want to join to a controller, as many as it has places for. While it has none,
 * nobody subscribes to the subject of joins, so agents keep waiting.
 */
export class JoinDesk {
  readonly #options: JoinDeskOptions;
  /** Places that no agent has taken yet. */
  readonly #open: Place[] = [];
  /** Agents by name: those that were welcomed and have not answered yet, and those that joined. */
  readonly #offers = new Map<string, { readonly key: string; readonly channel: AgentChannel }>();
  readonly #joined = new Set<string>();
  #unsubscribe: (() => void) | null = null;

  constructor(options: JoinDeskOptions) {
    this.#options = options;
  }

  /** Offers a place for one more agent; its channel begins with the message by which it joins. */
  offerPlace(): MessageChannel<ToAgent, FromAgent> {
    const place = new Place(() => this.#withdraw(place));
    this.#open.push(place);
    const { broker, subjects } = this.#options;
    this.#unsubscribe ??= broker.subscribe(
      subjects.joins,
      (bytes, subject) => {
        const request = readJoinRequest(bytes);
        // The broker may limit an agent to its name in subjects, so it is that name that counts.
        const isOwnName = request !== null && subject === subjects.join(request.facts.name);
        if (isOwnName) this.#take(request);
      },
      { queue: 'controllers' },
    );
    return place;
  }

  #withdraw(place: Place): void {
    const index = this.#open.indexOf(place);
    if (index !== -1) this.#open.splice(index, 1);
    if (this.#open.length > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  #take(request: JoinRequest): void {
    const { facts, key } = request;
    const { name, version } = facts;
    const own = this.#options.version;
    if (version !== own) {
      const message = `this agent runs version ${version}, and the controller ${own}`;
      this.#reply(request, { kind: 'refused', code: 'AGENT_VERSION', message });
      // The controller refuses it too, with both versions.
      this.#open[0]?.deliver({ kind: 'join', facts });
      return;
    }
    if (this.#joined.has(name)) {
      const message = `an agent named ${name} has joined already`;
      this.#reply(request, { kind: 'refused', code: 'AGENT_NAME', message });
      return;
    }
    const offer = this.#offers.get(name);
    // An agent that asks again did not get the welcome; another one of its name waits.
    if (offer?.key === key) offer.channel.close();
    if (this.#offers.has(name) || this.#offers.size >= this.#open.length) {
      this.#reply(request, { kind: 'later' });
      return;
    }
    const made = welcome(key, this.#options.broker.createKey());
    if (made !== null) this.#offer(request, made);
  }

  #offer(
    { facts: { name }, session, key }: JoinRequest,
    { reply, keys }: NonNullable<ReturnType<typeof welcome>>,
  ): void {
    const { broker, subjects } = this.#options;
    const sendSubject = subjects.to(name, session);
    const receiveSubject = subjects.from(name, session);
    const unsubscribe = broker.subscribe(receiveSubject, (bytes) => channel.receive(bytes), {
      onNobody: () => channel.hearNobody(),
    });
    const expiry = setTimeout(() => channel.close(), OFFER_MS);
    const channel: AgentChannel = new NatsChannel({
      broker,
      sendSubject,
      receiveSubject,
      keys,
      onEnd: () => {
        clearTimeout(expiry);
        unsubscribe();
        if (this.#offers.get(name)?.channel === channel) this.#offers.delete(name);
        else this.#joined.delete(name);
      },
    });
    this.#offers.set(name, { key, channel });
    channel.listen((message) => {
      clearTimeout(expiry);
      this.#offers.delete(name);
      const place = this.#open.shift();
      if (place === undefined) return channel.close();
      this.#joined.add(name);
      place.take(channel, message);
      if (this.#open.length === 0) this.#withdraw(place);
    });
    broker.publish(sendSubject, Buffer.from(JSON.stringify(reply)));
  }

  #reply({ facts: { name }, session }: JoinRequest, reply: JoinReply): void {
    const { broker, subjects } = this.#options;
    broker.publish(subjects.to(name, session), Buffer.from(JSON.stringify(reply)));
  }
}

/** The place of an agent: a channel to nobody until one takes it. */
class Place implements MessageChannel<ToAgent, FromAgent> {
  readonly ended: Promise<void>;
  readonly #end = new Deferred<void>();
  readonly #onClose: () => void;
  #channel: AgentChannel | null = null;
  #listener: (message: FromAgent) => void = () => undefined;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
    this.ended = this.#end.promise;
  }

  take(channel: AgentChannel, first: FromAgent): void {
    this.#channel = channel;
    void channel.ended.then(() => this.#end.resolve());
    channel.listen((message) => this.#listener(message));
    this.#listener(first);
  }

  deliver(message: FromAgent): void {
    this.#listener(message);
  }

  send(message: ToAgent): void {
    this.#channel?.send(message);
  }

  listen(listener: (message: FromAgent) => void): void {
    this.#listener = listener;
  }

  close(): void {
    this.#onClose();
    this.#channel?.close();
    this.#end.resolve();
  }
}
