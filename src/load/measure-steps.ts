import { setImmediate as turn } from 'node:timers/promises';
import type { BenchDocument, BenchStep } from '../documents/bench.ts';
import type { LoadClock } from './clock.ts';

/** One step, measured by calling it repeatedly. */
export interface MeasurableStep {
  readonly name: string;
  /** True for a step that every request takes; together these steps are its budget. */
  readonly isOfEachRequest: boolean;
  readonly run: () => unknown;
}

/** A bench document (`kind: "bench"`), all but the tool and the machine. */
export type BenchResult = Omit<BenchDocument, 'tool' | 'machine'>;

/** Steps to measure, and for how long. */
export interface MeasureOptions {
  steps: readonly MeasurableStep[];
  /** Name of the step that is the whole. */
  whole: string;
  clock: LoadClock;
  /** Time for each step, milliseconds; default 500. */
  durationMs?: number | undefined;
  onStep?: ((step: { name: string; nsMedian: number }) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Calls in one sample: a single one is shorter than the clock can measure. */
const CALLS_PER_SAMPLE = 1000;
const DEFAULT_DURATION_MS = 500;
/** Warm-up before each step, as a share of its time. */
const WARMUP_SHARE = 0.4;
/** Name of the time of the whole that no step accounts for. */
export const REST = 'rest of the request';

type Timed = Omit<BenchStep, 'share'>;

/** Measures each step separately; an aborted `signal` ends it, and what was measured is returned. */
export async function measureSteps(options: MeasureOptions): Promise<BenchResult> {
  const { steps, clock, signal, onStep } = options;
  const startedAtMs = clock.now();
  const timed = new Map<string, Timed>();
  for (const step of steps) {
    // A bench blocks the event loop, and an interruption is noticed between its turns.
    await turn();
    if (signal?.aborted) break;
    const time = await timeStep(step, options);
    timed.set(step.name, time);
    onStep?.(time);
  }
  const whole = timed.get(options.whole) ?? null;
  return {
    kind: 'bench',
    schemaVersion: 1,
    startedAt: new Date(startedAtMs).toISOString(),
    finishedAt: new Date(clock.now()).toISOString(),
    steps: budgetOf(steps, timed, whole),
    whole: whole && { name: whole.name, nsMedian: whole.nsMedian },
    notes: whole
      ? [
          `Shares are of "${whole.name}", ${whole.nsMedian} ns, without the kernel and the socket; a step without a share is not taken by every request.`,
        ]
      : [],
    ...(signal?.aborted && { interrupted: true }),
  };
}

/** Steps of the whole with their shares, the rest of it, then all other steps. */
function budgetOf(
  steps: readonly MeasurableStep[],
  timed: ReadonlyMap<string, Timed>,
  whole: Timed | null,
): BenchStep[] {
  const timesOf = (isOfEachRequest: boolean): Timed[] =>
    steps
      .filter((step) => step.isOfEachRequest === isOfEachRequest)
      .flatMap(({ name }) => timed.get(name) ?? [])
      .filter((time) => time !== whole);
  const parts = timesOf(true);
  const sumNs = parts.reduce((sum, { nsMedian }) => sum + nsMedian, 0);
  // Steps measured separately can add up to a little more than the whole.
  const allNs = Math.max(whole?.nsMedian ?? 0, sumNs);
  const rest =
    allNs > sumNs ? [{ name: REST, nsMedian: round(allNs - sumNs), nsDeviation: 0 }] : [];
  return [
    ...[...parts, ...rest].map((time) => ({ ...time, share: whole ? time.nsMedian / allNs : 0 })),
    ...timesOf(false).map((time) => ({ ...time, share: 0 })),
  ];
}

async function timeStep({ name, run }: MeasurableStep, options: MeasureOptions): Promise<Timed> {
  const time = options.durationMs ?? DEFAULT_DURATION_MS;
  const { Bench } = await import('tinybench');
  const bench = new Bench({ time, warmupTime: WARMUP_SHARE * time, throws: true });
  // The result is kept, so that the optimizer cannot drop the call.
  const kept: { result: unknown } = { result: null };
  bench.add(name, () => {
    for (let call = 0; call < CALLS_PER_SAMPLE; call++) kept.result = run();
  });
  const [task] = await bench.run();
  if (!task || !('latency' in task.result)) throw new Error(`${name}: was not measured`);
  const { p50, mad } = task.result.latency;
  const toNs = (ms: number): number => round((ms * 1e6) / CALLS_PER_SAMPLE);
  return { name, nsMedian: toNs(p50), nsDeviation: toNs(mad) };
}

/** To a hundredth of a nanosecond, finer than the clock over a thousand calls. */
const round = (ns: number): number => Math.round(ns * 100) / 100;
