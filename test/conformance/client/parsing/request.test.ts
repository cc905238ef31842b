import { expect, it } from 'vitest';
import {
  originForm,
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

it.each([
  ['', 'token', 'missing'],
  ['XBearer p|t', 'token', 'other'],
  ['Bearer pp|ss', 'token', 'pair'],
  ['Bearer pp|.s', 'token', 'other'],
  ['Bearer pp|.s', 'estimate', 'pair'],
  ['Bearer p|.s openid|t', 'estimate', 'other'],
  ['Bearer p|s openid|.t', 'estimate', 'user'],
  ['Bearer x|p|s openid|t', 'estimate', 'other'],
  ['Bearer p|s openid|t u', 'estimate', 'other'],
  ['Bearer p|s openid|t|u', 'estimate', 'other'],
] as const)('parses %s of a request of the kind %s', (header, kind, form) => {
  expect(parseAuthorization(header, kind).form).toBe(form);
});

it('parses the parts of a header', () => {
  const nothing = { partnerId: null, second: null, userToken: null, salvagedSignature: null };
  expect(parseAuthorization(undefined, 'token')).toEqual({
    ...nothing,
    form: 'missing',
    shape: 'no Authorization',
  });
  expect(parseAuthorization('Basic p|t', 'token')).toEqual({
    ...nothing,
    form: 'other',
    shape: 'the scheme Basic, 1 |',
  });
  const pair = { partnerId: 'p-1', second: 's=1', salvagedSignature: 's=1' };
  expect(parseAuthorization('Bearer p-1|s=1', 'token')).toEqual({
    ...pair,
    userToken: null,
    form: 'pair',
    shape: 'Bearer ID|X',
  });
  expect(parseAuthorization('Bearer p-1|s=1 openid|t-2', 'estimate')).toEqual({
    ...pair,
    userToken: 't-2',
    form: 'user',
    shape: 'Bearer ID|SIGN openid|TOKEN',
  });
});

it.each([
  ['p|t', 'no scheme, 1 |'],
  ['1x p|t', 'no scheme, 1 |'],
  ['X-My-Scheme2 p t', 'the scheme X-My-Scheme2, no |'],
  ['Bearer p|s|t', 'the scheme Bearer, 2 |'],
  ['Bearer p |s', 'the scheme Bearer, 1 |, a space next to |'],
  ['Bearer p| s', 'the scheme Bearer, 1 |, a space next to |'],
  ['Bearer p|s openid|', 'the scheme Bearer, 2 |'],
  ['Bearer p|s  openid|t', 'the scheme Bearer, 2 |, more than one space before openid'],
  ['Bearer p|s OpenID|t', 'the scheme Bearer, 2 |, openid in capitals'],
  ['Bearer p|s, openid|t', 'the scheme Bearer, 2 |, another character after SIGN'],
  ['Bearer p|s,openid|t', 'the scheme Bearer, 2 |, another character after SIGN'],
  ['Bearer p|s,', 'the scheme Bearer, 1 |, another character after SIGN'],
])('describes the shape of %s', (header, shape) => {
  expect(parseAuthorization(header, 'token').shape).toBe(shape);
});

it('finds the signature in a header of any shape', () => {
  const digest = '0123456789abcdef0123456789abcdef';
  expect(parseAuthorization(`Bearer p:${digest}`, 'token').salvagedSignature).toBe(digest);
  expect(parseAuthorization(`Bearer p:${digest}0`, 'token').salvagedSignature).toBeNull();
});

it('parses a body as JSON, as a form, or not at all', () => {
  expect(parseBody(Buffer.from('{"a":1}'))).toEqual({ body: 'json', fields: { a: 1 } });
  expect(parseBody(Buffer.from('a=1&b=%20'))).toEqual({ body: 'form', fields: { a: '1', b: ' ' } });
  for (const text of ['', '[1]', 'null', '17', '"a"', '{"a":', 'words']) {
    expect(parseBody(Buffer.from(text))).toEqual({ body: 'other', fields: {} });
  }
});

it.each(['a=', 'ab=12', 'a=1&bc=', 'a=1&b=2&c=3'])('takes %s for a form', (text) => {
  expect(parseBody(Buffer.from(text)).body).toBe('form');
});

it.each(['=1', '{a=1', 'x {a=1', 'a=1 b', 'a=1=2', 'a=1&b=2=3'])('takes %s for none', (text) => {
  expect(parseBody(Buffer.from(text)).body).toBe('other');
});

it('names what is wrong with JSON that can be read', () => {
  expect(parseBody(Buffer.from('{"a":"\u00e9"}', 'latin1'))).toEqual({
    body: 'other',
    fields: { a: '\u00e9' },
    fault: 'JSON that is not UTF-8',
  });
  expect(parseBody(Buffer.from('\ufeff{"a":1}'))).toEqual({
    body: 'other',
    fields: { a: 1 },
    fault: 'a BOM before JSON',
  });
  const inside = { body: 'json', fields: { a: 'x\ufeff' } };
  expect(parseBody(Buffer.from(JSON.stringify(inside.fields)))).toEqual(inside);
});

it.each([
  ['/v1/oauth/token?a=b', '/v1/oauth/token?a=b'],
  ['http://x.example/v1/oauth/token', '/v1/oauth/token'],
  ['HTTPS://x.example:443?a=b', '/?a=b'],
  ['http://x.example', '/'],
  ['/v1/a?b=http://x.example/c', '/v1/a?b=http://x.example/c'],
  ['*', '*'],
])('takes of the target %s the part %s', (target, part) => {
  expect(originForm(target)).toBe(part);
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
  ['POST', '/v1/oauth/token', {}, '', 'token'],
  ['POST', '/oauth/token//', {}, '', 'token'],
  ['POST', '/login', {}, '{"grant_type":"client_credentials"}', 'token'],
  ['GET', '/login?grant_type=x', {}, '', 'token'],
  ['GET', '/login?a=b&grant_type=x', {}, '', 'token'],
  ['GET', '/login?no_grant_type=x', {}, '', 'other'],
  ['GET', '/healthz', { authorization: 'Bearer p|t' }, '', 'probe'],
  ['GET', '/openapi.json', { authorization: 'Bearer p|t' }, '', 'probe'],
  ['GET', '/x/healthz', { authorization: 'Bearer p|t' }, '', 'other'],
  ['GET', '/healthz/x', { authorization: 'Bearer p|t' }, '', 'other'],
  ['FORGET', '/healthz', { authorization: 'Bearer p|t' }, '', 'other'],
  ['GETALL', '/healthz', { authorization: 'Bearer p|t' }, '', 'other'],
])('takes %s %s with %j and the body "%s" for: %s', (method, target, headers, body, kind) => {
  const request = { method, target, headers, body: Buffer.from(body), receivedMs: 0 };
  expect(parseRequest(request).kind).toBe(kind);
});

/** Parses a request with an Authorization header. */
const parse = (target: string, body: string, more: { isIncomplete?: boolean } = {}) =>
  parseRequest({
    method: 'POST',
    target,
    headers: { authorization: 'Bearer p|t' },
    body: Buffer.from(body),
    receivedMs: 0,
    ...more,
  });

it('parses the parameters of an estimate in the query, or else in a form', () => {
  const path = '/v1/estimates/prices';
  const form = 'start_lat=39.9&city=%E5%A4%96';
  const inForm = parse(path, form).query;
  expect(inForm).toMatchObject({
    parameters: { start_lat: '39.9', city: '外' },
    encoded: { city: '%E5%A4%96' },
    inBody: true,
  });
  expect(parse(`${path}?start_lat=1`, form).query).toMatchObject({
    parameters: { start_lat: '1' },
    inBody: true,
  });
  const inJson = parse(path, '{"start_lat":39.9}').query;
  expect(inJson).toEqual({ parameters: {}, encoded: {}, encodingFault: null, inBody: true });
  for (const { query } of [parse(path, 'city=a'), parse(`${path}?start_lat=1`, '')]) {
    expect(query).not.toHaveProperty('inBody');
  }
  expect(parse('/v1/oauth/token', 'grant_type=x').query.parameters).toEqual({});
});

it('names a body that was cut short, and what can be read of it', () => {
  expect(parse('/v1/oauth/token', '{"a":1}').body).toEqual({ body: 'json', fields: { a: 1 } });
  expect(parse('/v1/oauth/token', '{"a":1}', { isIncomplete: true }).body).toEqual({
    body: 'other',
    fields: { a: 1 },
    fault: 'a body that is shorter than announced',
  });
});
