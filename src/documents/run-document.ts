import { z } from 'zod';
import { ConfigurationError } from '../interface/index.ts';
import { SCHEMA_VERSION } from './base.ts';
import { type BenchDocument, benchSchema } from './bench.ts';
import { type ComparisonDocument, comparisonSchema } from './comparison.ts';
import { type ConformanceDocument, conformanceSchema } from './conformance.ts';
import { type FindMaxDocument, findMaxSchema } from './find-max.ts';
import { type LoadDocument, loadSchema } from './load.ts';
import { type LoadSetDocument, loadSetSchema } from './load-set.ts';

/** What a run leaves behind, of any kind. */
export type RunDocument =
  | ConformanceDocument
  | LoadDocument
  | LoadSetDocument
  | FindMaxDocument
  | ComparisonDocument
  | BenchDocument;

/** The kind of a run document. */
export type DocumentKind = RunDocument['kind'];

/** Shape of each kind of run document. */
export const DOCUMENT_SCHEMAS: {
  readonly [Kind in DocumentKind]: z.ZodType<Extract<RunDocument, { kind: Kind }>>;
} = {
  conformance: conformanceSchema,
  load: loadSchema,
  'load-set': loadSetSchema,
  'find-max': findMaxSchema,
  comparison: comparisonSchema,
  bench: benchSchema,
};

/** What turns a document of version n + 1 (n: the index) into one of version n + 2; 1 was the first. */
const UPGRADES: readonly ((document: object) => object)[] = [];

const header = z.looseObject({ kind: z.string(), schemaVersion: z.int().min(1) });

/**
 * Reads a run document of any kind, of this version or an older one.
 *
 * @param json what JSON.parse gave
 * @throws ConfigurationError DOCUMENT_VERSION_NEWER, DOCUMENT_KIND_UNKNOWN or DOCUMENT_INVALID
 */
export function parseDocument(json: unknown): RunDocument {
  const head = header.safeParse(json);
  if (!head.success) {
    throw new ConfigurationError(
      'DOCUMENT_INVALID',
      `This is no run document (${firstProblem(head.error)}). Give a run.json that fareproof wrote.`,
    );
  }
  const { kind, schemaVersion } = head.data;
  if (schemaVersion > SCHEMA_VERSION) {
    throw new ConfigurationError(
      'DOCUMENT_VERSION_NEWER',
      `This run document has schemaVersion ${schemaVersion}, and this fareproof reads up to ` +
        `${SCHEMA_VERSION}. Update fareproof, or render it with the release that wrote it.`,
    );
  }
  if (!isKind(kind)) {
    throw new ConfigurationError(
      'DOCUMENT_KIND_UNKNOWN',
      `This run document is of kind ${JSON.stringify(kind)}; there are ` +
        `${Object.keys(DOCUMENT_SCHEMAS).join(', ')}.`,
    );
  }
  const current = UPGRADES.slice(schemaVersion - 1).reduce(
    (older, up) => up(older),
    json as object,
  );
  const parsed = (DOCUMENT_SCHEMAS[kind] as z.ZodType<RunDocument>).safeParse(current);
  // As it was written, not as zod would order its fields.
  if (parsed.success) return current as RunDocument;
  throw new ConfigurationError(
    'DOCUMENT_INVALID',
    `This run document of kind ${kind} is not whole: ${firstProblem(parsed.error)}. ` +
      'It was cut short or changed by hand; take the file as fareproof wrote it.',
  );
}

function isKind(kind: string): kind is DocumentKind {
  return Object.hasOwn(DOCUMENT_SCHEMAS, kind);
}

function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return 'unknown problem';
  const path = issue.path.map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
