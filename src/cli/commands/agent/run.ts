import { availableParallelism, hostname } from 'node:os';
import { readBroker } from '../../../app/load/broker.ts';
import { TOOL } from '../../../app/tool.ts';
import { FareproofError } from '../../../interface/errors.ts';
import type { AgentFacts, Broker } from '../../../load/index.ts';
import { readInteger } from '../../flags/numbers.ts';
import { type Io, print } from '../../io.ts';
import type { AgentMetrics } from '../../metrics/agent-metrics.ts';
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
 * Joins one controller after another, and runs its parts of their loads, until it is interrupted; or,
 * with `--once`, one controller.
 *
 * @throws FareproofError `CONTROLLER_LOST` with `--once`, and as the broker
 */
export async function runAgent(flags: AgentFlags, io: Io): Promise<void> {
  const { Broker: Nats } = await import('../../../load/index.ts');
  const { address, credentials } = await readBroker(flags.join, '--join', io);
  const facts = await factsOf(flags, process.pid);
  const signal = io.interruption();
  const say = (line: string): void => print(io, line);
  const { AgentMetrics: Metrics } = await import('../../metrics/agent-metrics.ts');
  const { openMetrics } = await import('../../metrics/prometheus.ts');
  const metrics = new Metrics();
  const endpoint = await openMetrics(flags, () => metrics.read(), io);
  let broker: Broker | null = null;
  try {
    broker = await Nats.connect({
      address,
      credentials,
      agent: facts.name,
      signal,
      onConnection: (isThere) =>
        say(
          isThere ? `connected to ${address.text} again` : `lost the connection to ${address.text}`,
        ),
    });
    do say(`waiting for a load --via ${address.text} (group ${address.group})`);
    while (await serveController(flags, { broker, facts, signal, metrics, say }));
  } finally {
    await Promise.all([broker?.close(), endpoint?.close()]);
  }
}

/**
 * Facts that the agent joins with.
 *
 * @param processId makes the default name differ from that of other agents of the machine
 * @throws ConfigurationError `AGENT_NAME`, `FLAG_VALUE`
 */
async function factsOf({ name, workers }: AgentFlags, processId: number): Promise<AgentFacts> {
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

interface Member {
  readonly broker: Broker;
  readonly facts: AgentFacts;
  readonly signal: AbortSignal;
  readonly metrics: AgentMetrics;
  readonly say: (line: string) => void;
}

/** Joins one controller, and runs its parts of its loads; returns whether to wait for the next one. */
async function serveController(
  { once, allowTarget }: AgentFlags,
  { broker, facts, signal, metrics, say }: Member,
): Promise<boolean> {
  const { joinController, serveAsAgent, systemClock } = await import('../../../load/index.ts');
  const onRefused = (code: string, message: string): void =>
    say(`refused by a controller (${code}): ${message}`);
  const channel = await joinController({ broker, facts, signal, onRefused });
  if (channel === null) return false;
  say(`joined as ${facts.name}`);
  metrics.onJoin();
  signal.addEventListener('abort', () => channel.close(), { once: true });
  const end = await serveAsAgent({
    channel,
    clock: systemClock(),
    facts,
    allowedTargets: allowTarget,
    observer: {
      onReady: (target) => {
        say(`ready for a run against ${target}`);
        metrics.onReady();
      },
      onRunEnd: () => {
        say('run ended');
        metrics.onRunEnd();
      },
      onUpdate: (generator, update) => metrics.onUpdate(generator, update),
    },
  });
  metrics.onLeave();
  if (signal.aborted) return false;
  if (end === 'left') say('no longer needed');
  else if (once) throw controllerLost(end);
  else say(`the controller was lost (${end})`);
  // What ends the connection ends the agent.
  await Promise.race([broker.failed, Promise.resolve()]);
  return once !== true;
}

function controllerLost(how: 'ended' | 'silent'): FareproofError {
  const why = how === 'silent' ? 'it said nothing any more' : 'its process or connection ended';
  return new FareproofError('CONTROLLER_LOST', `The controller of the load was lost: ${why}.`);
}
