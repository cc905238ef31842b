import type { LoadClock } from '../clock.ts';
import type { GeneratorUpdate } from '../engine/generator-report.ts';
import type { LoadProgress } from '../options.ts';
import type { LoadPlan } from '../plan/plan.ts';
import { LatencyHistogram } from '../record/histogram.ts';
import { SeriesCollector, type SeriesPoint } from '../record/series.ts';
import type { Observation } from '../threshold.ts';

/** By so much after a second's end every generator has told of it. */
const TELLING_MS = 500;

/** Gathers what generators tell while they run, for whoever watches. */
export class RunProgress {
  readonly #series = new SeriesCollector();
  readonly #plan: LoadPlan;
  readonly #clock: LoadClock;
  #startNs = 0;
  readonly #response = new LatencyHistogram();
  readonly #waiting = new Map<number, number>();
  #ok = 0;
  #failed = 0;
  /** The first second of the window that was not told yet. */
  #untold = 0;

  constructor(plan: LoadPlan, clock: LoadClock) {
    this.#plan = plan;
    this.#clock = clock;
  }

  /** @param startNs when the first request is planned, monotonic clock */
  begin(startNs: number): void {
    this.#startNs = startNs;
  }

  take(generator: number, { seconds, waiting, sample }: GeneratorUpdate): void {
    this.#waiting.set(generator, waiting);
    this.#series.add(seconds, sample);
    for (const { ok, failed, response } of seconds) {
      this.#response.merge(response);
      this.#ok += ok;
      this.#failed += failed;
    }
  }

  /** How much of the schedule waits for a connection, in seconds of it. */
  get backlogS(): number {
    const waiting = [...this.#waiting.values()].reduce((sum, count) => sum + count, 0);
    const { plannedRate } = this.now();
    return waiting === 0 || plannedRate === null ? 0 : waiting / Math.max(plannedRate, 1);
  }

  /** Tells how the run stands, and the seconds that are new since the last time. */
  tell(): LoadProgress {
    const standing = this.now();
    const end = this.#secondsKnownAt(standing.elapsedS * 1000);
    const from = Math.max(0, this.#untold - 1);
    this.#untold = end;
    const seconds = Array.from({ length: Math.max(0, end - from) }, (_, index) =>
      this.#withPlannedRate(this.#series.at(from + index)),
    );
    return { ...standing, seconds };
  }

  /** The whole series; see {@link SeriesCollector.finish}. */
  finishSeries(measuredMs: number): SeriesPoint[] {
    return this.#series.finish(measuredMs).map((point) => this.#withPlannedRate(point));
  }

  now(): Omit<LoadProgress, 'seconds'> {
    const elapsedMs = Math.max(0, (this.#clock.monotonicNs() - this.#startNs) / 1e6);
    const { warmupMs, durationMs } = this.#plan;
    // A second without any answer is not told of by the generators; then this is an empty one.
    const second = this.#secondsKnownAt(elapsedMs) - 1;
    const last = second < 0 ? null : this.#series.at(second);
    return {
      phase:
        elapsedMs < warmupMs
          ? 'warm-up'
          : elapsedMs < warmupMs + durationMs
            ? 'measuring'
            : 'draining',
      elapsedS: elapsedMs / 1000,
      totalS: (warmupMs + durationMs) / 1000,
      plannedRate: this.#plannedRateAt(elapsedMs),
      rate: last?.rate ?? 0,
      p50Us: last?.p50 ?? 0,
      p99Us: last?.p99 ?? 0,
      maxUs: last?.max ?? 0,
      ok: this.#ok,
      failed: this.#failed,
    };
  }

  /** What was measured so far, as a threshold sees it; both latencies are the response time. */
  observe(): Observation {
    const measuredS = this.now().elapsedS - this.#plan.warmupMs / 1000;
    const known = this.#ok + this.#failed;
    const response = this.#response;
    return {
      ratePerS: measuredS > 0 ? this.#ok / measuredS : 0,
      errorShare: known > 0 ? this.#failed / known : null,
      latencyUs: (_of, at) => response.at(at),
    };
  }

  /** How many seconds of the window are over and were told of, or would have been by now. */
  #secondsKnownAt(elapsedMs: number): number {
    const { warmupMs, durationMs } = this.#plan;
    const measuredMs = Math.min(elapsedMs - warmupMs - TELLING_MS, durationMs);
    return Math.max(this.#series.newest + 1, Math.floor(measuredMs / 1000));
  }

  /** What was due in the middle of a second, or of the part of it that lies in the window. */
  #withPlannedRate(point: SeriesPoint): SeriesPoint {
    const { warmupMs, durationMs } = this.#plan;
    const fromMs = point.t * 1000;
    const partMs = Math.min(1000, Math.max(0, durationMs - fromMs));
    const plannedRate = this.#plannedRateAt(warmupMs + fromMs + partMs / 2);
    return plannedRate === null ? point : { ...point, plannedRate };
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
