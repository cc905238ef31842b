import { z } from 'zod';
import { baseFields, type DocumentBase, type Target, targetSchema } from './base.ts';
import { type LatencyUs, latencySchema } from './load.ts';

/** One rate that was tried. */
export interface Trial {
  /** Requests a second that were due. */
  rate: number;
  /** The objective held. */
  held: boolean;
  /** False where the generator, not the target, was the limit. */
  valid: boolean;
  /** Requests a second that were answered. */
  achievedRate?: number | undefined;
  latencyUs?: LatencyUs | undefined;
  /** Failed share of the requests, 0 to 1. */
  errors?: number | undefined;
  /** Why it ended early, or why it is not valid. */
  reason?: string | undefined;
  /** Cut short by an interruption, and no vote of the search. */
  interrupted?: boolean | undefined;
}

/** A search for the highest rate that holds an objective. */
export interface FindMaxDocument extends DocumentBase {
  kind: 'find-max';
  target: Target;
  /** As it was written, such as `p99<20ms,errors<0.1%`. */
  objective: string;
  /** Requests a second: low held, high did not; null high where nothing tried fell short. */
  interval: { low: number; high: number | null };
  /** In the order they were run. */
  trials: readonly Trial[];
  verdict?: string | undefined;
  reason?: string | undefined;
}

/** Shape of {@link FindMaxDocument}. */
export const findMaxSchema: z.ZodType<FindMaxDocument> = z.looseObject({
  ...baseFields,
  kind: z.literal('find-max'),
  target: targetSchema,
  objective: z.string(),
  interval: z.looseObject({ low: z.number(), high: z.number().nullable() }),
  trials: z.array(
    z.looseObject({
      rate: z.number(),
      held: z.boolean(),
      valid: z.boolean(),
      achievedRate: z.number().optional(),
      latencyUs: latencySchema.optional(),
      errors: z.number().optional(),
      reason: z.string().optional(),
      interrupted: z.boolean().optional(),
    }),
  ),
  verdict: z.string().optional(),
  reason: z.string().optional(),
});
