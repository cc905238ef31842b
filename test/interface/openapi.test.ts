import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { describeOpenApi } from '../../src/interface/index.ts';

it('describes both endpoints in valid OpenAPI 3.1', async () => {
  const description = describeOpenApi('http://127.0.0.1:8080', '0.0.0');
  const result = await new Validator().validate(structuredClone(description));
  expect(result).toMatchObject({ valid: true });
  expect(Object.keys(description['paths'] as object)).toEqual([
    '/v1/oauth/token',
    '/v1/estimates/prices',
  ]);
});

it('fails validation when a required part is missing', async () => {
  const description = { ...describeOpenApi('http://127.0.0.1:8080', '0.0.0'), info: {} };
  expect(await new Validator().validate(description)).toMatchObject({ valid: false });
});
