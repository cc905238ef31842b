import * as z from 'zod';
import { FareproofError } from '../../../interface/errors.ts';
import { Deferred } from '../deferred.ts';
import { type JoinedAgent, notJoined } from '../remote-agent.ts';
import type { Broker } from './broker.ts';
import { Envelope } from './envelope.ts';
import type { JoinReply } from './join.ts';
import { jsonOf, NatsChannel } from './nats-channel.ts';
import { isToken } from './subjects.ts';

/** A request to join. It is readable for all versions, so that another one can be refused. */
const requestSchema = z.object({
  facts: z.object({
    name: z.string().refine(isToken),
    version: z.string(),
    cores: z.number(),
    workers: z.number().nullable(),
  }),
  session: z.string().refine(isToken),
  /** Public curve key of the agent. */
  key: z.string(),
});

/**
 * Brings agents that want to join to a controller, as many as it has places for. While it has none,
 * nobody subscribes to the subject of joins, so agents keep waiting.
 */
export class JoinDesk {
  readonly #broker: Broker;
  readonly #version: string;
  /** Places that no agent has taken yet. */
  readonly #places: Deferred<JoinedAgent>[] = [];
  /** Names of the agents that have joined. */
  readonly #joined = new Set<string>();
  #unsubscribe: (() => void) | null = null;

  /** @param version of the controller's package */
  constructor(broker: Broker, version: string) {
    this.#broker = broker;
    this.#version = version;
  }

  /**
   * Waits for one more agent, until the signal aborts.
   *
   * @throws FareproofError `AGENT_NOT_JOINED`, `AGENT_VERSION`
   */
  join(signal: AbortSignal): Promise<JoinedAgent> {
    const { subjects } = this.#broker;
    const place = new Deferred<JoinedAgent>();
    this.#places.push(place);
    const withdraw = (): void => {
      this.#remove(place);
      place.reject(notJoined(signal));
    };
    signal.addEventListener('abort', withdraw, { once: true });
    this.#unsubscribe ??= this.#broker.subscribe(
      subjects.joins,
      (message) => {
        const request = requestSchema.safeParse(jsonOf(message.data)).data;
        // The broker may limit an agent to its name in subjects, so it is that name that counts.
        if (request === undefined || message.subject !== subjects.join(request.facts.name)) return;
        message.respond(Buffer.from(JSON.stringify(this.#answer(request))));
      },
      { queue: 'controllers' },
    );
    return place.promise;
  }

  #answer({ facts, session, key: agentKey }: z.infer<typeof requestSchema>): JoinReply {
    const { name, version } = facts;
    if (this.#joined.has(name)) {
      const message = `an agent named ${name} has joined already`;
      return { kind: 'refused', code: 'AGENT_NAME', message };
    }
    const broker = this.#broker;
    const key = broker.createKey();
    const envelope = Envelope.between(key, agentKey);
    const [place] = this.#places;
    if (place === undefined || envelope === null) return { kind: 'later' };
    this.#remove(place);
    if (version !== this.#version) {
      const versions = `${name} runs version ${version}, and the controller ${this.#version}`;
      const message = `Agent ${versions}: a run needs the same version on every machine.`;
      place.reject(new FareproofError('AGENT_VERSION', message));
      return { kind: 'refused', code: 'AGENT_VERSION', message };
    }
    const sending = broker.subjects.toAgent(name, session);
    const receiving = broker.subjects.fromAgent(name, session);
    const channel: JoinedAgent['channel'] = new NatsChannel({
      broker,
      sending,
      receiving,
      envelope,
    });
    this.#joined.add(name);
    void channel.ended.then(() => this.#joined.delete(name));
    place.resolve({ facts, channel });
    return { kind: 'welcome', key: key.getPublicKey() };
  }

  #remove(place: Deferred<JoinedAgent>): void {
    const index = this.#places.indexOf(place);
    if (index !== -1) this.#places.splice(index, 1);
    if (this.#places.length > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }
}
