import { z } from 'zod';

/** What a load suite sets: the flags of `load` by their names, in camel case. */
export interface LoadSuiteSettings {
  rate?: number | undefined;
  arrivals?: 'constant' | 'poisson' | undefined;
  stages?: string | undefined;
  connections?: number | undefined;
  /** Such as `30s`, as on the command line. */
  duration?: string | undefined;
  warmup?: string | undefined;
  timeout?: string | undefined;
  workers?: number | undefined;
  mix?: string | undefined;
  as?: 'platform' | 'user' | undefined;
  /** Path of a CSV file, relative to the working directory. */
  routes?: string | undefined;
  threshold?: string[] | undefined;
  abortOn?: string[] | undefined;
  findMax?: string | undefined;
  /** Share of the answers, such as 0.5 or `50%`. */
  validate?: string | undefined;
  newConnections?: boolean | undefined;
  engine?: 'native' | 'autocannon' | undefined;
  seed?: number | undefined;
}

/** A load suite: a named set of settings, as data. */
export interface LoadSuite {
  name: string;
  description?: string | undefined;
  load: LoadSuiteSettings;
}

const expressions = z.union([
  z.array(z.string().min(1)),
  z
    .string()
    .min(1)
    .transform((text) => [text]),
]);
/** A duration; a number without a unit is in seconds, as on the command line. */
const duration = z.union([z.string().min(1), z.number().min(0).transform(String)]);

/** A number, or a percentage as on the command line. */
const share = z.union([z.string().min(1), z.number().min(0).max(1).transform(String)]);

/** Shape of a load suite's file. */
export const loadSuiteSchema: z.ZodType<LoadSuite> = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  load: z.strictObject({
    rate: z.number().positive().optional(),
    arrivals: z.enum(['constant', 'poisson']).optional(),
    stages: z.string().optional(),
    connections: z.int().min(1).optional(),
    duration: duration.optional(),
    warmup: duration.optional(),
    timeout: duration.optional(),
    workers: z.int().min(1).optional(),
    mix: z.string().optional(),
    as: z.enum(['platform', 'user']).optional(),
    routes: z.string().optional(),
    threshold: expressions.optional(),
    abortOn: expressions.optional(),
    findMax: z.string().optional(),
    validate: share.optional(),
    newConnections: z.boolean().optional(),
    engine: z.enum(['native', 'autocannon']).optional(),
    seed: z.number().optional(),
  }),
});
