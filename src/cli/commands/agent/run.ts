import { readBroker } from '../../../app/load/broker.ts';
import { FareproofError } from '../../../interface/errors.ts';
import type { Broker, BrokerAddress } from '../../../load/index.ts';
import type { MetricsEndpoint } from '../../../server/index.ts';
import { type Io, print } from '../../io.ts';
import type { AgentMetrics } from '../../metrics/agent-metrics.ts';
import { readMetricsPort } from '../../metrics/flags.ts';
import { type AgentFlags, agentFacts } from './settings.ts';

/**
 * Joins one controller after another, and runs its parts of their loads, until it is interrupted; or,
 * with `--once`, one controller.
 *
 * @throws FareproofError `CONTROLLER_LOST` with `--once`, and as the broker
 */
export async function runAgent(flags: AgentFlags, io: Io): Promise<void> {
  const { Broker } = await import('../../../load/index.ts');
  const { address, credentials } = await readBroker(flags.join, '--join', io);
  const facts = await agentFacts(flags, process.pid);
  const signal = io.interruption();
  const metrics = await openAgentMetrics(flags, io);
  let broker: Broker | null = null;
  try {
    broker = await Broker.connect({
      address,
      credentials,
      agent: facts.name,
      signal,
      onConnection: (isThere) =>
        print(
          io,
          isThere ? `connected to ${address.text} again` : `lost the connection to ${address.text}`,
        ),
    });
    await serveControllers(flags, { broker, address, facts, signal, observer: metrics }, io);
  } finally {
    await Promise.all([broker?.close(), metrics?.endpoint.close()]);
  }
}

/** Serves the metrics of `--metrics`, and returns what observes the agent for them. */
async function openAgentMetrics(
  flags: AgentFlags,
  io: Io,
): Promise<(AgentMetrics & { readonly endpoint: MetricsEndpoint }) | null> {
  if (readMetricsPort(flags) === null) return null;
  const { openMetrics } = await import('../../metrics/prometheus.ts');
  const { AgentMetrics: Metrics } = await import('../../metrics/agent-metrics.ts');
  const metrics = new Metrics();
  const endpoint = await openMetrics(flags, () => metrics.read(), io);
  return endpoint && Object.assign(metrics, { endpoint });
}

interface Membership {
  readonly broker: Broker;
  readonly address: BrokerAddress;
  readonly facts: Awaited<ReturnType<typeof agentFacts>>;
  readonly signal: AbortSignal;
  readonly observer: AgentMetrics | null;
}

async function serveControllers(
  { once, allowTarget }: AgentFlags,
  { broker, address, facts, signal, observer }: Membership,
  io: Io,
): Promise<void> {
  const { joinController, serveAsAgent, systemClock } = await import('../../../load/index.ts');
  const onRefused = (code: string, message: string): void =>
    print(io, `refused by a controller (${code}): ${message}`);
  for (;;) {
    print(io, `waiting for a load --via ${address.text} (group ${address.group})`);
    const channel = await joinController({ broker, facts, signal, onRefused });
    if (channel === null) return;
    print(io, `joined as ${facts.name}`);
    observer?.onJoin();
    signal.addEventListener('abort', () => channel.close(), { once: true });
    const end = await serveAsAgent({
      channel,
      clock: systemClock(),
      facts,
      allowedTargets: allowTarget,
      observer: {
        onReady: (target) => {
          print(io, `ready for a run against ${target}`);
          observer?.onReady();
        },
        onRunEnd: () => {
          print(io, 'run ended');
          observer?.onRunEnd();
        },
        onUpdate: (generator, update) => observer?.onUpdate(generator, update),
      },
    });
    observer?.onLeave();
    if (signal.aborted) return;
    if (end === 'left') print(io, 'no longer needed');
    else if (once) throw controllerLost(end);
    else print(io, `the controller was lost (${end})`);
    // What ends the connection ends the agent.
    await Promise.race([broker.failed, Promise.resolve()]);
    if (once) return;
  }
}

function controllerLost(how: 'ended' | 'silent'): FareproofError {
  const why = how === 'silent' ? 'it said nothing any more' : 'its process or connection ended';
  return new FareproofError('CONTROLLER_LOST', `The controller of the load was lost: ${why}.`);
}
