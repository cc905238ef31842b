import { fileURLToPath } from 'node:url';
import type { OpenAgents } from '../../../app/load/agents.ts';
import { parseDurationMs } from '../../../interface/duration.ts';
import type { AgentPool, LoadFlags } from '../../../load/index.ts';
import { withDefaults } from '../../../load/options.ts';
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
  if (flags.agents === undefined) return act(undefined);
  const opened = await openAgents(flags.agents, flags, signal, io).catch((error: unknown) => {
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

async function openAgents(
  count: number,
  flags: AgentFlags,
  signal: AbortSignal,
  io: Io,
): Promise<OpenAgents> {
  const { via = '', workers, onLost, joinTimeout } = withDefaults(flags);
  const { awaitAgents, startAgents } = await import('../../../app/load/agents.ts');
  const joinTimeoutMs = parseDurationMs(joinTimeout, 'joinTimeout');
  const asked = { count, workers, onLost, joinTimeoutMs, signal };
  if (via === '') return startAgents(asked, PROCESS);
  const { readBroker } = await import('../../../app/load/broker.ts');
  return awaitAgents(asked, await readBroker(via, '--via', io), {
    onWaiting: ({ text, group }) =>
      io.note(`waiting for ${count} agents on ${text}: fareproof agent --join ${text}/${group}`),
    onJoin: (name, joined) => io.note(`agent ${name} joined, ${joined} of ${count}`),
  });
}
