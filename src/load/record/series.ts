import type { SeriesPoint } from '../../documents/load.ts';
import { LatencyHistogram, roundTo3 } from './histogram.ts';
import type { SecondData } from './recorder.ts';

/** Health of a generator over about a second. */
export type GeneratorSample = NonNullable<SeriesPoint['generator']>;

interface OpenSecond {
  ok: number;
  failed: number;
  sent: number;
  ready: number;
  response: LatencyHistogram;
  generator: GeneratorSample | null;
}

/** Generators report a second soon after its end; its histogram is kept for this many more. */
const SECONDS_KEPT_OPEN = 10;

/** Merges the seconds of all generators into the series of a run, in bounded memory for histograms. */
export class SeriesCollector {
  /** The latest second reported so far, -1 before the first. */
  newest = -1;
  readonly #open = new Map<number, OpenSecond>();
  readonly #points = new Map<number, SeriesPoint>();

  /** @param sample health of the generator over the last of the seconds */
  add(seconds: readonly SecondData[], sample?: GeneratorSample): void {
    for (const { second, ok, failed, sent, ready, response } of seconds) {
      const entry = this.#open.get(second) ?? {
        ok: 0,
        failed: 0,
        sent: 0,
        ready: 0,
        response: new LatencyHistogram(),
        generator: null,
      };
      entry.ok += ok;
      entry.failed += failed;
      entry.sent += sent;
      entry.ready += ready;
      entry.response.merge(response);
      this.#open.set(second, entry);
      this.newest = Math.max(this.newest, second);
    }
    const last = this.#open.get(seconds.at(-1)?.second ?? -1);
    if (last && sample) last.generator = combine(last.generator, sample);
    for (const [second, entry] of this.#open) {
      if (second < this.newest - SECONDS_KEPT_OPEN) this.#close(second, entry);
    }
  }

  /** A second as reported so far; one in which no request ended is all zeros. */
  at(second: number): SeriesPoint {
    const entry = this.#open.get(second);
    return entry ? pointOf(second, entry) : (this.#points.get(second) ?? emptyPoint(second));
  }

  /** The series, without gaps; the rate of a last, partial second is scaled to a full one. */
  finish(measuredMs: number): SeriesPoint[] {
    for (const [second, entry] of this.#open) this.#close(second, entry);
    return Array.from({ length: this.newest + 1 }, (_, second) => {
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

function pointOf(second: number, { response, generator, ...counts }: OpenSecond): SeriesPoint {
  const { p50, p99, max } = response.summary();
  const { ok, failed, sent, ready } = counts;
  return {
    t: second,
    rate: ok,
    p50,
    p99,
    max,
    failed,
    sent,
    ready,
    ...(generator && { generator }),
  };
}

/** The sum of the cores, and the maximum of the rest. */
function combine(a: GeneratorSample | null, b: GeneratorSample): GeneratorSample {
  const highest = (values: readonly (number | null | undefined)[]): number | null => {
    const known = values.filter((value) => value != null);
    return known.length === 0 ? null : roundTo3(Math.max(...known));
  };
  return {
    cpu: b.cpu === null || a?.cpu === null ? null : roundTo3((a?.cpu ?? 0) + b.cpu),
    eventLoopUtilization: roundTo3(Math.max(a?.eventLoopUtilization ?? 0, b.eventLoopUtilization)),
    sendLagP99Us: highest([a?.sendLagP99Us, b.sendLagP99Us]),
    coreWait: highest([a?.coreWait, b.coreWait]),
  };
}

const emptyPoint = (t: number): SeriesPoint => ({
  t,
  rate: 0,
  p50: 0,
  p99: 0,
  max: 0,
  failed: 0,
  sent: 0,
  ready: 0,
});

/** Adds a late report of a closed second: counts are summed, the higher quantiles kept. */
function join(a: SeriesPoint, b: SeriesPoint): SeriesPoint {
  return {
    t: a.t,
    rate: a.rate + b.rate,
    p50: Math.max(a.p50, b.p50),
    p99: Math.max(a.p99, b.p99),
    max: Math.max(a.max, b.max),
    failed: a.failed + b.failed,
    sent: (a.sent ?? 0) + (b.sent ?? 0),
    ready: (a.ready ?? 0) + (b.ready ?? 0),
    ...(a.generator && { generator: a.generator }),
  };
}
