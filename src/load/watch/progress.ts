import type { SeriesPoint } from '../../documents/load.ts';
import type { AgentPart } from '../agents/agent-progress.ts';
import { agentProgress } from '../agents/agent-progress.ts';
import type { LoadClock } from '../clock.ts';
import type { GeneratorUpdate } from '../engine/engine.ts';
import type { LoadProgress, ProgressSoFar } from '../outputs/output.ts';
import type { LoadPlan } from '../plan.ts';
import { LatencyHistogram, valuesOf } from '../record/histogram.ts';
import { addCounts } from '../record/merge.ts';
import type { OutcomeCounts, RecordSoFar } from '../record/recorder.ts';
import type { GeneratorState } from '../record/run-records.ts';
import { type GeneratorSample, SeriesCollector } from '../record/series.ts';
import type { Observation } from '../threshold.ts';

/** Grace after the end of a second for all generators to report it. */
const REPORT_GRACE_MS = 500;
/** Part of a second from which its rate is that of the target, and not of late answers. */
const LEAST_PART_MS = 500;

/** Merges the updates of all generators during a run. */
export class RunProgress {
  /** Start of the schedule, monotonic clock; to be set before the generators run. */
  startNs = 0;
  readonly #series = new SeriesCollector();
  readonly #plan: LoadPlan;
  readonly #clock: LoadClock;
  readonly #response = new LatencyHistogram();
  readonly #waiting = new Map<number, number>();
  /** The latest second that each generator reported. */
  readonly #newest = new Map<number, number>();
  readonly #records = new Map<number, RecordSoFar>();
  readonly #counts = new Map<number, OutcomeCounts>();
  readonly #samples = new Map<number, GeneratorSample>();
  readonly #parts: (() => readonly AgentPart[]) | undefined;
  #ok = 0;
  #failed = 0;
  /** The first second of the window not reported yet. */
  #nextSecond = 0;

  /** @param parts the agents that run the generators; left out for threads of this process */
  constructor(plan: LoadPlan, clock: LoadClock, parts?: () => readonly AgentPart[]) {
    this.#plan = plan;
    this.#clock = clock;
    this.#parts = parts;
  }

  take(generator: number, update: GeneratorUpdate): void {
    const { seconds, waiting, counts, sample } = update;
    this.#waiting.set(generator, waiting);
    if (counts) this.#counts.set(generator, counts);
    if (update.record) this.#records.set(generator, update.record);
    if (sample) this.#samples.set(generator, sample);
    const last = seconds.at(-1);
    if (last) this.#newest.set(generator, last.second);
    this.#series.add(seconds, sample);
    for (const { ok, failed, response } of seconds) {
      this.#response.merge(response);
      this.#ok += ok;
      this.#failed += failed;
    }
  }

  /** Due requests that wait for a connection, in seconds of the schedule. */
  get backlogS(): number {
    const waiting = [...this.#waiting.values()].reduce((sum, count) => sum + count, 0);
    const { plannedRate } = this.now();
    return waiting === 0 || plannedRate === null ? 0 : waiting / Math.max(plannedRate, 1);
  }

  /** The state of the run, and the seconds that are new since the last report. */
  report(): LoadProgress {
    const state = this.now();
    const end = this.#secondsKnownAt(state.elapsedS * 1000);
    const from = Math.max(0, this.#nextSecond - 1);
    this.#nextSecond = end;
    const seconds = Array.from({ length: Math.max(0, end - from) }, (_, index) =>
      this.#withPlan(this.#series.at(from + index)),
    );
    const agents = this.#parts && agentProgress(this.#parts(), this.generators());
    return { ...state, soFar: this.#soFar(), seconds, ...(agents && { agents }) };
  }

  #soFar(): ProgressSoFar {
    const counts = [...this.#counts.values()];
    return {
      statuses: addCounts(counts.map(({ statuses }) => statuses)),
      errors: addCounts(counts.map(({ errors }) => errors)),
      latencyUs: this.#response.summary(),
      values: valuesOf(this.#response.toData()),
    };
  }

  /** The state of each generator; the records are there if the updates hold them. */
  generators(): GeneratorState[] {
    const agents = this.#parts?.() ?? [];
    return Array.from({ length: this.#plan.generators }, (_, generator) => ({
      generator,
      agent:
        agents.find(({ range: { from, count } }) => generator >= from && generator < from + count)
          ?.name ?? null,
      record: this.#records.get(generator) ?? null,
      sample: this.#samples.get(generator) ?? null,
      waiting: this.#waiting.get(generator) ?? 0,
    }));
  }

  /** The whole series; see {@link SeriesCollector.finish}. */
  finishSeries(measuredMs: number): SeriesPoint[] {
    return this.#series.finish(measuredMs).map((point) => this.#withPlan(point, measuredMs));
  }

  now(): Omit<LoadProgress, 'soFar' | 'seconds' | 'agents'> {
    const elapsedMs = Math.max(0, (this.#clock.monotonicNs() - this.startNs) / 1e6);
    const { warmupMs, durationMs } = this.#plan;
    // Generators do not report a second in which no request ended; then this is an empty one.
    const { rate, p50, p99, max } = this.#series.at(this.#secondsKnownAt(elapsedMs) - 1);
    const started = elapsedMs < warmupMs + durationMs ? 'measuring' : 'draining';
    return {
      phase: elapsedMs < warmupMs ? 'warm-up' : started,
      elapsedS: elapsedMs / 1000,
      totalS: (warmupMs + durationMs) / 1000,
      plannedRate: this.#plannedRateAt(elapsedMs),
      rate,
      p50Us: p50,
      p99Us: p99,
      maxUs: max,
      ok: this.#ok,
      failed: this.#failed,
    };
  }

  /** Measurements so far, for thresholds; both latencies are the response time. */
  observe(): Observation {
    const measuredS = this.now().elapsedS - this.#plan.warmupMs / 1000;
    const known = this.#ok + this.#failed;
    return {
      ratePerS: measuredS > 0 ? this.#ok / measuredS : 0,
      reconnectedShare: null,
      errorShare: known > 0 ? this.#failed / known : null,
      latencyUs: (_of, at) => this.#response.at(at),
      part: () => null,
    };
  }

  /**
   * Seconds of the window that are over and that all generators reported, or would have by now: of a second
   * that only some reported, the rate would be too low.
   */
  #secondsKnownAt(elapsedMs: number): number {
    const { warmupMs, durationMs } = this.#plan;
    const measuredMs = Math.min(elapsedMs - warmupMs - REPORT_GRACE_MS, durationMs);
    const isReported = this.#newest.size === this.#plan.generators;
    const newest = isReported ? Math.min(...this.#newest.values()) : -1;
    return Math.max(newest + 1, Math.floor(measuredMs / 1000));
  }

  /**
   * Adds the rate that was due in the middle of the second, or of its part within the window, and
   * whether that part is too small for a rate.
   */
  #withPlan(point: SeriesPoint, measuredMs: number = this.#plan.durationMs): SeriesPoint {
    const fromMs = point.t * 1000;
    const partMs = Math.min(1000, Math.max(0, measuredMs - fromMs));
    const plannedRate = this.#plannedRateAt(this.#plan.warmupMs + fromMs + partMs / 2);
    return {
      ...point,
      ...(plannedRate !== null && { plannedRate }),
      ...(partMs < LEAST_PART_MS && { drained: true as const }),
    };
  }

  #plannedRateAt(elapsedMs: number): number | null {
    let leftMs = elapsedMs;
    for (const { fromRate, toRate, durationMs } of this.#plan.stages) {
      if (leftMs < durationMs) return fromRate + ((toRate - fromRate) * leftMs) / durationMs;
      leftMs -= durationMs;
    }
    return this.#plan.model === 'closed' ? null : 0;
  }
}
