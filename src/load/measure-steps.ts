import { setImmediate as turn } from 'node:timers/promises';
import { Bench } from 'tinybench';
import type { LoadClock } from './clock.ts';

/** One step, measured by calling it over and over. */
export interface MeasurableStep {
  readonly name: string;
  /** True if the whole takes this step each time; together such steps are its budget. */
  readonly isOfEachRequest: boolean;
  readonly run: () => unknown;
}

/** What a step costs. */
export interface MeasuredStep {
  name: string;
  /** Median of one call, nanoseconds. */
  nsMedian: number;
  /** How far samples lie from that median, as a median again; nanoseconds. */
  nsDeviation: number;
  /** Of the whole, 0 to 1; 0 for a step that the whole does not take each time. */
  share: number;
}

/** A bench document (`kind: "bench"`) but for the tool that wrote it, and the machine. */
export interface BenchResult {
  kind: 'bench';
  schemaVersion: 1;
  startedAt: string;
  finishedAt: string;
  /** The steps of the whole first, and what is left of it; their shares make 1. */
  steps: MeasuredStep[];
  /** What the shares are of; null where it was not measured any more. */
  whole: { name: string; nsMedian: number } | null;
  notes: string[];
  interrupted?: boolean;
}

/** What is measured, and for how long. */
export interface MeasureOptions {
  steps: readonly MeasurableStep[];
  /** Name of the step that is the whole. */
  whole: string;
  clock: LoadClock;
  /** Of each step, milliseconds; default 500. */
  durationMs?: number | undefined;
  onStep?: ((step: { name: string; nsMedian: number }) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Calls in one sample: a single one is shorter than the clock can tell. */
const CALLS_PER_SAMPLE = 1000;
const DEFAULT_DURATION_MS = 500;
/** Of the time measured; before it. */
const WARMUP_SHARE = 0.4;
/** What of the whole no step accounts for. */
export const REST = 'rest of the request';

type Timed = Omit<MeasuredStep, 'share'>;

/** Measures each step by itself; an aborted `signal` ends it, and what was measured is returned. */
export async function measureSteps(options: MeasureOptions): Promise<BenchResult> {
  const { steps, clock, signal, onStep } = options;
  const startedAtMs = clock.now();
  const timed = new Map<string, Timed>();
  for (const step of steps) {
    // A bench never lets the event loop turn, and Ctrl-C is heard in its turns.
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
    notes: notesOn(whole),
    ...(signal?.aborted && { interrupted: true }),
  };
}

/** Those of the whole with their shares and what is left, then all others. */
function budgetOf(
  steps: readonly MeasurableStep[],
  timed: ReadonlyMap<string, Timed>,
  whole: Timed | null,
): MeasuredStep[] {
  const measured = steps.flatMap((step) => {
    const time = timed.get(step.name);
    return time && time !== whole ? [{ ...time, isOfWhole: step.isOfEachRequest }] : [];
  });
  const parts = measured.filter(({ isOfWhole }) => isOfWhole);
  const sumNs = parts.reduce((sum, { nsMedian }) => sum + nsMedian, 0);
  // Steps measured alone can come out a little above the whole that they are of.
  const allNs = Math.max(whole?.nsMedian ?? 0, sumNs);
  const rest =
    allNs > sumNs ? [{ name: REST, nsMedian: round(allNs - sumNs), nsDeviation: 0 }] : [];
  const of = ({ name, nsMedian, nsDeviation }: Timed, share: number): MeasuredStep => ({
    name,
    nsMedian,
    nsDeviation,
    share,
  });
  return [
    ...[...parts, ...rest].map((step) => of(step, whole ? step.nsMedian / allNs : 0)),
    ...measured.filter(({ isOfWhole }) => !isOfWhole).map((step) => of(step, 0)),
  ];
}

async function timeStep({ name, run }: MeasurableStep, options: MeasureOptions): Promise<Timed> {
  const time = options.durationMs ?? DEFAULT_DURATION_MS;
  const bench = new Bench({
    time,
    warmupTime: WARMUP_SHARE * time,
    throws: true,
  });
  // What a call gives is kept, so that no call can be left out as being of no use.
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

function notesOn(whole: Timed | null): string[] {
  if (!whole) return [];
  return [
    `Shares are of "${whole.name}", ${whole.nsMedian} ns, without the kernel and the socket; a step with no share is not taken by each such request.`,
  ];
}

/** A hundredth of a nanosecond is more than a clock can tell over a thousand calls. */
const round = (ns: number): number => Math.round(ns * 100) / 100;
