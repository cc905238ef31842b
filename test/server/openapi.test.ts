import { beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCondition } from '../../src/interface/index.ts';
import {
  type OpenApiDocument,
  type Operation,
  openApiDocument,
  schemaCheck,
} from '../support/openapi-document.ts';
import { withServer } from './on-server.ts';
import { ESTIMATE_TRIGGERS, TRIGGERING, TRIGGERS } from './triggers.ts';

let document: OpenApiDocument;
let errorsOf: ReturnType<typeof schemaCheck>;
let token: Operation;
let estimates: Operation;

beforeAll(() => {
  document = openApiDocument();
  errorsOf = schemaCheck(document);
  token = document.paths['/v1/oauth/token'].post;
  estimates = document.paths['/v1/estimates/prices'].get;
});

const jsonOf = (part: Operation['requestBody']) => part!.content['application/json'];

describe('answers over a socket match the schemas of the OpenAPI document', () => {
  it.each([
    ['compact', 0],
    ['carpool-single', 1],
    ['carpool', 2],
  ])('to a token request, and an estimate of the ride type %s', async (ride_type, tag) => {
    await withServer({}, async (caller) => {
      const issued = await caller.platform();
      expect(issued.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(errorsOf(jsonOf(token.responses[200]).schema, issued.body)).toBeNull();
      const answer = await caller.estimate(issued.body.access_token, { query: { ride_type } });
      expect(errorsOf(jsonOf(estimates.responses[200]).schema, answer.body)).toBeNull();
      expect(Number(answer.body[0]?.carpool_tag ?? 0)).toBe(tag);
      expect(errorsOf(jsonOf(token.responses[200]).schema, answer.body)).not.toBeNull();
    });
  });
});

describe('the examples of errors are what the reference server answers', () => {
  const isOfEstimate = (operation: Operation) => operation.operationId === 'estimatePrices';

  it('under each condition of each endpoint', async () => {
    for (const operation of [token, estimates]) {
      for (const [name, { value }] of Object.entries(
        jsonOf(operation.responses.default).examples,
      )) {
        const condition = name as ErrorCondition;
        const own = isOfEstimate(operation) ? { ...TRIGGERS, ...ESTIMATE_TRIGGERS } : TRIGGERS;
        await withServer(TRIGGERING, async (caller) => {
          const { body } = await own[condition](caller);
          expect({ condition, body }).toEqual({ condition, body: value });
        });
      }
    }
  });

  it('under every condition that an endpoint has', () => {
    const shown = [token, estimates].flatMap(({ responses }) =>
      Object.keys(jsonOf(responses.default).examples),
    );
    const ofOtherPaths = ['path-unknown', 'method-not-allowed'];
    expect(new Set([...shown, ...ofOtherPaths])).toEqual(new Set(Object.keys(TRIGGERS)));
  });
});
