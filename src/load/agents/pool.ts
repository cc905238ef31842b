import { setMaxListeners } from 'node:events';
import { FareproofError } from '../../interface/errors.ts';
import type { LoadClock } from '../clock.ts';
import type { EngineRun, GeneratorHandle } from '../engine/engine.ts';
import type { EngineName } from '../options.ts';
import type { AgentPart } from './agent-progress.ts';
import type { AgentFacts } from './message.ts';
import { type JoinedAgent, RemoteAgent } from './remote-agent.ts';
import { RemoteRun } from './remote-run.ts';

/** Conduct of the other agents when one is lost: they run to the end, or end at once. */
export type OnLost = 'finish' | 'stop';

/** Agents of a pool. */
export interface PoolSettings {
  readonly count: number;
  /** Generators of an agent that does not say how many it runs. */
  readonly workers: number;
  readonly onLost: OnLost;
  readonly clock: LoadClock;
  readonly joinTimeoutMs: number;
  /** Ends the waiting for agents to join. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each agent that has joined. */
  readonly onJoin?: ((facts: AgentFacts) => void) | undefined;
  /** Brings a further agent, the first being number 1, until the signal aborts. */
  readonly connect: (number: number, signal: AbortSignal) => Promise<JoinedAgent>;
}

/** Shortest time between the order to start and the start. */
const LEAST_LEAD_NS = 500e6;
const ROUND_TRIPS_OF_LEAD = 20;

/** The agents of a load: they stay for all of its runs. */
export class AgentPool {
  readonly #settings: PoolSettings;
  #agents: readonly RemoteAgent[] = [];
  #connected = 0;
  #runs: readonly RemoteRun[] = [];
  #runNumber = 0;

  private constructor(settings: PoolSettings) {
    this.#settings = settings;
  }

  /**
   * Waits until all agents have joined.
   *
   * @throws FareproofError `AGENT_NOT_JOINED`, or as `connect`; those that have joined leave again
   */
  static async open(settings: PoolSettings): Promise<AgentPool> {
    const pool = new AgentPool(settings);
    pool.#agents = await pool.#join(settings.count);
    return pool;
  }

  /** Generators of all agents together. */
  get generators(): number {
    return this.#agents.reduce((sum, agent) => sum + this.#generatorsOf(agent), 0);
  }

  /** Lead of a start, so that every agent hears of it in time. */
  get startLeadNs(): number {
    const trips = this.#agents.map(({ clock }) => clock.longestTripNs);
    return Math.max(LEAST_LEAD_NS, ROUND_TRIPS_OF_LEAD * Math.max(0, ...trips));
  }

  /**
   * Makes the generators of a plan ready, each at its agent; an agent that was lost before is
   * replaced first.
   *
   * @param stop ends the run early; called when an agent is lost, if the pool was asked to
   * @throws FareproofError as {@link open}, and as an agent that cannot prepare its part
   */
  async prepare(run: EngineRun, engine: EngineName, stop: () => void): Promise<GeneratorHandle[]> {
    await this.#replaceLost(run.plan.generators);
    await Promise.all(this.#agents.map((agent) => agent.measureClock()));
    const number = ++this.#runNumber;
    const onLost = this.#settings.onLost === 'stop' ? stop : () => undefined;
    let from = 0;
    this.#runs = this.#agents.map((agent) => {
      const range = { from, count: this.#generatorsOf(agent) };
      from += range.count;
      return new RemoteRun({ agent, number, engine, range, run, onLost });
    });
    const handles = this.#runs.flatMap(({ generators }) => generators.handles);
    try {
      await Promise.all(this.#runs.map(({ generators }) => generators.ready));
    } catch (error) {
      for (const handle of handles) handle.close();
      throw error;
    }
    return handles;
  }

  /** The parts of the last run. */
  parts(): AgentPart[] {
    return this.#runs.map(({ part }) => part);
  }

  /** Lets all agents leave. */
  close(): void {
    for (const agent of this.#agents) agent.leave();
  }

  #generatorsOf({ facts }: RemoteAgent): number {
    return facts.workers ?? this.#settings.workers;
  }

  /** The plan is shared by as many generators as before, so an agent in place of another must have as many. */
  async #replaceLost(generators: number): Promise<void> {
    const present = this.#agents.filter(({ isLost }) => !isLost);
    const joined = await this.#join(this.#agents.length - present.length);
    this.#agents = this.#agents.map((agent) => (agent.isLost ? joined.shift()! : agent));
    if (this.generators === generators) return;
    throw new FareproofError(
      'AGENTS_CHANGED',
      `An agent was lost, and the one in its place has another number of workers: the load is planned for ${generators} generators, and there are ${this.generators}. Start it with as many workers.`,
    );
  }

  /** Waits for so many more agents; if one cannot join, none does. */
  async #join(count: number): Promise<RemoteAgent[]> {
    const { connect, joinTimeoutMs, signal, clock, onJoin } = this.#settings;
    const giveUp = new AbortController();
    // Each agent that is to join listens.
    setMaxListeners(0, giveUp.signal);
    const stop = (): void => giveUp.abort('nobody waits for it any more');
    const late = `it did not within ${joinTimeoutMs / 1000} s`;
    const timer = setTimeout(() => giveUp.abort(late), joinTimeoutMs);
    signal?.addEventListener('abort', stop, { once: true });
    const joining = Array.from({ length: count }, async () => {
      const joined = await connect(++this.#connected, giveUp.signal);
      onJoin?.(joined.facts);
      return new RemoteAgent(joined, clock);
    });
    if (signal?.aborted) stop();
    try {
      return await Promise.all(joining);
    } catch (error) {
      stop();
      const settled = await Promise.allSettled(joining);
      const agents = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      for (const agent of agents) agent.leave();
      if (!(error instanceof FareproofError) || error.code !== 'AGENT_NOT_JOINED') throw error;
      const names = agents.map(({ facts }) => facts.name);
      const others = names.length === 0 ? 'none had' : `${names.length} had (${names.join(', ')})`;
      throw new FareproofError(
        error.code,
        `${error.message} Of the ${count} that were to join, ${others}.`,
        { cause: error },
      );
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  }
}
