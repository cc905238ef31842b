import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { replaySchema } from '../../src/documents/replay.ts';
import { DOCUMENT_SCHEMAS } from '../../src/documents/run-document.ts';
import { selfcheckSchema } from '../../src/documents/selfcheck.ts';

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...DOCUMENT_SCHEMAS,
  selfcheck: selfcheckSchema,
  replay: replaySchema,
};

const compiled = new Map<z.ZodType, ValidateFunction>();

/**
 * Problems of a document by its schema, with unknown fields as problems: documents are read with
 * unknown fields, but written without. Empty for a value that is not a document.
 */
export function strictProblems(json: unknown): string[] {
  const kind = (json as { kind?: unknown } | null)?.kind;
  if (typeof kind !== 'string' || !Object.hasOwn(SCHEMAS, kind)) return [];
  return problemsWith(SCHEMAS[kind]!, json);
}

/** Problems of a value by a schema, with unknown fields as problems. */
export function problemsWith(schema: z.ZodType, json: unknown): string[] {
  const validate = compiled.get(schema) ?? compile(schema);
  compiled.set(schema, validate);
  validate(json);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** In the output schema of zod, unlike in its input schema, an object has only its named fields. */
function compile(schema: z.ZodType): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true }, allErrors: true });
  return ajv.compile(z.toJSONSchema(schema, { io: 'output' }));
}
