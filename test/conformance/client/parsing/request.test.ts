import { expect, it } from 'vitest';
import {
  parseAuthorization,
  parseBody,
  parseRequest,
} from '../../../../src/conformance/client/parsing/request.ts';

it.each([
  [undefined, 'missing'],
  ['Bearer p|t', 'pair'],
  ['bearer p|t', 'pair'],
  ['Bearer p|s openid|t', 'user'],
  ['Bearer p t', 'other'],
  ['Bearer  p|t', 'pair'],
  ['Bearer p|s  openid|t', 'other'],
  ['Bearer p|s OpenID|t', 'other'],
  ['Bearer p|s, openid|t', 'other'],
  ['Basic p|t', 'other'],
  ['Bearer p|s openid|', 'other'],
  ['Bearer p|s|t', 'other'],
])('parses %s', (header, form) => {
  expect(parseAuthorization(header, 'estimate').form).toBe(form);
});

it('finds the signature in a header of any shape', () => {
  const digest = '0123456789abcdef0123456789abcdef';
  expect(parseAuthorization(`Bearer p:${digest}`, 'token').salvagedSignature).toBe(digest);
  expect(parseAuthorization(`Bearer p:${digest}0`, 'token').salvagedSignature).toBeNull();
});

it('parses a body as JSON, as a form, or not at all', () => {
  expect(parseBody(Buffer.from('{"a":1}'))).toEqual({ body: 'json', fields: { a: 1 } });
  expect(parseBody(Buffer.from('a=1&b=%20'))).toEqual({ body: 'form', fields: { a: '1', b: ' ' } });
  for (const text of ['', '[1]', 'null', '{"a":', 'words']) {
    expect(parseBody(Buffer.from(text)).body).toBe('other');
  }
});

it.each<[string, string, Record<string, string>, string, string]>([
  ['OPTIONS', '/v1/estimates/prices?start_lat=39.9', { origin: 'https://x.example' }, '', 'probe'],
  ['OPTIONS', '/v1/oauth/token', {}, '', 'probe'],
  ['OPTIONS', '/v1/estimates/prices', { authorization: 'Bearer p|t' }, '', 'estimate'],
  ['OPTIONS', '/v1/oauth/token', {}, '{"grant_type":"refresh_token"}', 'token'],
  ['HEAD', '/v1/estimates/prices', {}, '', 'probe'],
  ['HEAD', '/v1/estimates/prices?start_lat=39.9', {}, '', 'estimate'],
  ['GET', '/favicon.ico', {}, '', 'probe'],
  ['GET', '/', {}, '', 'probe'],
  ['GET', '/v1/prices', {}, '', 'other'],
  ['GET', '/v1/estimates/prices', {}, '', 'estimate'],
  ['GET', '/estimates/prices', {}, '', 'estimate'],
  ['GET', '/prices?start_lat=39.9', {}, '', 'estimate'],
  ['GET', '/prices', { authorization: 'Bearer p|t' }, '', 'other'],
  ['POST', '/prices', {}, '', 'other'],
])('takes %s %s with %j and the body "%s" for: %s', (method, target, headers, body, kind) => {
  const request = { method, target, headers, body: Buffer.from(body), receivedMs: 0 };
  expect(parseRequest(request).kind).toBe(kind);
});
