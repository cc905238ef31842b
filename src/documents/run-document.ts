import { z } from 'zod';
import { ConfigurationError } from '../interface/errors.ts';
import { isMissing } from '../interface/missing-field.ts';
import { SCHEMA_VERSION } from './base.ts';
import { type BenchDocument, benchSchema } from './bench.ts';
import { type ComparisonDocument, comparisonSchema } from './comparison.ts';
import { type ConformanceDocument, conformanceSchema } from './conformance.ts';
import { type FindMaxDocument, findMaxSchema } from './find-max.ts';
import { type LoadDocument, type LoadSetDocument, loadSchema, loadSetSchema } from './load.ts';
import { type RuleComparisonDocument, ruleComparisonSchema } from './rule-comparison.ts';

/** Schema of each kind of run document. */
export const DOCUMENT_SCHEMAS = {
  conformance: conformanceSchema,
  load: loadSchema,
  'load-set': loadSetSchema,
  'find-max': findMaxSchema,
  comparison: comparisonSchema,
  'rule-comparison': ruleComparisonSchema,
  bench: benchSchema,
};

/** Kind of a run document. */
export type DocumentKind = keyof typeof DOCUMENT_SCHEMAS;

/** A run document of any kind. */
export type RunDocument =
  | ConformanceDocument
  | LoadDocument
  | LoadSetDocument
  | FindMaxDocument
  | ComparisonDocument
  | RuleComparisonDocument
  | BenchDocument;

const headerSchema = z.object({ kind: z.string(), schemaVersion: z.int().min(1) });

/**
 * Reads a run document of any kind. Fields that this version does not know are kept.
 *
 * @param json result of JSON.parse
 * @throws ConfigurationError DOCUMENT_VERSION_NEWER, DOCUMENT_KIND_UNKNOWN or DOCUMENT_INVALID
 */
export function parseDocument(json: unknown): RunDocument {
  const header = headerSchema.safeParse(json);
  if (!header.success) {
    throw new ConfigurationError(
      'DOCUMENT_INVALID',
      `Not a run document (${firstProblem(header.error, json)}). Give a run.json that fareproof wrote.`,
    );
  }
  const { kind, schemaVersion } = header.data;
  if (schemaVersion > SCHEMA_VERSION) {
    throw new ConfigurationError(
      'DOCUMENT_VERSION_NEWER',
      `The run document has schemaVersion ${schemaVersion}; this fareproof reads up to ` +
        `${SCHEMA_VERSION}. Update fareproof, or render it with the release that wrote it.`,
    );
  }
  if (!isKind(kind)) {
    throw new ConfigurationError(
      'DOCUMENT_KIND_UNKNOWN',
      `The run document is of kind ${JSON.stringify(kind)}; the known kinds are ` +
        `${Object.keys(DOCUMENT_SCHEMAS).join(', ')}.`,
    );
  }
  const parsed = DOCUMENT_SCHEMAS[kind].safeParse(json);
  // As it was written: zod drops unknown fields and reorders the others.
  if (parsed.success) return json as RunDocument;
  throw new ConfigurationError(
    'DOCUMENT_INVALID',
    `The run document of kind ${kind} is incomplete: ${firstProblem(parsed.error, json)}. ` +
      'It was truncated or edited; use the file as fareproof wrote it.',
  );
}

function isKind(kind: string): kind is DocumentKind {
  return Object.hasOwn(DOCUMENT_SCHEMAS, kind);
}

function firstProblem({ issues: [issue] }: z.ZodError, json: unknown): string {
  if (!issue) return 'unknown problem';
  const path = issue.path.map(String).join('.');
  const problem = isMissing(json, issue.path) ? 'is missing' : issue.message;
  return path === '' ? problem : `${path}: ${problem}`;
}
