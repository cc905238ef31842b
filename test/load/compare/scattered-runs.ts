import type { RunSample } from '../../../src/load/compare/compare-runs.ts';
import type { Random } from '../../../src/load/seeded-random.ts';

/** A number from the standard normal distribution. */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Ways in which a set of runs varies. */
export interface Scatter {
  shift?: number | undefined;
  spread?: number;
  startMs?: number;
  drift?: number;
  failed?: number;
  verdict?: RunSample['verdict'];
  /** Median send lag of a generator of a busy machine, microseconds; left out for an idle one. */
  lateUs?: number;
}

/** Runs whose quantiles vary log-normally, as those of real runs do; drift affects both sides. */
export function makeRuns(count: number, random: Random, scatter: Scatter = {}): RunSample[] {
  const { shift = 1, spread = 0.03, startMs = 0, drift = 0, failed = 0 } = scatter;
  return Array.from({ length: count }, (_, index) => {
    const scale = shift * Math.exp(drift * index);
    const at = (us: number): number => us * scale * Math.exp(spread * normal(random));
    const response = { p50: at(400), p90: at(900), p99: at(3000) };
    return {
      startedAt: new Date(startMs + index * 2000).toISOString(),
      latencyUs: { response },
      achieved: { planned: 10_000, ok: 10_000 - failed, failed },
      verdict: scatter.verdict ?? 'held',
      ...(scatter.lateUs !== undefined && lateness(response, scatter.lateUs, random)),
    };
  });
}

/** Makes a run late: response times hold the send lag whole, and all times half of it, since answers are read late. */
function lateness(times: Times, lateUs: number, random: Random): Partial<RunSample> {
  const us = lateUs * Math.exp(0.8 * normal(random));
  const lag = { p50: us, p90: 3 * us, p99: 10 * us };
  const withLag = (share: number): Times => ({
    p50: times.p50 + share * lag.p50,
    p90: times.p90 + share * lag.p90,
    p99: times.p99 + share * lag.p99,
  });
  return {
    model: 'open',
    generator: { sendLagUs: { ...lag, max: 50 * us } },
    latencyUs: { response: withLag(1.5), service: withLag(0.5) },
  };
}

type Times = RunSample['latencyUs']['response'];

/** The same run with that many failed requests. */
export function failing(run: RunSample | undefined, failed: number): RunSample {
  const { planned } = (run as RunSample).achieved;
  return { ...(run as RunSample), achieved: { planned, ok: planned - failed, failed } };
}
