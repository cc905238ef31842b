import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { MessageChannel } from '../channel.ts';
import type { AgentFacts, FromAgent, ToAgent } from '../message.ts';
import type { Broker } from './broker.ts';
import { Envelope } from './envelope.ts';
import { jsonOf, NatsChannel } from './nats-channel.ts';

/** An agent that wants to join. */
export interface JoinOptions {
  readonly broker: Broker;
  readonly facts: AgentFacts;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Called when a controller does not take this agent, with its reason. */
  readonly onRefused: (code: string, message: string) => void;
}

/** The answer to a request to join. */
const replySchema = z.discriminatedUnion('kind', [
  /** `key`: public curve key of the controller, for this session. */
  z.object({ kind: z.literal('welcome'), key: z.string() }),
  /** No agent is needed now. */
  z.object({ kind: z.literal('later') }),
  z.object({ kind: z.literal('refused'), code: z.string(), message: z.string() }),
]);

export type JoinReply = z.infer<typeof replySchema>;

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
      const receiving = subjects.toAgent(name, session);
      const sending = subjects.fromAgent(name, session);
      return new NatsChannel({ broker, sending, receiving, envelope });
    }
    const isRefused = reply?.kind === 'refused';
    if (isRefused) onRefused(reply.code, reply.message);
    const pause = sleep(isRefused ? REFUSED_MS : ASK_MS, undefined, { ref: false });
    await Promise.race([pause, aborted, broker.failed]);
  }
  return null;
}
