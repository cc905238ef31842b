import type { LoadClock } from './clock.ts';
import type { GeneratorUpdate } from './generator-report.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import type { LoadProgress } from './load-options.ts';
import type { LoadPlan } from './plan.ts';
import { SeriesCollector } from './series.ts';
import type { Observation } from './threshold.ts';

/** Gathers what generators tell while they run, for whoever watches. */
export class RunProgress {
  readonly series: SeriesCollector = new SeriesCollector();
  readonly #plan: LoadPlan;
  readonly #clock: LoadClock;
  #startNs = 0;
  readonly #response = new LatencyHistogram();
  readonly #waiting = new Map<number, number>();
  #ok = 0;
  #failed = 0;

  constructor(plan: LoadPlan, clock: LoadClock) {
    this.#plan = plan;
    this.#clock = clock;
  }

  /** @param startNs when the first request is planned, monotonic clock */
  begin(startNs: number): void {
    this.#startNs = startNs;
  }

  take(generator: number, { seconds, waiting }: GeneratorUpdate): void {
    this.#waiting.set(generator, waiting);
    this.series.add(seconds);
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

  now(): LoadProgress {
    const elapsedMs = Math.max(0, (this.#clock.monotonicNs() - this.#startNs) / 1e6);
    const { warmupMs, durationMs } = this.#plan;
    const last = this.series.latest();
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

  #plannedRateAt(elapsedMs: number): number | null {
    let leftMs = elapsedMs;
    for (const { fromRate, toRate, durationMs } of this.#plan.stages) {
      if (leftMs < durationMs) return fromRate + ((toRate - fromRate) * leftMs) / durationMs;
      leftMs -= durationMs;
    }
    return this.#plan.model === 'closed' ? null : 0;
  }
}
