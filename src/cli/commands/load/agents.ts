import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { AgentPool, PoolSettings } from '../../../load/index.ts';
import { readBroker } from '../../flags/broker.ts';
import { readDuration, readInteger } from '../../flags/numbers.ts';
import { type Io, note } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { TOOL } from '../../tool.ts';
import type { LoadFlags } from './flags.ts';
import type { LoadSettings } from './settings.ts';

const PROCESS = fileURLToPath(new URL('./agent-process.js', import.meta.url));

const MOST_AGENTS = 64;
const JOIN_TIMEOUT_MS = 60_000;

type AgentFlags = Pick<LoadFlags, 'agents' | 'onLost' | 'via' | 'joinTimeout'>;

/** Access of the command to the process, and its interruption. */
interface Surroundings {
  readonly io: Io;
  readonly signal: AbortSignal;
}

/**
 * Starts the agents that `--agents` asks for, or waits for them on the broker of `--via`, and lets
 * them leave when `act` is over. An interruption ends the waiting, with its exit code.
 *
 * @throws ConfigurationError for a flag out of range; FareproofError `AGENT_NOT_JOINED`, or as the
 *   broker
 */
export async function withAgents(
  flags: AgentFlags,
  settings: LoadSettings,
  surroundings: Surroundings,
  act: (settings: LoadSettings) => Promise<void>,
): Promise<void> {
  const count = readInteger(flags.agents, 'agents', { min: 1, max: MOST_AGENTS });
  if (count === undefined) return act(settings);
  const { io, signal } = surroundings;
  const { via = '', onLost = 'finish' } = flags;
  const { systemClock } = await import('../../../load/index.ts');
  const bounds = { unit: 'ms', min: 1 } as const;
  const common = {
    count,
    workers: settings.options.workers ?? 1,
    onLost,
    clock: systemClock(),
    joinTimeoutMs: readDuration(flags.joinTimeout, 'joinTimeout', bounds) ?? JOIN_TIMEOUT_MS,
    signal,
  };
  const open = via === '' ? startAgents : awaitAgents;
  const agents = await open(common, via, io).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (agents === null) return io.exit(EXIT.interrupted);
  try {
    return await act({ ...settings, options: { ...settings.options, agents: agents.pool } });
  } finally {
    await agents.close();
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
    note(io, `waiting for ${count} agents on ${address.text}: ${join}`);
    const opening = AgentPool.open({
      ...common,
      signal: AbortSignal.any([signal, gone.signal]),
      connect: (_number, giveUp) => desk.join(giveUp),
      onJoin: ({ name }) => {
        // Later, one takes the place of a lost one.
        joined = Math.min(count, joined + 1);
        note(io, `agent ${name} joined, ${joined} of ${count}`);
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
