import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { AgentPool } from '../../../load/index.ts';
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
  const open = flags.via === undefined ? startAgents : awaitAgents;
  const { io, signal } = surroundings;
  const agents = await open(count, settings, flags, surroundings).catch((error: unknown) => {
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
  count: number,
  settings: LoadSettings,
  flags: AgentFlags,
  surroundings: Surroundings,
) => Promise<OpenAgents>;

/** Starts agents as child processes. */
const startAgents: OpenAgentsOf = async (count, settings, { onLost }, { signal }) => {
  const { channelToChild, openAgentPool, systemClock } = await import('../../../load/index.ts');
  const pool = await openAgentPool({
    count,
    workers: settings.options.workers ?? 1,
    onLost: onLost ?? 'finish',
    version: TOOL.version,
    clock: systemClock(),
    // A child process joins as soon as it has loaded its code.
    joinTimeoutMs: JOIN_TIMEOUT_MS,
    signal,
    connect: (number) =>
      channelToChild(
        fork(PROCESS, [`agent-${number}`], {
          serialization: 'advanced',
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        }),
      ),
  });
  return { pool, close: async () => pool.close() };
};

/** Waits for agents of other machines to join. */
const awaitAgents: OpenAgentsOf = async (count, settings, flags, { io, signal }) => {
  const { Broker, JoinDesk, openAgentPool, Subjects, systemClock } = await import(
    '../../../load/index.ts'
  );
  const { via = '', onLost = 'finish' } = flags;
  const bounds = { unit: 'ms', min: 1 } as const;
  const joinTimeoutMs = readDuration(flags.joinTimeout, 'joinTimeout', bounds) ?? JOIN_TIMEOUT_MS;
  const { address, credentials } = await readBroker(via, '--via', io);
  const broker = await Broker.connect({ address, credentials, name: 'fareproof load', signal });
  const { version } = TOOL;
  const desk = new JoinDesk({ broker, subjects: new Subjects(address.group), version });
  const gone = new AbortController();
  broker.failed.catch(() => gone.abort());
  const close = async (pool: AgentPool | null): Promise<void> => {
    pool?.close();
    await broker.close();
  };
  const join = `fareproof agent --join ${address.text}/${address.group}`;
  note(io, `waiting for ${count} agents on ${address.text}: ${join}`);
  let joined = 0;
  try {
    const pool = await Promise.race([
      openAgentPool({
        count,
        workers: settings.options.workers ?? 1,
        onLost,
        version,
        clock: systemClock(),
        joinTimeoutMs,
        signal: AbortSignal.any([signal, gone.signal]),
        connect: () => desk.offerPlace(),
        onJoin: ({ name }) => {
          // Later, one takes the place of a lost one.
          joined = Math.min(count, joined + 1);
          note(io, `agent ${name} joined, ${joined} of ${count}`);
        },
      }),
      broker.failed,
    ]);
    return { pool, close: () => close(pool) };
  } catch (error) {
    await close(null);
    throw error;
  }
};
