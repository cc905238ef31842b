import type { GeneratorMoment } from '../engine/generator-report.ts';
import type { SeriesPoint } from '../result/load-result.ts';
import { LatencyHistogram } from './histogram.ts';
import type { SecondData } from './recorder.ts';

interface OpenSecond {
  ok: number;
  failed: number;
  response: LatencyHistogram;
  generator: GeneratorMoment | null;
}

/** Generators tell of a second soon after its end; a histogram is kept no longer than this. */
const SECONDS_KEPT_OPEN = 10;

/** Merges the seconds of all generators into the series of a run, in memory that does not grow fast. */
export class SeriesCollector {
  readonly #open = new Map<number, OpenSecond>();
  readonly #points = new Map<number, SeriesPoint>();
  #newest = -1;

  /** @param moment how the generator did in the newest of the seconds */
  add(seconds: readonly SecondData[], moment?: GeneratorMoment): void {
    for (const { second, ok, failed, response } of seconds) {
      const entry = this.#open.get(second) ?? {
        ok: 0,
        failed: 0,
        response: new LatencyHistogram(),
        generator: null,
      };
      entry.ok += ok;
      entry.failed += failed;
      entry.response.merge(response);
      this.#open.set(second, entry);
      this.#newest = Math.max(this.#newest, second);
    }
    const last = this.#open.get(seconds.at(-1)?.second ?? -1);
    if (last && moment) last.generator = together(last.generator, moment);
    for (const [second, entry] of this.#open) {
      if (second < this.#newest - SECONDS_KEPT_OPEN) this.#close(second, entry);
    }
  }

  /** The newest second that is known, -1 before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** A second as it is known by now; one in which nothing was answered is empty. */
  at(second: number): SeriesPoint {
    const entry = this.#open.get(second);
    return entry ? pointOf(second, entry) : (this.#points.get(second) ?? emptyPoint(second));
  }

  /**
   * The series, without gaps; a second that the window's end cuts has the rate of its part.
   *
   * @param measuredMs how long the window was
   */
  finish(measuredMs: number): SeriesPoint[] {
    for (const [second, entry] of this.#open) this.#close(second, entry);
    return Array.from({ length: this.#newest + 1 }, (_, second) => {
      const point = this.#points.get(second) ?? emptyPoint(second);
      const partMs = measuredMs - second * 1000;
      if (partMs <= 0 || partMs >= 1000) return point;
      return { ...point, rate: Math.round((point.rate * 1e6) / partMs) / 1000 };
    });
  }

  #close(second: number, entry: OpenSecond): void {
    this.#open.delete(second);
    const point = pointOf(second, entry);
    const known = this.#points.get(second);
    this.#points.set(second, known ? join(known, point) : point);
  }
}

function pointOf(second: number, { ok, failed, response, generator }: OpenSecond): SeriesPoint {
  const { p50, p99, max } = response.summary();
  return { t: second, rate: ok, p50, p99, max, failed, ...(generator && { generator }) };
}

/** Cores add up; of the rest the worst stands. */
function together(a: GeneratorMoment | null, b: GeneratorMoment): GeneratorMoment {
  const lagsUs = [a?.sendLagP99Us, b.sendLagP99Us].filter((us) => us != null);
  return {
    cpu: b.cpu === null || a?.cpu === null ? null : round((a?.cpu ?? 0) + b.cpu),
    eventLoopUtilization: round(Math.max(a?.eventLoopUtilization ?? 0, b.eventLoopUtilization)),
    sendLagP99Us: lagsUs.length === 0 ? null : round(Math.max(...lagsUs)),
  };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

const emptyPoint = (second: number): SeriesPoint => ({
  t: second,
  rate: 0,
  p50: 0,
  p99: 0,
  max: 0,
  failed: 0,
});

/** A generator that told very late: counts are added, and the slower quantiles stand. */
function join(a: SeriesPoint, b: SeriesPoint): SeriesPoint {
  return {
    t: a.t,
    rate: a.rate + b.rate,
    p50: Math.max(a.p50, b.p50),
    p99: Math.max(a.p99, b.p99),
    max: Math.max(a.max, b.max),
    failed: a.failed + b.failed,
    ...(a.generator && { generator: a.generator }),
  };
}
