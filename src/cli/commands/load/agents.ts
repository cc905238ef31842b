import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { AgentPool } from '../../../load/index.ts';
import { readInteger } from '../../flags/numbers.ts';
import { TOOL } from '../../tool.ts';
import type { LoadFlags } from './flags.ts';
import type { LoadSettings } from './settings.ts';

const PROCESS = fileURLToPath(new URL('./agent-process.js', import.meta.url));

const MOST_AGENTS = 64;
/** A child process joins as soon as it has loaded its code. */
const JOIN_TIMEOUT_MS = 60_000;

/**
 * Starts the agents that `--agents` asks for, and lets them leave when `act` is over.
 *
 * @throws ConfigurationError for a number out of range; FareproofError `AGENT_NOT_JOINED`
 */
export async function withAgents<T>(
  flags: Pick<LoadFlags, 'agents' | 'onLost'>,
  settings: LoadSettings,
  act: (settings: LoadSettings) => Promise<T>,
): Promise<T> {
  const count = readInteger(flags.agents, '--agents', { min: 1, max: MOST_AGENTS });
  if (count === undefined) return act(settings);
  const agents = await startAgents(count, settings, flags.onLost ?? 'finish');
  try {
    return await act({ ...settings, options: { ...settings.options, agents } });
  } finally {
    agents.close();
  }
}

async function startAgents(
  count: number,
  { options: { workers = 1 } }: LoadSettings,
  onLost: 'finish' | 'stop',
): Promise<AgentPool> {
  const { channelToChild, openAgentPool, systemClock } = await import('../../../load/index.ts');
  return openAgentPool({
    count,
    workers,
    onLost,
    version: TOOL.version,
    clock: systemClock(),
    joinTimeoutMs: JOIN_TIMEOUT_MS,
    connect: (number) =>
      channelToChild(
        fork(PROCESS, [`agent-${number}`], {
          serialization: 'advanced',
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        }),
      ),
  });
}
