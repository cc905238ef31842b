import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyPair } from '@nats-io/nkeys';
import type { MessageChannel } from '../channel.ts';
import { Deferred } from '../deferred.ts';
import type { AgentFacts, FromAgent, ToAgent } from '../message.ts';
import type { Broker } from './broker.ts';
import { type JoinReply, keysOf, readJoinReply } from './handshake.ts';
import { NatsChannel } from './nats-channel.ts';
import type { Subjects } from './subjects.ts';

/** An agent that wants to join. */
export interface JoinOptions {
  readonly broker: Broker;
  readonly subjects: Subjects;
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
const REPLY_TIMEOUT_MS = 2000;

/**
 * Waits for a controller that needs an agent, and joins it.
 *
 * @returns the channel to it; null if the signal aborted
 * @throws FareproofError as {@link Broker.failed}
 */
export async function joinController(
  options: JoinOptions,
): Promise<MessageChannel<FromAgent, ToAgent> | null> {
  const { broker, signal, onRefused } = options;
  const key = broker.createKey();
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  while (!signal.aborted) {
    const joining = new Joining(options, key);
    const timeout = sleep(REPLY_TIMEOUT_MS, 'late' as const, { ref: false });
    const outcome = await Promise.race([joining.outcome, timeout, aborted, broker.failed]).catch(
      (error: unknown) => {
        joining.end();
        throw error;
      },
    );
    if (outcome instanceof NatsChannel) return outcome;
    joining.end();
    if (typeof outcome === 'object' && outcome?.kind === 'refused') {
      onRefused(outcome.code, outcome.message);
      await Promise.race([sleep(REFUSED_MS, undefined, { ref: false }), aborted]);
    } else if (outcome !== 'late') {
      await Promise.race([sleep(ASK_MS, undefined, { ref: false }), aborted, broker.failed]);
    }
  }
  return null;
}

type AgentChannel = NatsChannel<FromAgent, ToAgent>;

/** One request to join. */
class Joining {
  /** Resolves to the channel, to the reply of a controller that needs no agent, or to `nobody`. */
  readonly outcome: Promise<AgentChannel | JoinReply | 'nobody'>;
  readonly #unsubscribe: () => void;

  constructor({ broker, subjects, facts }: JoinOptions, key: KeyPair) {
    const session = randomBytes(12).toString('hex');
    const receiveSubject = subjects.to(facts.name, session);
    const sendSubject = subjects.from(facts.name, session);
    const outcome = new Deferred<AgentChannel | JoinReply | 'nobody'>();
    this.outcome = outcome.promise;
    let channel: AgentChannel | null = null;
    const onReply = (reply: JoinReply): void => {
      if (reply.kind !== 'welcome') {
        outcome.resolve(reply);
        return;
      }
      const keys = keysOf(reply, key);
      if (keys === null) return;
      const onEnd = (): void => this.#unsubscribe();
      channel = new NatsChannel({ broker, sendSubject, receiveSubject, keys, onEnd });
      outcome.resolve(channel);
    };
    this.#unsubscribe = broker.subscribe(
      receiveSubject,
      (bytes) => {
        if (channel !== null) return channel.receive(bytes);
        const reply = readJoinReply(bytes);
        if (reply !== null) onReply(reply);
      },
      { onNobody: () => (channel === null ? outcome.resolve('nobody') : channel.hearNobody()) },
    );
    const request = Buffer.from(JSON.stringify({ facts, session, key: key.getPublicKey() }));
    broker.publish(subjects.join(facts.name), request, receiveSubject);
  }

  end(): void {
    this.#unsubscribe();
    void this.outcome.then((outcome) => outcome instanceof NatsChannel && outcome.close());
  }
}
