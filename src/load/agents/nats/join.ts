import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { FareproofError } from '../../../interface/errors.ts';
import { Deferred } from '../../deferred.ts';
import type { AgentFacts, FromAgent, MessageChannel, ToAgent } from '../message.ts';
import { type JoinedAgent, notJoined } from '../remote-agent.ts';
import type { Broker } from './broker.ts';
import { Envelope } from './envelope.ts';
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

/** The answer to a request to join. */
const replySchema = z.discriminatedUnion('kind', [
  /** `key`: public curve key of the controller, for this session. */
  z.object({ kind: z.literal('welcome'), key: z.string() }),
  /** No agent is needed now. */
  z.object({ kind: z.literal('later') }),
  z.object({ kind: z.literal('refused'), code: z.string(), message: z.string() }),
]);

type JoinReply = z.infer<typeof replySchema>;

/** An agent that wants to join. */
export interface JoinOptions {
  readonly broker: Broker;
  readonly facts: AgentFacts;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Called when a controller does not take this agent, with its reason. */
  readonly onRefused: (code: string, message: string) => void;
}

/** Between two requests to join while no controller needs an agent. */
const ASK_MS = 500;
/** After a refusal: it stays the same for a while. */
const REFUSED_MS = 5000;

/**
 * Waits for a controller that needs an agent, and joins it.
 *
 * @returns the channel to it; null if the signal aborted
 * @throws FareproofError as {@link Broker.failed}
 */
export async function joinController(
  options: JoinOptions,
): Promise<MessageChannel<FromAgent, ToAgent> | null> {
  const { broker, facts, signal, onRefused } = options;
  const { subjects } = broker;
  const { name } = facts;
  const key = broker.createKey();
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  while (!signal.aborted) {
    const session = randomBytes(12).toString('hex');
    const request = Buffer.from(JSON.stringify({ facts, session, key: key.getPublicKey() }));
    const asked = broker.request(subjects.join(name), request);
    const answer = await Promise.race([asked, aborted, broker.failed]);
    const reply = answer && replySchema.safeParse(jsonOf(answer)).data;
    const envelope = reply?.kind === 'welcome' ? Envelope.between(key, reply.key) : null;
    if (envelope !== null) {
      const { to, from } = subjects.session(name, session);
      return new NatsChannel({ broker, sending: from, receiving: to, envelope });
    }
    const isRefused = reply?.kind === 'refused';
    if (isRefused) onRefused(reply.code, reply.message);
    const pause = sleep(isRefused ? REFUSED_MS : ASK_MS, undefined, { ref: false });
    await Promise.race([pause, aborted, broker.failed]);
  }
  return null;
}

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
    const { to, from } = broker.subjects.session(name, session);
    const joined: JoinedAgent = {
      facts,
      channel: new NatsChannel({ broker, sending: to, receiving: from, envelope }),
    };
    this.#joined.add(name);
    void joined.channel.ended.then(() => this.#joined.delete(name));
    place.resolve(joined);
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
