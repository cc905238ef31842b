import { z } from 'zod';
import { behaviourSchema, targetProfileSchema } from '../interface/index.ts';
import { DOCUMENT_SCHEMAS } from './run-document.ts';
import { selfcheckSchema } from './selfcheck.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/**
 * The published JSON Schemas by file name: each kind of run document, the output of
 * `selfcheck --json`, the target profile and the behaviour file.
 */
export function describeJsonSchemas(): Record<string, JsonSchema> {
  const documents = Object.entries(DOCUMENT_SCHEMAS).map(([kind, schema]) => [
    `${kind}.json`,
    jsonSchemaOf(schema, `Fareproof run document: ${kind}`),
  ]);
  return {
    ...(Object.fromEntries(documents) as Record<string, JsonSchema>),
    'selfcheck.json': jsonSchemaOf(selfcheckSchema, 'Fareproof selfcheck'),
    'target-profile.json': jsonSchemaOf(targetProfileSchema, 'Fareproof target profile'),
    'behaviour.json': jsonSchemaOf(
      behaviourSchema,
      'Fareproof behaviour file: answers to the gaps',
    ),
  };
}

function jsonSchemaOf(schema: z.ZodType, title: string): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override: dropNoise,
  }) as JsonSchema;
  return { $schema, title, ...rest };
}

/**
 * Drops what zod adds and no reader needs: the pattern of a date, several hundred characters long,
 * beside its format; and `readOnly`, which is about the type in TypeScript.
 */
function dropNoise({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema['format'] === 'date-time') delete jsonSchema['pattern'];
  delete jsonSchema['readOnly'];
}
