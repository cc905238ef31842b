import { fork } from 'node:child_process';
import {
  AgentPool,
  Broker,
  type BrokerAddress,
  channelToChild,
  JoinDesk,
  joinedOver,
  type PoolSettings,
  systemClock,
} from '../../load/index.ts';
import { TOOL } from '../tool.ts';
import type { AskedBroker } from './broker.ts';

/** Agents that have joined. */
export interface OpenAgents {
  readonly pool: AgentPool;
  /** Lets them leave. */
  close(): Promise<void>;
}

/** Agents that are asked for. */
export type AskedAgents = Omit<PoolSettings, 'clock' | 'connect' | 'onJoin'>;

/**
 * Starts agents as child processes.
 *
 * @param file entry of their process, which gets the name of the agent
 * @throws FareproofError `AGENT_NOT_JOINED`
 */
export async function startAgents(asked: AskedAgents, file: string): Promise<OpenAgents> {
  const pool = await AgentPool.open({
    ...asked,
    clock: systemClock(),
    connect: (number, giveUp) => {
      const child = fork(file, [`agent-${number}`], {
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      return joinedOver(channelToChild(child), giveUp);
    },
  });
  return { pool, close: async () => pool.close() };
}

/** Callbacks while agents join. */
export interface JoinWatch {
  onWaiting(address: BrokerAddress): void;
  /** @param joined number of agents that are there */
  onJoin(name: string, joined: number): void;
}

/**
 * Waits for agents of other machines to join over a broker.
 *
 * @throws FareproofError `AGENT_NOT_JOINED`, or as the broker
 */
export async function awaitAgents(
  asked: AskedAgents & { readonly signal: AbortSignal },
  { address, credentials }: AskedBroker,
  watch: JoinWatch,
): Promise<OpenAgents> {
  const { count, signal } = asked;
  const broker = await Broker.connect({ address, credentials, signal });
  const gone = new AbortController();
  broker.failed.catch(() => gone.abort());
  let joined = 0;
  try {
    await broker.openStream();
    const desk = new JoinDesk(broker, TOOL.version);
    watch.onWaiting(address);
    const opening = AgentPool.open({
      ...asked,
      clock: systemClock(),
      signal: AbortSignal.any([signal, gone.signal]),
      connect: (_number, giveUp) => desk.join(giveUp),
      onJoin: ({ name }) => {
        // Later, one takes the place of a lost one.
        joined = Math.min(count, joined + 1);
        watch.onJoin(name, joined);
      },
    });
    const pool = await Promise.race([opening, broker.failed]);
    const close = (): Promise<void> => {
      pool.close();
      return broker.close();
    };
    return { pool, close };
  } catch (error) {
    await broker.close();
    throw error;
  }
}
