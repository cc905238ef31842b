import { availableParallelism, hostname } from 'node:os';
import { type AgentWatch, runAgent } from '../../../app/load/agent.ts';
import { readBroker } from '../../../app/load/broker.ts';
import { TOOL } from '../../../app/tool.ts';
import { type AgentFacts, requireAgentName } from '../../../load/index.ts';
import { readNumber } from '../../flags/numbers.ts';
import { type Io, print } from '../../io.ts';
import { AgentMetrics } from '../../metrics/agent-metrics.ts';
import type { MetricsFlags } from '../../metrics/flags.ts';
import { openMetrics } from '../../metrics/prometheus.ts';

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
 * Runs an agent until it is interrupted or, with `--once`, its first controller needs it no longer.
 *
 * @throws ConfigurationError `AGENT_NAME`, `FLAG_VALUE`, and as {@link readBroker}
 * @throws FareproofError as {@link runAgent}
 */
export async function agent(flags: AgentFlags, io: Io): Promise<void> {
  const { allowTarget: allowedTargets, once = false } = flags;
  const broker = await readBroker(flags.join, '--join', io);
  const facts = factsOf(flags, process.pid);
  const signal = io.interruption();
  const metrics = new AgentMetrics();
  const endpoint = await openMetrics(flags, () => metrics.read(), io);
  const { text, group } = broker.address;
  const say = (line: string): void => print(io, line);
  const watch: AgentWatch = {
    onWaiting: () => say(`waiting for a load --via ${text} (group ${group})`),
    onConnection: (isThere) =>
      say(isThere ? `connected to ${text} again` : `lost the connection to ${text}`),
    onRefused: (code, message) => say(`refused by a controller (${code}): ${message}`),
    onJoin: () => {
      say(`joined as ${facts.name}`);
      metrics.onJoin();
    },
    onReady: (target) => {
      say(`ready for a run against ${target}`);
      metrics.onReady();
    },
    onUpdate: (generator, update) => metrics.onUpdate(generator, update),
    onRunEnd: () => {
      say('run ended');
      metrics.onRunEnd();
    },
    onLeave: () => metrics.onLeave(),
    onRelease: () => say('no longer needed'),
    onLost: (how) => say(`the controller was lost (${how})`),
  };
  try {
    await runAgent({ ...broker, facts, allowedTargets, once, signal }, watch);
  } finally {
    await endpoint?.close();
  }
}

/** @param processId makes the default name differ from that of other agents of the machine */
function factsOf({ name, workers }: AgentFlags, processId: number): AgentFacts {
  const machine = hostname()
    .replace(/[^A-Za-z0-9_-]/g, '-')
    .slice(0, 50);
  return {
    name: requireAgentName(name ?? `${machine}-${processId}`),
    version: TOOL.version,
    cores: availableParallelism(),
    workers: readNumber(workers, 'workers', { kind: 'integer', min: 1, max: MOST_WORKERS }) ?? null,
  };
}
