import { z } from 'zod';

/** The version of every run document that this release writes (design of the documents: README). */
export const SCHEMA_VERSION = 1;

/** What wrote a run document. */
export interface Tool {
  name: string;
  version: string;
}

/** Whom a run was held against; environment is `production`, `test`, or both for the embedded one. */
export interface Target {
  name: string;
  baseUrl: string;
  environment: string;
}

/** What every run document carries. */
export interface DocumentBase {
  schemaVersion: typeof SCHEMA_VERSION;
  tool: Tool;
  /** ISO 8601. */
  startedAt: string;
  /** ISO 8601. */
  finishedAt: string;
  /** Sentences for the reader: what was cut short, what was assumed. */
  notes?: readonly string[] | undefined;
  /** The run was ended from outside; the document holds what was measured so far. */
  interrupted?: boolean | undefined;
}

/** ISO 8601 with an offset or `Z`. */
export const instant: z.ZodType<string> = z.iso.datetime({ offset: true });

/** A count: a whole number from 0 up. */
export const count: z.ZodType<number> = z.int().min(0);

/** Shape of {@link Target}. */
export const targetSchema: z.ZodType<Target> = z.looseObject({
  name: z.string(),
  baseUrl: z.string(),
  environment: z.string(),
});

/** Fields of {@link DocumentBase}, to be spread into the shape of a kind. */
export const baseFields: {
  schemaVersion: z.ZodLiteral<typeof SCHEMA_VERSION>;
  tool: z.ZodType<Tool>;
  startedAt: z.ZodType<string>;
  finishedAt: z.ZodType<string>;
  notes: z.ZodOptional<z.ZodType<readonly string[]>>;
  interrupted: z.ZodOptional<z.ZodType<boolean>>;
} = {
  schemaVersion: z.literal(SCHEMA_VERSION),
  tool: z.looseObject({ name: z.string(), version: z.string() }),
  startedAt: instant,
  finishedAt: instant,
  notes: z.array(z.string()).optional(),
  interrupted: z.boolean().optional(),
};
