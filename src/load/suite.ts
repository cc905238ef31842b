import { z } from 'zod';
import { ENGINE_NAMES } from './engine/names.ts';

const text = z.string().min(1);
const expressions = z.union([z.array(text), text.transform((one) => [one])]);
/** A duration; a number without a unit is in seconds, as on the command line. */
const duration = z.union([text, z.number().min(0).transform(String)]);
/** A number, or a percentage as on the command line. */
const share = z.union([text, z.number().min(0).max(1).transform(String)]);

const settings = z.strictObject({
  rate: z.number().positive().optional(),
  arrivals: z.enum(['constant', 'poisson']).optional(),
  stages: z.string().optional(),
  connections: z.int().min(1).optional(),
  duration: duration.optional(),
  warmup: duration.optional(),
  timeout: duration.optional(),
  acceptLateness: duration.optional(),
  workers: z.int().min(1).optional(),
  mix: z.string().optional(),
  as: z.enum(['platform', 'user']).optional(),
  /** Path of a CSV file, relative to the working directory. */
  routes: z.string().optional(),
  threshold: expressions.optional(),
  abortOn: expressions.optional(),
  findMax: z.string().optional(),
  validate: share.optional(),
  newConnections: z.boolean().optional(),
  engine: z.enum(ENGINE_NAMES).optional(),
  seed: z.number().optional(),
});

/** Schema of a load suite's file. */
export const loadSuiteSchema = z.strictObject({
  name: text,
  description: z.string().optional(),
  load: settings,
});

/** Settings of a load suite: the flags of `load` by their names, in camel case. */
export type LoadSuiteSettings = z.infer<typeof settings>;

/** A load suite: a named set of settings, as data. */
export type LoadSuite = z.infer<typeof loadSuiteSchema>;
