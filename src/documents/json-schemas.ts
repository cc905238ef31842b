import { z } from 'zod';
import { behaviourSchema, targetProfileSchema } from '../interface/index.ts';
import { DOCUMENT_SCHEMAS } from './run-document.ts';
import { selfcheckSchema } from './selfcheck.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/**
 * The published JSON Schemas by file name: one for each kind of run document, the target profile
 * and the behaviour file, as a user writes them, and what `selfcheck --json` prints.
 */
export function describeJsonSchemas(): Record<string, JsonSchema> {
  const runs = Object.entries(DOCUMENT_SCHEMAS).map(([kind, shape]) => [
    `${kind}.json`,
    schemaOf(shape, `Fareproof run document: ${kind}`),
  ]);
  return {
    ...(Object.fromEntries(runs) as Record<string, JsonSchema>),
    'selfcheck.json': schemaOf(selfcheckSchema, 'Fareproof selfcheck'),
    'target-profile.json': schemaOf(targetProfileSchema, 'Fareproof target profile'),
    'behaviour.json': schemaOf(behaviourSchema, 'Fareproof behaviour file: answers to the gaps'),
  };
}

function schemaOf(shape: z.ZodType, title: string): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(shape, {
    io: 'input',
    override: simplify,
  }) as JsonSchema;
  return { $schema, title, ...schema };
}

/**
 * Drops the pattern of a date, which repeats its format in a hundred characters, and `readOnly`:
 * zod marks with it what the code does not change, a user of the file may.
 */
function simplify({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema['format'] === 'date-time') delete jsonSchema['pattern'];
  delete jsonSchema['readOnly'];
}
