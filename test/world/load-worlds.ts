import { exitOfLoad } from '../../src/cli/output/exit-codes.ts';
import type { LoadDocument } from '../../src/documents/load.ts';
import { parseDocument } from '../../src/documents/run-document.ts';
import { serveAsAgent } from '../../src/load/agents/agent.ts';
import { AgentPool } from '../../src/load/agents/pool.ts';
import { joinedOver } from '../../src/load/agents/remote-agent.ts';
import type { Engine, EngineRun, GeneratorHandle } from '../../src/load/engine/engine.ts';
import { nativeEngine } from '../../src/load/engine/native/engine.ts';
import type { EngineName } from '../../src/load/options.ts';
import type { LoadPlan } from '../../src/load/plan.ts';
import { plannedBySecond } from '../../src/load/plan.ts';
import { planLoad } from '../../src/load/plan-load.ts';
import { runPlanned, takeTokenFor } from '../../src/load/run-load.ts';
import { parseThreshold } from '../../src/load/threshold.ts';
import { toConsole, toHtml, toJunit, toMarkdown } from '../../src/report/index.ts';
import { Chance } from '../independent-service/chance.ts';
import { type ChannelPair, channelPair } from '../load/agents/channel-pair.ts';
import { profile } from '../load/result/profile.ts';
import { parseXml } from '../report/parse-xml.ts';
import {
  LoadTarget,
  type TargetFault,
  type TargetPlan,
  type Truth,
  truthOf,
} from './load-target.ts';
import { Machine, SHORT_TURN_NS, type Thread, threadOf } from './machine.ts';
import {
  heldOf,
  type Invariants,
  judge,
  NOTHING,
  type Plan,
  type WorldKind,
  without,
} from './world-kind.ts';

/** Fault of a generator; times are from the start of the schedule. */
type GeneratorFault =
  /** It gets no core for a while. */
  | { readonly kind: 'freezes'; readonly atMs: number; readonly forMs: number }
  /** It gets a core for a part of each period only. */
  | { readonly kind: 'sliced'; readonly eachMs: number; readonly onMs: number }
  /** Each turn of its event loop takes longer. */
  | { readonly kind: 'slow'; readonly turnUs: number }
  /** Its machine is suspended, while which the monotonic clock stands still. */
  | { readonly kind: 'suspended'; readonly atMs: number; readonly forMs: number }
  /** It is an agent of its own, which ends, says no more, or of which a message is lost. */
  | { readonly kind: 'ended' | 'silent' | 'unheard'; readonly atMs: number };

/** Faults that only agents have. */
const OF_AGENTS: readonly string[] = [
  'ended',
  'silent',
  'unheard',
] satisfies GeneratorFault['kind'][];

/** World in which a load is run, as its seed draws it. */
export interface LoadWorldPlan extends Plan {
  /** Requests a second of the open model, in stages; empty for the closed model. */
  readonly stages: readonly { readonly rate: number; readonly durationMs: number }[];
  readonly arrivals: 'constant' | 'poisson';
  readonly durationMs: number;
  readonly warmupMs: number;
  readonly timeoutMs: number;
  readonly connections: number;
  readonly newConnections: boolean;
  readonly generators: number;
  /** Each generator is an agent of its own. */
  readonly agents: boolean;
  readonly target: TargetPlan;
  /** Each bound is its metric's true value times a factor. */
  readonly thresholds: readonly { readonly metric: string; readonly factor: number }[];
  readonly abortOn: string | null;
  /** Time of an interruption; null for none. */
  readonly interruptedAtMs: number | null;
  /** Faults of the first generator. */
  readonly faults: readonly GeneratorFault[];
}

function drawLoadPlan(seed: number): LoadWorldPlan {
  const chance = new Chance(Math.imul(seed, 0x9e3779b1));
  for (let at = 0; at < 4; at++) chance.draw();
  const pick = <const T>(list: readonly T[]): T => list[chance.drawBelow(list.length)]!;
  const isOpen = chance.drawBelow(4) > 0;
  const durationMs = pick([1500, 2000, 3000, 5000]);
  const generators = pick([1, 1, 2, 3]);
  const serviceMs = pick([2, 10, 30]);
  const rate = pick([40, 100, 250]);
  // Each generator has its share.
  const connections = generators * (isOpen ? pick([8, 64, 256]) : pick([2, 5, 10]));
  // Near its limit a target's queue depends on each single time.
  const needed = isOpen ? (rate * serviceMs) / 1000 : connections;
  const isCritical = (count: number): boolean =>
    [0.5, 1, 2].some((times) => Math.abs((times * needed) / count - 1) < 0.15);
  let workers = Math.max(1, Math.ceil(needed * pick([0.5, 1.2, 1.6, 3, 10])));
  while (isCritical(workers)) workers++;
  const atMs = pick([200, 700, 1100]);
  const targetFault = (): TargetFault =>
    pick<TargetFault>([
      { kind: 'stalls', atMs, forMs: pick([50, 300, 1000]) },
      { kind: 'dies', atMs, forMs: pick([200, 10_000]) },
      { kind: 'limits', perS: Math.ceil(rate * pick([0.4, 0.8, 1.5])) },
      { kind: 'errors', each: pick([3, 20, 300]) },
      { kind: 'slows', each: pick([3, 15, 60, 250]), byMs: pick([40, 400]) },
      { kind: 'closes', after: pick([1, 5, 40]), inMs: pick([0, 3]), says: pick([true, false]) },
    ]);
  const generatorFault = (): GeneratorFault =>
    pick<GeneratorFault>([
      { kind: 'freezes', atMs: atMs + pick([0, 150]), forMs: pick([8, 30, 60, 120, 200, 1500]) },
      { kind: 'freezes', atMs: atMs + 200, forMs: pick([20, 50, 150]) },
      { kind: 'sliced', eachMs: pick([10, 40, 200]), onMs: pick([2, 5, 8]) },
      { kind: 'slow', turnUs: pick([300, 3000, 12_000]) },
      { kind: 'suspended', atMs, forMs: pick([300, 60_000]) },
      { kind: pick(['ended', 'silent', 'unheard']), atMs },
    ]);
  const drawn = Array.from({ length: pick([0, 0, 1, 1, 2]) }, generatorFault);
  // A thread of both kinds has no time for anything.
  const isSlow = drawn.some(({ kind }) => kind === 'slow');
  const faults = drawn.filter(({ kind }) => !isSlow || kind !== 'sliced');
  const metrics = [
    'p50',
    'p90',
    'p99',
    'p99',
    'mean',
    'max',
    'max',
    'service.p90',
    'errors',
    'rate',
  ];
  return {
    seed,
    stages: !isOpen
      ? []
      : chance.drawBelow(3) === 0
        ? [
            { rate, durationMs: durationMs / 2 },
            { rate: rate * pick([0.5, 2]), durationMs: durationMs / 2 },
          ]
        : [{ rate, durationMs }],
    arrivals: pick(['constant', 'constant', 'poisson']),
    durationMs,
    warmupMs: pick([0, 0, 500]),
    timeoutMs: pick([300, 1000, 5000]),
    connections,
    newConnections: chance.drawBelow(6) === 0,
    generators,
    target: {
      seed,
      serviceMs,
      workers,
      faults: Array.from({ length: pick([0, 0, 1, 2]) }, targetFault),
    },
    thresholds: Array.from({ length: pick([0, 1, 1, 1]) }, () => ({
      metric: pick(metrics),
      factor: pick([0.2, 0.5, 0.7, 1.5, 2, 5]),
    })),
    abortOn: chance.drawBelow(12) === 0 ? pick(['errors>20%', 'p90>200ms']) : null,
    interruptedAtMs: chance.drawBelow(15) === 0 ? pick([100, 900]) : null,
    agents: chance.drawBelow(5) === 0 || faults.some(({ kind }) => OF_AGENTS.includes(kind)),
    faults,
  };
}

const PROFILE = {
  ...profile,
  partners: [{ ...profile.partners[0]!, accessToken: 'secret-of-the-world' }],
  estimates: {
    plain: { product_type: 'private-car', ride_type: 'compact' },
    carpoolSeats: { product_type: 'carpool', ride_type: 'compact', passenger_count: 2 },
  },
};

/** Value of a metric, and those that chance might have brought instead. */
function trueValues({ responseMs, serviceMs, errors, ratePerS }: Truth, metric: string): number[] {
  if (metric === 'errors') return [errors];
  if (metric === 'rate') return [ratePerS];
  const [, of, name = ''] = /^(service\.)?(.+)$/.exec(metric) ?? [];
  const list = of === undefined ? responseMs : serviceMs;
  if (name === 'mean') return [list.reduce((sum, ms) => sum + ms, 0) / list.length];
  if (name === 'max') return [list.at(-1) ?? 0];
  const percent = Number(name.slice(1));
  const at = (p: number): number =>
    list[Math.min(list.length - 1, Math.max(0, Math.ceil((p / 100) * list.length) - 1))] ?? 0;
  const spread = Math.max(0.6, 200 / list.length);
  return [at(percent), at(percent - spread), at(Math.min(100, percent + spread))];
}

/** A threshold's expression with its bound. */
function expressionOf({ metric, factor }: LoadWorldPlan['thresholds'][number], truth: Truth) {
  const value = trueValues(truth, metric)[0]!;
  if (metric === 'rate') return `rate>${Math.max(0.1, value * factor).toFixed(1)}/s`;
  if (metric === 'errors') return `errors<${Math.min(100, value * factor * 100 + 2).toFixed(2)}%`;
  // Timers are up to a millisecond late.
  const leastMs = metric.startsWith('service') ? 15 : 0.5;
  return `${metric}<${Math.max(leastMs, (Number.isFinite(value) ? value : 50) * factor).toFixed(2)}ms`;
}

/** True, false, or null where it is close: also by the tenth of a second in which a request is given up. */
function trulyHolds(expression: string, truths: readonly Truth[]): boolean | null {
  const { metric, bound, comparison, unit } = parseThreshold(expression);
  const values = truths.flatMap((truth) => trueValues(truth, metric));
  const limit = unit === 'us' ? bound / 1000 : bound;
  const leeway =
    unit === 'us' ? Math.max(3, 0.15 * limit) : unit === 'share' ? 0.008 : 0.15 * limit + 2;
  if (values.some((value) => Math.abs(value - limit) <= leeway)) return null;
  const held = values.map((value) => (comparison.startsWith('<') ? value < limit : value > limit));
  return held.every((one) => one === held[0]) ? held[0]! : null;
}

interface LoadHistory {
  readonly plan: LoadWorldPlan;
  readonly load: LoadPlan;
  readonly document: LoadDocument;
  readonly truths: readonly [Truth, ...Truth[]];
  readonly received: number;
}

/** True where the run went its whole way, so that the truth is about the same requests. */
const isWhole = ({ document: { interrupted, reason, notes = [] } }: LoadHistory): boolean =>
  !interrupted && ![reason, ...notes].some((text) => text.includes('ended early'));

const holdings = ({ document, truths }: LoadHistory) =>
  document.thresholds.map(({ expression }) => ({
    expression,
    holds: trulyHolds(expression, truths),
  }));

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0);

const INVARIANTS: Invariants<LoadHistory> = {
  'the counts add up': (history) => {
    const { plan, load, document, received } = history;
    const { planned, ok, failed, sent, reconnected = 0 } = document.achieved;
    const { response, all } = document.latencyUs;
    const isLost =
      document.invalidBy === 'loss' || document.agents?.some(({ lost }) => lost !== undefined);
    const isAllKnown = isWhole(history) && load.model === 'open' && !isLost;
    const due = isAllKnown
      ? sum(plannedBySecond(load, { generator: 0, generators: 1 }, load.durationMs))
      : planned;
    const answered = sum(Object.values(document.statuses));
    const parts = [document.shapes ?? [], document.stages ?? []].filter((one) => one.length > 0);
    const facts: readonly (readonly [string, number, number])[] = [
      ['planned requests', planned, due],
      ['successes and failures', ok + failed, planned],
      ['kinds of failure', sum(Object.values(document.errors)), failed],
      ['status 200', document.statuses['200'] ?? 0, ok],
      ['response times', response.count, ok],
      ['times of all', all?.count ?? planned, planned],
      // Of a lost agent the last seconds are unknown.
      [
        'failures by second',
        isLost ? failed : sum(document.series.map((one) => one.failed)),
        failed,
      ],
      ...parts.flatMap((list) => [
        ['planned in parts', sum(list.map((one) => one.planned)), planned] as const,
        ['successes in parts', sum(list.map((one) => one.ok)), ok] as const,
      ]),
      ...(document.agents
        ? [['sent by agents', sum(document.agents.map((one) => one.sent)), sent] as const]
        : []),
    ];
    return heldOf([
      ...facts.map(([what, is, wanted]) =>
        is === wanted ? [] : [`${what}: ${is}, not ${wanted}`],
      ),
      answered <= sent && sent <= planned ? [] : [`${answered} answered, ${sent} sent`],
      sent <= received + plan.connections + reconnected ? [] : [`${sent} sent, ${received} came`],
    ]);
  },

  'no HELD where the truth misses': (history) => {
    if (!isWhole(history) || history.document.verdict !== 'held') return NOTHING;
    const missed = holdings(history).filter(({ holds }) => holds === false);
    return heldOf([missed.map(({ expression }) => `${expression} is missed`)]);
  },

  'no FELL SHORT where the truth holds': (history) => {
    const { document } = history;
    if (!isWhole(history) || document.verdict !== 'fell-short') return NOTHING;
    const isTrue =
      document.achieved.ok === 0 || holdings(history).some(({ holds }) => holds !== true);
    return heldOf([isTrue ? [] : [document.reason]]);
  },

  'a generator that does its work is believed': (history) => {
    const { plan, document } = history;
    if (plan.faults.length > 0 || !isWhole(history)) return NOTHING;
    const { verdict, invalidBy } = document;
    return heldOf([verdict === 'invalid' && invalidBy !== 'unreachable' ? [document.reason] : []]);
  },

  'a verdict is that of its thresholds': (history) => {
    const { document } = history;
    if (!isWhole(history) || document.verdict === 'invalid') return NOTHING;
    const missed = document.thresholds.filter(({ held, judged }) => !held && judged !== false);
    const isShort = missed.length > 0 || document.achieved.ok === 0;
    return heldOf([isShort === (document.verdict === 'fell-short') ? [] : [document.reason]]);
  },

  'exit code, document, JUnit, terminal and page agree': ({ document }) => {
    const code = document.interrupted
      ? 130
      : { held: 0, 'fell-short': 1, invalid: 3 }[document.verdict];
    const { planned, sent, ok, failed } = document.achieved;
    const numbers = [planned, sent, ok, failed].map((count) => count.toLocaleString('en-US'));
    const cases = parseXml(toJunit(document)).children[0]?.children ?? [];
    const having = (name: string): number =>
      cases.filter(({ children }) => children.some((one) => one.name === name)).length;
    const missed = document.thresholds.filter(({ held, judged }) => !held && judged !== false);
    const isShort = document.verdict === 'fell-short';
    const failures = isShort ? Math.max(1, missed.length) : 0;
    const errors = document.verdict === 'invalid' ? 1 + document.thresholds.length : 0;
    const markdown = toMarkdown(document);
    const texts = { terminal: toConsole(document, { color: false }), page: toHtml([document]) };
    return heldOf([
      exitOfLoad(document).code === code ? [] : [`exit code is not ${code}`],
      having('failure') === failures ? [] : [`JUnit has ${having('failure')} failures`],
      having('error') === errors ? [] : [`JUnit has ${having('error')} errors`],
      ...Object.entries(texts).map(([name, text]) =>
        numbers.flatMap((one) => (text.includes(one) ? [] : [`the ${name} has no ${one}`])),
      ),
      JSON.stringify(parseDocument(JSON.parse(JSON.stringify(document)))) ===
      JSON.stringify(document)
        ? []
        : ['a stored document is another one'],
      [markdown, ...Object.values(texts)].some((text) => text.includes('secret-of-the-world'))
        ? ['a secret']
        : [],
    ]);
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

async function runLoadWorld(
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

/** Worlds in which a load is put on a target. */
export const LOAD_WORLDS: WorldKind<LoadWorldPlan> = {
  draw: drawLoadPlan,

  run: async (plan) => {
    const met: Record<string, number> = {};
    const occasions = { 'a run ends with a result': 1 };
    try {
      const history = await runLoadWorld(plan, met);
      met[history.document.verdict] = 1;
      const judged = await judge(INVARIANTS, history);
      return { plan, met, ...judged, occasions: { ...occasions, ...judged.occasions } };
    } catch (error) {
      const what = String((error as Error).stack);
      return { plan, met, occasions, breaches: [{ invariant: 'a run ends with a result', what }] };
    }
  },

  smaller: (plan) => [
    ...without(plan.faults).map((faults) => ({ ...plan, faults })),
    ...without(plan.target.faults).map((faults) => ({
      ...plan,
      target: { ...plan.target, faults },
    })),
    ...without(plan.thresholds).map((thresholds) => ({ ...plan, thresholds })),
    ...(plan.abortOn === null ? [] : [{ ...plan, abortOn: null }]),
    ...(plan.interruptedAtMs === null ? [] : [{ ...plan, interruptedAtMs: null }]),
    ...(plan.agents && !plan.faults.some(({ kind }) => OF_AGENTS.includes(kind))
      ? [{ ...plan, agents: false }]
      : []),
    ...(plan.generators > 1 ? [{ ...plan, generators: plan.generators - 1 }] : []),
    ...(plan.warmupMs > 0 ? [{ ...plan, warmupMs: 0 }] : []),
    ...(plan.newConnections ? [{ ...plan, newConnections: false }] : []),
  ],
};
