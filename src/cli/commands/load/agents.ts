import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TOOL } from '../../../app/tool.ts';
import { parseDurationMs } from '../../../interface/duration.ts';
import type { AgentPool, LoadFlags, PoolSettings } from '../../../load/index.ts';
import { withDefaults } from '../../../load/options.ts';
import { readBroker } from '../../flags/broker.ts';
import type { Io } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';

const PROCESS = fileURLToPath(new URL('./agent-process.js', import.meta.url));

type AgentFlags = Pick<LoadFlags, 'agents' | 'onLost' | 'via' | 'joinTimeout' | 'workers'>;

/**
 * Starts the agents that `--agents` asks for, or waits for them on the broker of `--via`, and lets
 * them leave when `act` is over. An interruption ends the waiting, with its exit code.
 *
 * @throws FareproofError `AGENT_NOT_JOINED`, or as the broker
 */
export async function withAgents(
  flags: AgentFlags,
  { io, signal }: { readonly io: Io; readonly signal: AbortSignal },
  act: (agents: AgentPool | undefined) => Promise<void>,
): Promise<void> {
  const { agents: count, via = '', workers, onLost, joinTimeout } = withDefaults(flags);
  if (count === undefined) return act(undefined);
  const { systemClock } = await import('../../../load/index.ts');
  const joinTimeoutMs = parseDurationMs(joinTimeout, 'joinTimeout');
  const common = { count, workers, onLost, clock: systemClock(), joinTimeoutMs, signal };
  const open = via === '' ? startAgents : awaitAgents;
  const opened = await open(common, via, io).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (opened === null) return io.exit(EXIT.interrupted);
  try {
    return await act(opened.pool);
  } finally {
    await opened.close();
  }
}

interface OpenAgents {
  readonly pool: AgentPool;
  close(): Promise<void>;
}

type OpenAgentsOf = (
  common: Omit<PoolSettings, 'connect' | 'onJoin'> & { readonly signal: AbortSignal },
  via: string,
  io: Io,
) => Promise<OpenAgents>;

/** Starts agents as child processes. */
const startAgents: OpenAgentsOf = async (common) => {
  const { AgentPool, channelToChild, joinedOver } = await import('../../../load/index.ts');
  const pool = await AgentPool.open({
    ...common,
    connect: (number, giveUp) => {
      const child = fork(PROCESS, [`agent-${number}`], {
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      return joinedOver(channelToChild(child), giveUp);
    },
  });
  return { pool, close: async () => pool.close() };
};

/** Waits for agents of other machines to join. */
const awaitAgents: OpenAgentsOf = async (common, via, io) => {
  const { AgentPool, Broker, JoinDesk } = await import('../../../load/index.ts');
  const { address, credentials } = await readBroker(via, '--via', io);
  const { count, signal } = common;
  const broker = await Broker.connect({ address, credentials, signal });
  const gone = new AbortController();
  broker.failed.catch(() => gone.abort());
  let joined = 0;
  try {
    await broker.openStream();
    const desk = new JoinDesk(broker, TOOL.version);
    const join = `fareproof agent --join ${address.text}/${address.group}`;
    io.note(`waiting for ${count} agents on ${address.text}: ${join}`);
    const opening = AgentPool.open({
      ...common,
      signal: AbortSignal.any([signal, gone.signal]),
      connect: (_number, giveUp) => desk.join(giveUp),
      onJoin: ({ name }) => {
        // Later, one takes the place of a lost one.
        joined = Math.min(count, joined + 1);
        io.note(`agent ${name} joined, ${joined} of ${count}`);
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
};
