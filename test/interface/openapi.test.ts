import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { estimateResponseSchema, sign } from '../../src/interface/index.ts';
import { ESTIMATE_RECORD } from '../support/estimate-record.ts';
import {
  type OpenApiDocument,
  type Operation,
  openApiDocument,
  schemaCheck,
} from '../support/openapi-document.ts';
import fc from '../support/property.ts';

let description: OpenApiDocument;
let token: Operation;
let estimates: Operation;
let errorsOf: ReturnType<typeof schemaCheck>;

beforeAll(() => {
  description = openApiDocument();
  token = description.paths['/v1/oauth/token'].post;
  estimates = description.paths['/v1/estimates/prices'].get;
  errorsOf = schemaCheck(description);
});

/** Validates a value by a schema of the description. */
const isValid = (name: string, value: unknown): boolean => errorsOf(name, value) === null;

describe('a public validator', () => {
  it('accepts the description of both endpoints as OpenAPI 3.1', async () => {
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

  it('refuses a description without a required part', async () => {
    const broken = { ...description, info: {} };
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  });
});

describe('the examples', () => {
  it('match their schemas, of requests, answers and errors', () => {
    let count = 0;
    for (const { requestBody, responses } of [token, estimates]) {
      for (const part of [requestBody, responses[200], responses.default]) {
        if (part === undefined) continue;
        const { schema, examples } = part.content['application/json'];
        for (const { value } of Object.values(examples)) {
          expect(errorsOf(schema, value)).toBeNull();
          count++;
        }
      }
    }
    expect(count).toBeGreaterThan(30);
  });

  it('of each parameter match its schema', () => {
    for (const { schema, examples } of estimates.parameters.filter(
      ({ in: at }) => at === 'query',
    )) {
      expect(Object.keys(examples).length).toBeGreaterThan(0);
      for (const { value } of Object.values(examples)) expect(errorsOf(schema, value)).toBeNull();
    }
  });

  it('of a token request is signed by the header that is shown for it', () => {
    const { value } = token.requestBody!.content['application/json'].examples['platform']!;
    const signature = sign(value as Record<string, unknown>, 'example-key');
    expect(description.components.securitySchemes['partnerSignature']?.description).toContain(
      `\`Bearer example-partner|${signature}\``,
    );
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

  it('names the shape of each grant type, by which a generator tells them apart', () => {
    const { discriminator } = description.components.schemas['TokenRequest'] as {
      discriminator: { propertyName: string; mapping: Record<string, string> };
    };
    expect(discriminator.propertyName).toBe('grant_type');
    for (const [grantType, address] of Object.entries(discriminator.mapping)) {
      const shape = description.components.schemas[address.replace('#/components/schemas/', '')];
      expect(shape).toMatchObject({ properties: { grant_type: { const: grantType } } });
    }
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
  const schemaOf = (name: string) =>
    estimates.parameters.find((one) => one.name === name)?.schema as object;

  it('has its parameters in the query, eight of them required', () => {
    const query = estimates.parameters.filter((one) => one.in === 'query');
    expect(query.map((one) => [one.name, one.required, one.schema['type']])).toEqual([
      ['start_lat', true, 'number'],
      ['start_lng', true, 'number'],
      ['from_name', true, 'string'],
      ['end_lat', true, 'number'],
      ['end_lng', true, 'number'],
      ['to_name', true, 'string'],
      ['product_type', true, 'string'],
      ['ride_type', true, 'string'],
      ['imei', false, 'string'],
      ['map_type', false, 'string'],
      ['departure_time', false, undefined],
    ]);
    for (const { description: meaning, schema } of query) {
      expect(meaning).toMatch(/\w/);
      expect(schema).not.toHaveProperty('description');
    }
    expect(estimates).not.toHaveProperty('requestBody');
  });

  it.each([
    ['start_lat', 90],
    ['end_lat', 90],
    ['start_lng', 180],
    ['end_lng', 180],
  ])('bounds %s as a number by %d in both directions', (name, bound) => {
    for (const value of [bound, -bound, 0.5]) expect(errorsOf(schemaOf(name), value)).toBeNull();
    for (const value of [bound + 0.1, -bound - 0.1, '1']) {
      expect(errorsOf(schemaOf(name), value)).not.toBeNull();
    }
  });

  it('takes a departure time as an integer or as text', () => {
    const schema = schemaOf('departure_time');
    for (const value of [1_772_452_800, '1772452800']) expect(errorsOf(schema, value)).toBeNull();
    for (const value of [1.5, true, null]) expect(errorsOf(schema, value)).not.toBeNull();
  });

  it('has the Content-Type of a form, which the interface does not say is refused without', () => {
    const header = estimates.parameters.filter((one) => one.in === 'header');
    expect(header).toMatchObject([
      { name: 'Content-Type', schema: { const: 'application/x-www-form-urlencoded' } },
    ]);
    expect(header[0]?.required).toBeUndefined();
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

  const price = { estimate_price: 900 };
  it.each([
    [true, { carpool_tag: 0 }],
    [true, { carpool_tag: '0' }],
    [false, { carpool_tag: 0, carpool_info: [price] }],
    [false, { carpool_info: [price] }],
    [true, { carpool_tag: 1, carpool_info: [price] }],
    [true, { carpool_tag: '1', carpool_info: [price] }],
    [false, { carpool_tag: 1 }],
    [false, { carpool_tag: 1, carpool_info: [{ ...price, seat: 1 }] }],
    [false, { carpool_tag: 1, carpool_info: [price, price] }],
    [true, { carpool_tag: 2, carpool_info: [{ ...price, seat: 1 }] }],
    [true, { carpool_tag: '2', carpool_info: [1, 2].map((seat) => ({ ...price, seat })) }],
    [false, { carpool_tag: 2, carpool_info: [price] }],
    [false, { carpool_tag: 2, carpool_info: [] }],
    [false, { carpool_tag: 3, carpool_info: [price] }],
  ])('is %s for the carpool fields %j', (valid, fields) => {
    expect(isValid('EstimateResponse', [{ ...ESTIMATE_RECORD, ...fields }])).toBe(valid);
  });

  it('is answered with the carpool fields that the message shape accepts, and no others', () => {
    const element = fc.record(
      { seat: fc.constantFrom(0, 1, 2, '1'), estimate_price: fc.constantFrom(5, 5.5) },
      { requiredKeys: [] },
    );
    const fields = fc.record(
      {
        carpool_tag: fc.constantFrom(0, 1, 2, 3, '0', '1', '2', ''),
        carpool_info: fc.array(element, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fields, (carpool) => {
        const answer = [{ ...ESTIMATE_RECORD, ...carpool }];
        expect(isValid('EstimateResponse', answer)).toBe(
          estimateResponseSchema.safeParse(answer).success,
        );
      }),
    );
  });
});

it('describes a refusal as any other status, with a code and a message', () => {
  expect(isValid('Error', { error: { code: 'c', message: 'm' } })).toBe(true);
  expect(isValid('Error', { error: { code: 'c' } })).toBe(false);
  expect(isValid('Error', { code: 'c', message: 'm' })).toBe(false);
});

it('names the header of each kind of caller', () => {
  const schemes = description.components.securitySchemes;
  for (const scheme of Object.values(schemes)) {
    expect(scheme).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect(scheme.description).toMatch(`\`Bearer ${scheme.bearerFormat}\`. Header of `);
  }
  expect(Object.entries(schemes).map(([name, { bearerFormat }]) => [name, bearerFormat])).toEqual([
    ['partnerSignature', '<PARTNER_ID>|<SIGN>'],
    ['platformToken', '<PARTNER_ID>|<ACCESS_TOKEN>'],
    ['userToken', '<PARTNER_ID>|<SIGN> openid|<ACCESS_TOKEN>'],
  ]);
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
