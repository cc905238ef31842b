import { z } from 'zod';
import { errorBodySchema } from './control-messages.ts';
import { estimateQuerySchema, estimateResponseSchema } from './estimate-messages.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from './limits.ts';
import { tokenRequestSchema, tokenResponseSchema } from './token-messages.ts';

type JsonObject = Record<string, unknown>;

/** The JSON Schema of a shape, without the dialect marker that OpenAPI states for the whole. */
function schemaOf(shape: z.ZodType): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { io: 'input' }) as JsonObject;
  return schema;
}

const jsonContent = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } });
const refTo = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

const refused = {
  description: 'Any status but 200 means that the request failed; the interface fixes none.',
  content: jsonContent(refTo('Error')),
};

function queryParameters(): JsonObject[] {
  const schema = schemaOf(estimateQuerySchema) as {
    properties: Record<string, JsonObject>;
    required: string[];
  };
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: 'query',
      required: schema.required.includes(name),
      description,
      schema: rest,
    };
  });
}

/**
 * The OpenAPI 3.1 description of both endpoints, made from the shapes in this folder.
 *
 * @param serverUrl base URL for its `servers` entry
 * @see interface.md, "Endpoints"
 */
export function describeOpenApi(serverUrl: string, version: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ride Authorization and Price Estimation Service',
      version: '1.0.0',
      description: `Described by Fareproof ${version} from its own message shapes.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    paths: {
      [TOKEN_PATH]: {
        post: {
          operationId: 'requestToken',
          summary: 'Request, refresh or exchange a token',
          security: [{ partnerSignature: [] }],
          requestBody: { required: true, content: jsonContent(refTo('TokenRequest')) },
          responses: {
            200: { description: 'A token.', content: jsonContent(refTo('TokenResponse')) },
            default: refused,
          },
        },
      },
      [ESTIMATES_PATH]: {
        get: {
          operationId: 'estimatePrices',
          summary: 'Estimate prices',
          security: [{ platformToken: [] }, { userToken: [] }],
          parameters: queryParameters(),
          responses: {
            200: { description: 'Estimates.', content: jsonContent(refTo('EstimateResponse')) },
            default: refused,
          },
        },
      },
    },
    components: {
      schemas: {
        TokenRequest: schemaOf(tokenRequestSchema),
        TokenResponse: schemaOf(tokenResponseSchema),
        EstimateResponse: schemaOf(estimateResponseSchema),
        Error: schemaOf(errorBodySchema),
      },
      securitySchemes: {
        partnerSignature: bearer('`Bearer <PARTNER_ID>|<SIGN>`'),
        platformToken: bearer('`Bearer <PARTNER_ID>|<ACCESS_TOKEN>`'),
        userToken: bearer('`Bearer <PARTNER_ID>|<SIGN> openid|<ACCESS_TOKEN>`'),
      },
    },
  };
}

const bearer = (description: string): JsonObject => ({
  type: 'http',
  scheme: 'bearer',
  description,
});
