import type { Arrivals, LoadModel } from '../plan/plan.ts';
import type { LatencySummaryUs } from '../record/histogram.ts';
import type { SeriesPoint } from '../record/series.ts';
import type { ServerHealth } from '../record/server-probe.ts';
import type { ThresholdResult } from '../threshold.ts';

/** Health of the generator: a number is only as good as what measured it. */
export interface GeneratorHealth {
  workers: number;
  /** Cores in use by all generators; null where the system does not report it. */
  cpu: number | null;
  /**
   * Share of the time in which a generator was runnable and got no core, 0 to 1, the highest of the
   * generators: how busy the machine was otherwise. Null where the system does not report it.
   */
  coreWait: number | null;
  /** 0 to 1, the highest of the generators; spin-waiting does not count. */
  eventLoopUtilization: number | null;
  /** Time from when a request could be sent to its write, microseconds; null where unknown. */
  sendLagUs: { p50: number; p99: number; max: number } | null;
  saturated: boolean;
  /** Limits of saturation, in words. */
  saturationLimits: string;
  /** Reasons why it counts as saturated; empty where it does not. */
  reasons: string[];
}

/** A load run document (`kind: "load"`), all but the tool. */
export interface LoadResult {
  kind: 'load';
  schemaVersion: 1;
  startedAt: string;
  finishedAt: string;
  target: { name: string; baseUrl: string; environment: string };
  model: LoadModel;
  engine: string;
  intended: {
    /** Requests per second, the mean of the stages; null in the closed model. */
    rate: number | null;
    connections: number;
    durationS: number;
    warmupS: number;
    /** Distribution of the planned times; null in the closed model. */
    arrivals: Arrivals | null;
  };
  /** Figures of the measured window; the rate is of successful answers. */
  achieved: { rate: number; planned: number; sent: number; ok: number; failed: number };
  latencyUs: { response: LatencySummaryUs; service: LatencySummaryUs };
  histograms: { response: string; service: string };
  series: SeriesPoint[];
  statuses: Record<string, number>;
  errors: Record<string, number>;
  thresholds: ThresholdResult[];
  generator: GeneratorHealth;
  server: ServerHealth | null;
  verdict: 'held' | 'fell-short' | 'invalid';
  /** Reason of the verdict, in a sentence. */
  reason: string;
  seed: number;
  /** The requests that were sent. */
  workload: {
    identity: 'platform' | 'user';
    partnerId: string;
    mix: Readonly<Record<string, number>>;
    /** Different requests, sent in turn. */
    requests: number;
  };
  interrupted?: boolean;
  notes?: string[];
}
