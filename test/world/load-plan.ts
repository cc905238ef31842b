import { Chance } from '../independent-service/chance.ts';
import type { TargetFault, TargetPlan } from './load-target.ts';
import type { Plan } from './world-kind.ts';

/** Fault of a generator; times are from the start of the schedule. */
export type GeneratorFault =
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
export const OF_AGENTS: readonly string[] = [
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

/** Draws a world. */
export function drawLoadPlan(seed: number): LoadWorldPlan {
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
