import type { LoadDocument } from '../../src/documents/load.ts';
import { serveAsAgent } from '../../src/load/agents/agent.ts';
import { AgentPool } from '../../src/load/agents/pool.ts';
import { joinedOver } from '../../src/load/agents/remote-agent.ts';
import type { Engine, EngineRun, GeneratorHandle } from '../../src/load/engine/engine.ts';
import { nativeEngine } from '../../src/load/engine/native/engine.ts';
import type { EngineName } from '../../src/load/options.ts';
import { planLoad } from '../../src/load/plan-load.ts';
import { runPlanned, takeTokenFor } from '../../src/load/run-load.ts';
import { Chance } from '../independent-service/chance.ts';
import { type ChannelPair, channelPair } from '../load/agents/channel-pair.ts';
import { profile } from '../load/result/profile.ts';
import { expressionOf, type LoadHistory, SECRET } from './load-invariants.ts';
import type { GeneratorFault, LoadWorldPlan } from './load-plan.ts';
import { LoadTarget, type TargetPlan, truthOf } from './load-target.ts';
import { Machine, SHORT_TURN_NS, type Thread, threadOf } from './machine.ts';

const PROFILE = {
  ...profile,
  partners: [{ ...profile.partners[0]!, accessToken: SECRET }],
  estimates: {
    plain: { product_type: 'private-car', ride_type: 'compact' },
    carpoolSeats: { product_type: 'carpool', ride_type: 'compact', passenger_count: 2 },
  },
};

/** Threads of the generators; the first has the faults. */
function threadsOf({ generators, faults }: LoadWorldPlan, startNs: () => number): Thread[] {
  const first = threadOf(
    () =>
      faults.flatMap((fault) =>
        fault.kind === 'freezes'
          ? [[startNs() + fault.atMs * 1e6, startNs() + (fault.atMs + fault.forMs) * 1e6] as const]
          : [],
      ),
    Math.max(
      SHORT_TURN_NS,
      ...faults.map((fault) => (fault.kind === 'slow' ? fault.turnUs * 1e3 : 0)),
    ),
    faults
      .flatMap((fault) =>
        fault.kind === 'sliced' ? { eachNs: fault.eachMs * 1e6, onNs: fault.onMs * 1e6 } : [],
      )
      .at(0),
  );
  return [first, ...Array.from({ length: generators - 1 }, () => threadOf())];
}

/** The target with a share of its workers, at least one. */
const withWorkers = (target: TargetPlan, share: number): TargetPlan => ({
  ...target,
  workers: Math.max(1, Math.floor(target.workers * share)),
});

/** Runs a load in its world; rejects as the run does. */
export async function runLoadWorld(
  plan: LoadWorldPlan,
  met: Record<string, number>,
): Promise<LoadHistory> {
  const machine = new Machine(new Chance(plan.seed));
  const target = new LoadTarget(plan.target, met);
  const interrupted = new AbortController();
  const options = {
    profile: PROFILE,
    ledger: 'none' as const,
    clock: machine.clock,
    placement: 'inline' as const,
    seed: plan.seed,
    warmup: `${plan.warmupMs}ms`,
    timeout: `${plan.timeoutMs}ms`,
    connections: plan.connections,
    newConnections: plan.newConnections,
    workers: plan.generators,
    signal: interrupted.signal,
    ...(plan.abortOn !== null && { abortOn: [plan.abortOn] }),
    ...(plan.stages.length === 0
      ? { duration: `${plan.durationMs}ms` }
      : {
          arrivals: plan.arrivals,
          stages: plan.stages.map(({ rate, durationMs }) => `${rate}/${durationMs}ms`).join(),
        }),
  };
  const load = (await planLoad(options)).plan;
  const truths: LoadHistory['truths'] = [
    truthOf(load, plan.target),
    truthOf({ ...load, timeoutMs: load.timeoutMs + 100 }, plan.target),
    // What comes on a connection that is closed unannounced is worked on in vain, and sent again.
    ...plan.target.faults.flatMap((fault) =>
      fault.kind === 'closes' && !fault.says
        ? [truthOf(load, withWorkers(plan.target, Math.max(0.5, 1 - 1 / fault.after)))]
        : [],
    ),
  ];
  const threshold = [...new Set(plan.thresholds.map((one) => expressionOf(one, truths[0])))];
  const threads = threadsOf(plan, () => target.startNs);
  const pairs: ChannelPair[] = [];
  const begin = (startNs: number): void => {
    if (Number.isFinite(target.startNs)) return;
    target.startNs = startNs;
    for (const fault of plan.faults) {
      met[fault.kind] = (met[fault.kind] ?? 0) + 1;
      if ('atMs' in fault) machine.at(startNs + fault.atMs * 1e6, () => befall(fault));
    }
    if (plan.interruptedAtMs !== null)
      machine.at(startNs + plan.interruptedAtMs * 1e6, () => interrupted.abort());
  };
  const befall = (fault: GeneratorFault): void => {
    const [first] = pairs;
    if (fault.kind === 'suspended') machine.suspendedNs += fault.forMs * 1e6;
    if (fault.kind === 'ended') first?.cut();
    if (fault.kind === 'silent') first?.drop(() => true);
    if (fault.kind === 'unheard') {
      let left = 1;
      first?.drop(({ kind }) => kind === 'update' && left-- > 0);
    }
  };
  /** Each generator on its thread. */
  const placed = (handles: readonly GeneratorHandle[], from: number): GeneratorHandle[] =>
    handles.map((handle, index) => ({
      ...handle,
      run: (startNs, ending) => {
        begin(startNs);
        if (plan.agents) return handle.run(startNs, ending);
        const thread = threads[from + index]!;
        const own = new AbortController();
        ending.addEventListener('abort', () =>
          machine.at(machine.nowNs, () => own.abort(), thread),
        );
        if (ending.aborted) own.abort();
        return machine.on(thread, () => handle.run(startNs, own.signal));
      },
    }));
  const engine: Engine = {
    ...nativeEngine,
    prepare: async (run) => placed(await nativeEngine.prepare(run), run.range?.from ?? 0),
  };
  const openPool = async (): Promise<AgentPool> => {
    const pool = await AgentPool.open({
      count: plan.generators,
      workers: 1,
      onLost: plan.seed % 2 === 0 ? 'finish' : 'stop',
      clock: machine.clock,
      joinTimeoutMs: 10_000,
      connect: (number, giveUp) => {
        const pair = channelPair();
        pairs.push(pair);
        const thread = threads[number - 1]!;
        // A message comes on the thread that it is sent to.
        const channel: typeof pair.agent = {
          ...pair.agent,
          send: (message) => machine.on(machine.main, () => pair.agent.send(message)),
        };
        const controller: typeof pair.controller = {
          ...pair.controller,
          send: (message) => machine.on(thread, () => pair.controller.send(message)),
        };
        const { clock } = machine;
        const facts = { name: `agent-${number}`, version: '0', cores: 2, workers: null };
        void machine.on(thread, () => serveAsAgent({ channel, clock, facts, placement: 'inline' }));
        return joinedOver(controller, giveUp);
      },
    });
    const { generators, startLeadNs } = pool;
    return {
      generators,
      startLeadNs,
      prepare: async (run: EngineRun, name: EngineName, stop: () => void) =>
        placed(await pool.prepare(run, name, stop), 0),
      parts: () => pool.parts(),
      close: () => pool.close(),
    } as AgentPool;
  };
  const result = await machine.run(target, async () => {
    const agents = plan.agents ? await openPool() : undefined;
    try {
      const planned = { ...(await planLoad({ ...options, agents, threshold })), engine };
      return await runPlanned(planned, await takeTokenFor(planned));
    } finally {
      agents?.close();
    }
  });
  const document: LoadDocument = { ...result, tool: { name: 'fareproof', version: '0' } };
  return { plan, load, document, truths, received: target.received };
}
