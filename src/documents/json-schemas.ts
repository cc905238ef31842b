import { z } from 'zod';
import { behaviourSchema, targetProfileSchema } from '../interface/index.ts';
import { forecastSchema } from './forecast.ts';
import { replaySchema } from './replay.ts';
import { DOCUMENT_SCHEMAS } from './run-document.ts';
import { selfcheckSchema } from './selfcheck.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/**
 * JSON Schemas by file name: each kind of run document, the output of `selfcheck --json`,
 * `check --plan --json` and `replay --json`, the target profile and the behaviour file.
 */
export function describeJsonSchemas(): Record<string, JsonSchema> {
  const documents = Object.entries(DOCUMENT_SCHEMAS).map(([kind, schema]) => [
    `${kind}.json`,
    jsonSchemaOf(schema, kind, `Fareproof run document: ${kind}`),
  ]);
  return {
    ...(Object.fromEntries(documents) as Record<string, JsonSchema>),
    'selfcheck.json': jsonSchemaOf(selfcheckSchema, 'selfcheck', 'Fareproof selfcheck'),
    'forecast.json': jsonSchemaOf(
      forecastSchema,
      'forecast',
      'Fareproof forecast of a check: check --plan --json',
    ),
    'replay.json': jsonSchemaOf(replaySchema, 'replay', 'Fareproof replay of an exchange'),
    'target-profile.json': jsonSchemaOf(
      targetProfileSchema,
      'target-profile',
      'Fareproof target profile',
    ),
    'behaviour.json': jsonSchemaOf(
      behaviourSchema,
      'behaviour',
      'Fareproof behaviour file: answers to the gaps',
    ),
  };
}

/**
 * The JSON Schema of files as they are written.
 *
 * @param name name in its `$id`, which is no address: editors and validators know the schema by it
 */
export function jsonSchemaOf(schema: z.ZodType, name: string, title: string): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override: dropNoise,
  }) as JsonSchema;
  return { $schema, $id: `urn:fareproof:schema:${name}`, title, ...rest };
}

/**
 * Drops what zod adds and no reader needs: the pattern of a date, several hundred characters long,
 * beside its format; and `readOnly`, which is about the type in TypeScript.
 */
function dropNoise({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema['format'] === 'date-time') delete jsonSchema['pattern'];
  delete jsonSchema['readOnly'];
}
