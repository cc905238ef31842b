import { availableParallelism, hostname } from 'node:os';
import { TOOL } from '../../../app/tool.ts';
import { readInteger } from '../../flags/numbers.ts';
import type { MetricsFlags } from '../../metrics/flags.ts';

/** Flags of `agent` as commander hands them over. */
export interface AgentFlags extends MetricsFlags {
  join: string;
  name?: string;
  once?: true;
  workers?: string;
  allowTarget: readonly string[];
}

const MOST_WORKERS = 256;

/**
 * Facts that the agent joins with.
 *
 * @param processId makes the default name differ from that of other agents of the machine
 * @throws ConfigurationError `AGENT_NAME`, `FLAG_VALUE`
 */
export async function agentFacts({ name, workers }: AgentFlags, processId: number) {
  const { requireAgentName } = await import('../../../load/index.ts');
  const machine = hostname()
    .replace(/[^A-Za-z0-9_-]/g, '-')
    .slice(0, 50);
  return {
    name: requireAgentName(name ?? `${machine}-${processId}`),
    version: TOOL.version,
    cores: availableParallelism(),
    workers: readInteger(workers, 'workers', { min: 1, max: MOST_WORKERS }) ?? null,
  };
}
