import type { Arrivals, LoadModel } from '../plan/plan.ts';
import type { LatencySummaryUs } from '../record/histogram.ts';
import type { SeriesPoint } from '../record/series.ts';
import type { ServerHealth } from '../record/server-probe.ts';
import type { ThresholdResult } from '../threshold.ts';

/** How the generator did: a number is only as good as what measured it. */
export interface GeneratorHealth {
  workers: number;
  /** Cores in use by all generators; null where the system does not tell. */
  cpu: number | null;
  /**
   * Share of the time in which a generator was ready to run and got no core, 0 to 1, the highest of
   * the generators: how busy the machine was with other things. Null where the system does not tell.
   */
  coreWait: number | null;
  /** 0 to 1, the highest of the generators; waiting for a planned time in a spin left out. */
  eventLoopUtilization: number | null;
  /** From when a request could have gone to its write, microseconds; null where it is not seen. */
  sendLagUs: { p50: number; p99: number; max: number } | null;
  saturated: boolean;
  /** What it was held against, in words. */
  saturationLimits: string;
  /** Why it counts as saturated; empty where it does not. */
  reasons: string[];
}

/** A load run document (`kind: "load"`) but for the tool that wrote it. */
export interface LoadResult {
  kind: 'load';
  schemaVersion: 1;
  startedAt: string;
  finishedAt: string;
  target: { name: string; baseUrl: string; environment: string };
  model: LoadModel;
  engine: string;
  intended: {
    /** Requests a second, the mean of the stages; null in the closed model. */
    rate: number | null;
    connections: number;
    durationS: number;
    warmupS: number;
    /** How the planned times lie; null in the closed model. */
    arrivals: Arrivals | null;
  };
  /** Of the measured window only; rate is of successful answers. */
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
  /** Why, in a sentence. */
  reason: string;
  seed: number;
  /** What was asked for. */
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
