import { FareproofError } from '../../interface/errors.ts';
import {
  type AgentFacts,
  type AgentObserver,
  Broker,
  joinController,
  serveAsAgent,
  systemClock,
} from '../../load/index.ts';
import type { AskedBroker } from './broker.ts';

/** Agent that is to run. */
export interface AskedAgent extends AskedBroker {
  readonly facts: AgentFacts;
  /** Targets that it may put load on, `host` or `host:port`; any if empty. */
  readonly allowedTargets: readonly string[];
  /** True to end with the first controller. */
  readonly once: boolean;
  /** Signal that ends it. */
  readonly signal: AbortSignal;
}

/** Callbacks of an agent. */
export interface AgentWatch extends AgentObserver {
  /** Called before it waits for a controller. */
  onWaiting(): void;
  onConnection(isThere: boolean): void;
  /** Called when a controller does not take it, with the reason. */
  onRefused(code: string, message: string): void;
  onJoin(): void;
  /** Called when it has no controller any more. */
  onLeave(): void;
  /** Called when the controller let it go. */
  onRelease(): void;
  /** Called when the controller was lost and the agent waits for the next one. */
  onLost(how: Loss): void;
}

/** Ways to lose a controller: its channel ended, or it said nothing any more. */
type Loss = 'ended' | 'silent';

/**
 * Joins one controller after another, and runs its parts of their loads, until the signal aborts; or, with
 * `once`, one controller.
 *
 * @throws FareproofError `CONTROLLER_LOST` with `once`, and as the broker
 */
export async function runAgent(asked: AskedAgent, watch: AgentWatch): Promise<void> {
  const { address, credentials, facts, signal } = asked;
  const broker = await Broker.connect({
    address,
    credentials,
    agent: facts.name,
    signal,
    onConnection: (isThere) => watch.onConnection(isThere),
  });
  try {
    do watch.onWaiting();
    while (await serveController(broker, asked, watch));
  } finally {
    await broker.close();
  }
}

/** Joins one controller, and runs its parts of its loads; returns whether to wait for the next one. */
async function serveController(
  broker: Broker,
  { facts, allowedTargets, once, signal }: AskedAgent,
  watch: AgentWatch,
): Promise<boolean> {
  const onRefused = (code: string, message: string): void => watch.onRefused(code, message);
  const channel = await joinController({ broker, facts, signal, onRefused });
  if (channel === null) return false;
  watch.onJoin();
  signal.addEventListener('abort', () => channel.close(), { once: true });
  const clock = systemClock();
  const end = await serveAsAgent({ channel, clock, facts, allowedTargets, observer: watch });
  watch.onLeave();
  if (signal.aborted) return false;
  if (end === 'left') watch.onRelease();
  else if (once) throw controllerLost(end);
  else watch.onLost(end);
  // What ends the connection ends the agent.
  await Promise.race([broker.failed, Promise.resolve()]);
  return !once;
}

function controllerLost(how: Loss): FareproofError {
  const why = how === 'silent' ? 'it said nothing any more' : 'its process or connection ended';
  return new FareproofError('CONTROLLER_LOST', `The controller of the load was lost: ${why}.`);
}
