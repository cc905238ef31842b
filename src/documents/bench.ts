import { z } from 'zod';
import { baseFields, type DocumentBase } from './base.ts';

/** One step of the fast path. */
export interface BenchStep {
  name: string;
  /** Median time of one run of the step, nanoseconds. */
  nsMedian: number;
  /** Of the whole path, 0 to 1. */
  share: number;
}

/** Micro-benchmarks of each step of the fast path. */
export interface BenchDocument extends DocumentBase {
  kind: 'bench';
  steps: readonly BenchStep[];
}

/** Shape of {@link BenchDocument}. */
export const benchSchema: z.ZodType<BenchDocument> = z.looseObject({
  ...baseFields,
  kind: z.literal('bench'),
  steps: z.array(z.looseObject({ name: z.string(), nsMedian: z.number(), share: z.number() })),
});
