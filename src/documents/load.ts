import { z } from 'zod';
import { baseFields, count, type DocumentBase, type Target, targetSchema } from './base.ts';

/** A distribution of latencies in microseconds; min, max and mean are exact. All 0 for none. */
export interface LatencySummaryUs {
  min: number;
  p50: number;
  p90: number;
  p99: number;
  p99_9: number;
  p99_99: number;
  max: number;
  mean: number;
  count: number;
}

/** Both clocks of a request: response from its planned time, service from its send. */
export interface LatencyUs {
  response: LatencySummaryUs;
  service: LatencySummaryUs;
}

/** One second (or another even step) of a run. */
export interface SeriesPoint {
  /** Seconds from the start of the measured window; negative in the warm-up. */
  t: number;
  /** Answers a second. */
  rate: number;
  /** Response time, microseconds. */
  p50: number;
  /** Response time, microseconds. */
  p99: number;
  /** Response time, microseconds. */
  max: number;
  /** Requests that failed in this step. */
  failed: number;
  /** Requests a second that were due. */
  plannedRate?: number | undefined;
  /** The generator's own health in this step. */
  generator?:
    | {
        /** Cores in use. */
        cpu?: number | null | undefined;
        /** 0 to 1. */
        eventLoopUtilization?: number | null | undefined;
        sendLagP99Us?: number | null | undefined;
      }
    | null
    | undefined;
  /** The server's own health in this step, where it can be seen. */
  server?:
    | {
        /** Cores in use. */
        cpu?: number | null | undefined;
        /** 0 to 1. */
        eventLoopUtilization?: number | null | undefined;
        rssBytes?: number | null | undefined;
        gcMs?: number | null | undefined;
      }
    | null
    | undefined;
}

/** Units of thresholds: microseconds, requests per second, a share from 0 to 1. */
const THRESHOLD_UNITS = ['us', 'requests/s', 'share'] as const;
const COMPARISONS = ['<', '<=', '>', '>='] as const;

/** A threshold as text and parsed. */
export interface ThresholdTerms {
  /** As it was written, such as `p99<20ms` or `errors<0.1%`. */
  expression: string;
  /** `p99`, `service.p99.9`, `max`, `rate`, `errors`. */
  metric: string;
  unit: (typeof THRESHOLD_UNITS)[number];
  comparison: (typeof COMPARISONS)[number];
  /** In the unit. */
  bound: number;
}

/** A threshold and its outcome; documents of earlier builds have the text of its terms only. */
export interface ThresholdResult {
  expression: string;
  metric?: ThresholdTerms['metric'] | undefined;
  unit?: ThresholdTerms['unit'] | undefined;
  comparison?: ThresholdTerms['comparison'] | undefined;
  bound?: number | undefined;
  /** In the unit; null where nothing was measured. */
  observed: number | null;
  held: boolean;
}

/** How the generator itself did: a number is only as good as what measured it. */
export interface GeneratorHealth {
  workers: number;
  /** Cores in use, mean. */
  cpu: number | null;
  /** 0 to 1, the highest of the workers. */
  eventLoopUtilization: number | null;
  /** From when a request could have gone to its write, microseconds. */
  sendLagUs: { p50: number; p99: number; max: number } | null;
  saturated: boolean;
  /** What it was held against, in words. */
  saturationLimits?: string | undefined;
  /** Why it counts as saturated. */
  reasons?: readonly string[] | undefined;
}

/** How the server did, where it can be seen. */
export interface ServerHealth {
  /** Cores in use, mean. */
  cpu: number | null;
  rssBytes: number | null;
  /** 0 to 1. */
  eventLoopUtilization: number | null;
  /** Time in garbage collection over the run, milliseconds. */
  gcMs: number | null;
}

/** Load on a target, and what came of it. */
export interface LoadDocument extends DocumentBase {
  kind: 'load';
  target: Target;
  model: 'open' | 'closed';
  engine: string;
  intended: {
    /** Requests a second; null in the closed model. */
    rate: number | null;
    connections: number | null;
    durationS: number;
    warmupS: number;
  };
  /** Of the measured window only. */
  achieved: { rate: number; planned: number; sent: number; ok: number; failed: number };
  latencyUs: LatencyUs;
  /** HDR V2, compressed, base64; microseconds. */
  histograms: { response: string; service: string };
  series: readonly SeriesPoint[];
  /** Answers by status. */
  statuses: Readonly<Record<string, number>>;
  /** Failures by code. */
  errors: Readonly<Record<string, number>>;
  thresholds: readonly ThresholdResult[];
  generator: GeneratorHealth;
  server: ServerHealth | null;
  verdict: 'held' | 'fell-short' | 'invalid';
  /** Why, in a sentence. */
  reason?: string | undefined;
  seed?: number | string | undefined;
}

const latencySummary = z.looseObject({
  min: z.number(),
  p50: z.number(),
  p90: z.number(),
  p99: z.number(),
  p99_9: z.number(),
  p99_99: z.number(),
  max: z.number(),
  mean: z.number(),
  count,
});

/** Shape of {@link LatencyUs}. */
export const latencySchema: z.ZodType<LatencyUs> = z.looseObject({
  response: latencySummary,
  service: latencySummary,
});

const measured = z.number().nullable();

const seriesPoint = z.looseObject({
  t: z.number(),
  rate: z.number(),
  p50: z.number(),
  p99: z.number(),
  max: z.number(),
  failed: z.number(),
  plannedRate: z.number().optional(),
  generator: z
    .looseObject({
      cpu: measured.optional(),
      eventLoopUtilization: measured.optional(),
      sendLagP99Us: measured.optional(),
    })
    .nullish(),
  server: z
    .looseObject({
      cpu: measured.optional(),
      eventLoopUtilization: measured.optional(),
      rssBytes: measured.optional(),
      gcMs: measured.optional(),
    })
    .nullish(),
});

/** Shape of {@link LoadDocument}. */
export const loadSchema: z.ZodType<LoadDocument> = z.looseObject({
  ...baseFields,
  kind: z.literal('load'),
  target: targetSchema,
  model: z.enum(['open', 'closed']),
  engine: z.string(),
  intended: z.looseObject({
    rate: measured,
    connections: measured,
    durationS: z.number(),
    warmupS: z.number(),
  }),
  achieved: z.looseObject({
    rate: z.number(),
    planned: count,
    sent: count,
    ok: count,
    failed: count,
  }),
  latencyUs: latencySchema,
  histograms: z.looseObject({ response: z.string(), service: z.string() }),
  series: z.array(seriesPoint),
  statuses: z.record(z.string(), count),
  errors: z.record(z.string(), count),
  thresholds: z.array(
    z.looseObject({
      expression: z.string(),
      metric: z.string().optional(),
      unit: z.enum(THRESHOLD_UNITS).optional(),
      comparison: z.enum(COMPARISONS).optional(),
      bound: z.number().optional(),
      observed: measured,
      held: z.boolean(),
    }),
  ),
  generator: z.looseObject({
    workers: count,
    cpu: measured,
    eventLoopUtilization: measured,
    sendLagUs: z.looseObject({ p50: z.number(), p99: z.number(), max: z.number() }).nullable(),
    saturated: z.boolean(),
    saturationLimits: z.string().optional(),
    reasons: z.array(z.string()).optional(),
  }),
  server: z
    .looseObject({
      cpu: measured,
      rssBytes: measured,
      eventLoopUtilization: measured,
      gcMs: measured,
    })
    .nullable(),
  verdict: z.enum(['held', 'fell-short', 'invalid']),
  reason: z.string().optional(),
  seed: z.union([z.number(), z.string()]).optional(),
});
