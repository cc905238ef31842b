import type { LoadClock } from '../clock.ts';
import type { MessageChannel } from './channel.ts';
import type { AgentFacts, FromAgent, ToAgent } from './message.ts';
import { AgentPool, type OnLost } from './pool.ts';
import { RemoteAgent } from './remote-agent.ts';

/** Agents to be opened. */
export interface PoolSettings {
  readonly count: number;
  /** Generators of each agent that does not say how many it runs. */
  readonly workers: number;
  readonly onLost: OnLost;
  /** Version of this package; an agent of another one is refused. */
  readonly version: string;
  readonly clock: LoadClock;
  readonly joinTimeoutMs: number;
  /** Ends the waiting for agents to join. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each agent that has joined. */
  readonly onJoin?: ((facts: AgentFacts) => void) | undefined;
  /** Opens the channel to a further agent, the first being number 1. */
  readonly connect: (number: number) => MessageChannel<ToAgent, FromAgent>;
}

/**
 * Opens the channels to agents, and waits until all have joined.
 *
 * @throws FareproofError `AGENT_NOT_JOINED`, `AGENT_VERSION`; those that have joined leave again
 */
export function openAgentPool(settings: PoolSettings): Promise<AgentPool> {
  const { count, workers, onLost, connect, signal, onJoin, ...own } = settings;
  let opened = 0;
  const join = async (either: AbortSignal): Promise<RemoteAgent> => {
    const agent = await RemoteAgent.join({ ...own, signal: either, channel: connect(++opened) });
    onJoin?.(agent.facts);
    return agent;
  };
  return AgentPool.open({ count, workers, onLost, join, signal });
}
