import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { describeOpenApi } from '../../src/interface/index.ts';

interface Content {
  content: {
    'application/json': {
      schema: { $ref: string };
      examples: Record<string, { summary: string; value: unknown }>;
    };
  };
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description: string;
  schema: Record<string, unknown>;
  examples: Record<string, { value: unknown }>;
}

/** An operation of the OpenAPI document. */
export interface Operation {
  operationId: string;
  security: unknown[];
  requestBody?: Content;
  parameters: Parameter[];
  responses: Record<'200' | 'default', Content>;
}

/** The parts of the OpenAPI document that tests read. */
export interface OpenApiDocument extends Record<string, unknown> {
  paths: Record<'/v1/oauth/token', { post: Operation }> &
    Record<'/v1/estimates/prices', { get: Operation }>;
  components: {
    schemas: Record<string, object>;
    securitySchemes: Record<string, { description: string; bearerFormat: string }>;
  };
}

/** A new OpenAPI document. */
export const openApiDocument = (): OpenApiDocument =>
  describeOpenApi('http://127.0.0.1:8080', '0.0.0') as OpenApiDocument;

/** Validates values by schemas of a document; returns why a value is wrong, null for one that is right. */
export function schemaCheck({
  components,
}: OpenApiDocument): (schema: object | string, value: unknown) => readonly ErrorObject[] | null {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ components }, 'document:');
  const checks = new Map<string, ValidateFunction>();
  const checkOf = (schema: object | string): ValidateFunction => {
    const json = JSON.stringify(typeof schema === 'string' ? { $ref: addressOf(schema) } : schema);
    const check =
      checks.get(json) ?? ajv.compile(JSON.parse(json.replaceAll('"#/', '"document:#/')));
    checks.set(json, check);
    return check;
  };
  return (schema, value) => {
    const isRight = checkOf(schema);
    return isRight(value) ? null : (isRight.errors ?? []);
  };
}

const addressOf = (name: string): string => `#/components/schemas/${name}`;
