import { z } from 'zod';

/** Object of a JSON document. */
export type JsonObject = Record<string, unknown>;

/**
 * JSON Schema of a shape, without what says nothing: `$schema`, since OpenAPI states the dialect once,
 * the bounds of a safe integer, and that unknown fields pass, from which client generators make types
 * that accept any name.
 */
export function schemaOf(shape: z.ZodType): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (isEmpty(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties;
      if (jsonSchema.examples?.length === 0) delete jsonSchema.examples;
    },
  }) as JsonObject;
  return schema;
}

const isEmpty = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
