import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeOpenApi } from '../../src/interface/index.ts';
import { ESTIMATE_RECORD } from '../support/estimate-record.ts';

interface Content {
  content: { 'application/json': { schema: { $ref: string } } };
}

interface Operation {
  operationId: string;
  security: unknown[];
  requestBody?: Content;
  parameters: {
    name: string;
    in: string;
    required: boolean;
    description: string;
    schema: Record<string, unknown>;
  }[];
  responses: Record<string, Content>;
}

interface Description extends Record<string, unknown> {
  paths: Record<'/v1/oauth/token', { post: Operation }> &
    Record<'/v1/estimates/prices', { get: Operation }>;
  components: {
    schemas: Record<string, object>;
    securitySchemes: Record<string, { description: string }>;
  };
}

let description: Description;
let token: Operation;
let estimates: Operation;

beforeEach(() => {
  description = describeOpenApi('http://127.0.0.1:8080', '0.0.0') as Description;
  token = description.paths['/v1/oauth/token'].post;
  estimates = description.paths['/v1/estimates/prices'].get;
});

/** Validates a value by a schema of the description. */
function isValid(name: string, value: unknown): boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  return ajv.validate(description.components.schemas[name]!, value);
}

it('describes both endpoints in valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(description));
  expect(result).toMatchObject({ valid: true });
  expect(description).toMatchObject({
    openapi: '3.1.0',
    info: { description: expect.stringContaining('Fareproof 0.0.0') },
    servers: [{ url: 'http://127.0.0.1:8080' }],
  });
  const operations = Object.entries(description.paths).map(([path, item]) => [
    path,
    Object.keys(item),
  ]);
  expect(operations).toEqual([
    ['/v1/oauth/token', ['post']],
    ['/v1/estimates/prices', ['get']],
  ]);
});

it('fails validation when a required part is missing', async () => {
  expect(await new Validator().validate({ ...description, info: {} })).toMatchObject({
    valid: false,
  });
});

describe('the token request', () => {
  const common = { _: '2026-03-02T12:00:00Z', nostr: 'a1B2c3' };

  it('has a body, is signed, and is answered by a token or an error', () => {
    expect(token).toMatchObject({
      operationId: 'requestToken',
      security: [{ partnerSignature: [] }],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/TokenRequest' } } },
      },
    });
    expect(schemasOf(token)).toEqual({ 200: 'TokenResponse', default: 'Error' });
    expect(token).not.toHaveProperty('parameters');
  });

  it.each([
    [true, { grant_type: 'client_credentials', ...common }],
    [true, { grant_type: 'refresh_token', refresh_token: 'r', ...common }],
    [true, { grant_type: 'authorization_code', auth_code: 'c', ...common, more: 1 }],
    [true, { grant_type: 'client_credentials', ...common, scope: 'public' }],
    [false, { grant_type: 'password', ...common }],
    [false, { ...common }],
    [false, { grant_type: 'refresh_token', ...common }],
    [false, { grant_type: 'authorization_code', refresh_token: 'r', ...common }],
    [false, { grant_type: 'client_credentials', nostr: 'a1B2c3' }],
    [false, { grant_type: 'client_credentials', _: common._ }],
    [false, { grant_type: 'client_credentials', ...common, nostr: 'a1B2c' }],
    [false, { grant_type: 'client_credentials', ...common, nostr: 'a1B2c_' }],
  ])('is %s for %j', (valid, body) => {
    expect(isValid('TokenRequest', body)).toBe(valid);
  });

  it('is answered with five fields, each required', () => {
    const answer = {
      access_token: 'a',
      refresh_token: 'r',
      expires_in_second: 3600,
      token_type: 'bearer',
      scope: 'public',
    };
    expect(isValid('TokenResponse', { ...answer, more: 1 })).toBe(true);
    for (const name of Object.keys(answer)) {
      expect(isValid('TokenResponse', { ...answer, [name]: undefined })).toBe(false);
    }
    expect(isValid('TokenResponse', { ...answer, expires_in_second: 0 })).toBe(false);
    expect(isValid('TokenResponse', { ...answer, token_type: 'basic' })).toBe(false);
  });
});

describe('the estimate request', () => {
  it('has its parameters in the query, eight of them required', () => {
    expect(
      estimates.parameters.map((one) => [one.name, one.in, one.required, one.schema['type']]),
    ).toEqual([
      ...[
        'start_lat',
        'start_lng',
        'from_name',
        'end_lat',
        'end_lng',
        'to_name',
        'product_type',
        'ride_type',
      ].map((name) => [name, 'query', true, 'string']),
      ...['imei', 'map_type', 'departure_time'].map((name) => [name, 'query', false, 'string']),
    ]);
    for (const { description: meaning, schema } of estimates.parameters) {
      expect(meaning).toMatch(/\w/);
      expect(schema).not.toHaveProperty('description');
    }
    expect(estimates).not.toHaveProperty('requestBody');
  });

  it('is authorized by a platform or a user token, and answered by estimates or an error', () => {
    expect(estimates).toMatchObject({
      operationId: 'estimatePrices',
      security: [{ platformToken: [] }, { userToken: [] }],
    });
    expect(schemasOf(estimates)).toEqual({ 200: 'EstimateResponse', default: 'Error' });
  });

  it('is answered with a list of records', () => {
    expect(isValid('EstimateResponse', [])).toBe(true);
    expect(isValid('EstimateResponse', [{ ...ESTIMATE_RECORD, more: 1 }])).toBe(true);
    expect(isValid('EstimateResponse', ESTIMATE_RECORD)).toBe(false);
    for (const name of Object.keys(ESTIMATE_RECORD)) {
      expect(isValid('EstimateResponse', [{ ...ESTIMATE_RECORD, [name]: undefined }])).toBe(false);
    }
    expect(isValid('EstimateResponse', [{ ...ESTIMATE_RECORD, estimate_price: 23.5 }])).toBe(false);
  });
});

it('describes a refusal as any other status, with a code and a message', () => {
  expect(isValid('Error', { error: { code: 'c', message: 'm' } })).toBe(true);
  expect(isValid('Error', { error: { code: 'c' } })).toBe(false);
  expect(isValid('Error', { code: 'c', message: 'm' })).toBe(false);
});

it('names the header of each kind of caller', () => {
  const schemes = description.components.securitySchemes;
  expect(Object.keys(schemes)).toEqual(['partnerSignature', 'platformToken', 'userToken']);
  for (const scheme of Object.values(schemes)) {
    expect(scheme).toMatchObject({ type: 'http', scheme: 'bearer' });
  }
  expect(schemes['partnerSignature']?.description).toBe('`Bearer <PARTNER_ID>|<SIGN>`');
  expect(schemes['platformToken']?.description).toBe('`Bearer <PARTNER_ID>|<ACCESS_TOKEN>`');
  expect(schemes['userToken']?.description).toBe(
    '`Bearer <PARTNER_ID>|<SIGN> openid|<ACCESS_TOKEN>`',
  );
});

/** Names of the schemas of an operation's JSON responses, by status. */
function schemasOf({ responses }: Operation): Record<string, string> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { content }]) => [
      status,
      content['application/json'].schema.$ref.replace('#/components/schemas/', ''),
    ]),
  );
}
