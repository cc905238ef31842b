import { z } from 'zod';
import { baseFields, type DocumentBase } from './base.ts';
import { type LatencyUs, latencySchema } from './load.ts';

/** How far a quantile of the candidate lies from that of the base, in percent of the base. */
export interface QuantileShift {
  /** 0 to 1, such as 0.99. */
  q: number;
  /** Below 0 is faster. */
  shiftPercent: number;
  /** Lower end of the interval, percent. */
  low: number;
  /** Upper end of the interval, percent. */
  high: number;
}

/** How far a step of a bench lies from that of the base, in percent of the base. */
export interface StepShift {
  name: string;
  /** Below 0 is faster. */
  shiftPercent: number;
  /** Lower end of the interval, percent. */
  low: number;
  /** Upper end of the interval, percent. */
  high: number;
}

interface NamedRun {
  /** File or label of the run. */
  name?: string | undefined;
  /** ISO 8601. */
  startedAt?: string | undefined;
}

/** One load run of a comparison: a load document fits. */
export interface ComparedLoad extends NamedRun {
  latencyUs: LatencyUs;
}

/** One bench of a comparison: a bench document fits. */
export interface ComparedBench extends NamedRun {
  steps: readonly { name: string; nsMedian: number }[];
  /** What the steps are of. */
  whole?: { name: string; nsMedian: number } | null | undefined;
}

/** One run of a comparison. */
export type ComparedRun = ComparedLoad | ComparedBench;

/** Two builds held against each other; the run is the sample. */
export interface ComparisonDocument extends DocumentBase {
  kind: 'comparison';
  verdict: 'better' | 'worse' | 'equivalent' | 'inconclusive';
  /** Of load runs; empty where benches are compared, or nothing could be. */
  quantiles: readonly QuantileShift[];
  /** Of benches; left out where load runs are compared. */
  steps?: readonly StepShift[] | undefined;
  /** a: the base. b: the candidate. */
  runs: { a: readonly ComparedRun[]; b: readonly ComparedRun[] };
  /** Shifts within plus or minus this count as equivalent, percent. */
  marginPercent?: number | undefined;
  reason?: string | undefined;
  /** The base held against itself: how often that raises an alarm, 0 to 1. */
  selfTest?: { trials: number; falseAlarms: number } | undefined;
}

const named = { name: z.string().optional(), startedAt: z.string().optional() };
const step = z.looseObject({ name: z.string(), nsMedian: z.number() });
const run: z.ZodType<ComparedRun> = z.union([
  z.looseObject({ ...named, latencyUs: latencySchema }),
  z.looseObject({ ...named, steps: z.array(step), whole: step.nullish() }),
]);
const shift = { shiftPercent: z.number(), low: z.number(), high: z.number() };

/** Shape of {@link ComparisonDocument}. */
export const comparisonSchema: z.ZodType<ComparisonDocument> = z.looseObject({
  ...baseFields,
  kind: z.literal('comparison'),
  verdict: z.enum(['better', 'worse', 'equivalent', 'inconclusive']),
  quantiles: z.array(z.looseObject({ q: z.number().min(0).max(1), ...shift })),
  steps: z.array(z.looseObject({ name: z.string(), ...shift })).optional(),
  runs: z.looseObject({ a: z.array(run), b: z.array(run) }),
  marginPercent: z.number().optional(),
  reason: z.string().optional(),
  selfTest: z.looseObject({ trials: z.int().min(0), falseAlarms: z.int().min(0) }).optional(),
});
