import fc from 'fast-check';
import { sign } from '../../../src/interface/index.ts';
import { QUERY } from '../caller.ts';

/** Valid parts for the generated requests, so that some pass the first checks. */
export interface Credentials {
  partnerId: string;
  signingKey: string;
  accessToken: string;
  /** ISO 8601. */
  now: string;
}

const METHODS = ['GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'get', 'G ET', ''];
const TARGETS = [
  '/v1/oauth/token',
  '/v1/estimates/prices',
  '/healthz',
  '*',
  '//x/v1/oauth/token',
  'http://x/v1/oauth/token',
  '/v1/estimates/prices#x',
  '/%',
  '',
];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1 ', 'http/1.1', ''];
const HEADERS = [
  'Content-Length: 5',
  'Content-Length: 0005',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Content-Length: 5, 5',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: identity',
  'Connection: keep-alive, Upgrade',
  'Upgrade: websocket',
  'Expect: 100-continue',
  'Expect: the impossible',
  'Content-Type: multipart/form-data; boundary=x',
  ' folded: x',
  'Authorization:',
  'Authorization: Bearer |',
  'Authorization: Bearer a|b openid|c|d',
  `Authorization: Bearer ${'|'.repeat(500)}`,
  `X: ${'x'.repeat(20_000)}`,
  'Host: a\0b',
  ':',
];

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

/** Requests of every malformed kind: bytes, heads, bodies that are rightly signed, queries, mutations. */
export function hostileRequests(credentials: Credentials): fc.Arbitrary<Buffer> {
  const { partnerId, signingKey, accessToken, now } = credentials;
  const usual: fc.Arbitrary<Record<string, unknown>> = fc.record(
    {
      grant_type: fc.constantFrom('client_credentials', 'refresh_token', 'authorization_code'),
      _: fc.constant(now),
      nostr: fc.stringMatching(/^[0-9A-Za-z]{6}$/),
    },
    { requiredKeys: [] },
  );
  const anything = fc.dictionary(
    fc.oneof(fc.constantFrom('scope', 'refresh_token', 'auth_code', '_', 'nostr'), fc.string()),
    fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' })),
    { maxKeys: 6 },
  );
  const tokenRequest = fc.tuple(usual, anything).map(([fields, over]) => {
    const all = { ...fields, ...over };
    const body = JSON.stringify(all);
    const signature = Object.keys(all).length === 0 ? '' : sign(all, signingKey);
    return post(`Bearer ${partnerId}|${signature}`, body);
  });
  const brokenBody = fc
    .oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constant('['.repeat(40_000)))
    .map((body) => post(`Bearer ${partnerId}|${'0'.repeat(32)}`, body));
  const authorizations = fc.constantFrom(
    `Bearer ${partnerId}|${accessToken}`,
    `Bearer ${partnerId}|${'f'.repeat(32)} openid|${accessToken}`,
  );
  const parameters = fc.dictionary(
    fc.oneof(fc.constantFrom(...Object.keys(QUERY), 'departure_time'), fc.string()),
    fc.oneof(fc.string({ unit: 'binary' }), fc.double().map(String), fc.bigInt().map(String)),
    { maxKeys: 5 },
  );
  const query = fc.oneof(
    parameters.map((over) => encode({ ...QUERY, ...over })),
    fc.string().map((text) => text.replaceAll(/\s/g, '%')),
    fc.constant(`${encode(QUERY)}&start_lat=%ff%fe`),
  );
  const estimate = fc
    .tuple(authorizations, query)
    .map(([authorization, text]) => get(`/v1/estimates/prices?${text}`, authorization));
  const head = fc
    .record({
      method: fc.constantFrom(...METHODS),
      target: fc.oneof(fc.constantFrom(...TARGETS), fc.string()),
      version: fc.constantFrom(...VERSIONS),
      headers: fc.array(fc.oneof(fc.constantFrom(...HEADERS), fc.string({ unit: 'binary' })), {
        maxLength: 5,
      }),
      end: fc.constantFrom('\r\n', '\n', '\r'),
      body: fc.oneof(fc.constant(''), fc.string(), fc.constant('5\r\nhello\r\n0\r\n\r\n')),
    })
    .map(({ method, target, version, headers, end, body }) =>
      bytes([`${method} ${target} ${version}`, 'Host: x', ...headers, '', body].join(end)),
    );
  const junk = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
  const wellFormed = fc.oneof(tokenRequest, estimate);
  return fc.oneof(tokenRequest, brokenBody, estimate, head, junk, mutated(wellFormed));
}

/** The same request with a stretch of it taken out, doubled, or written over. */
function mutated(requests: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const change = fc.record({
    kind: fc.constantFrom('cut', 'double', 'overwrite', 'truncate'),
    at: fc.nat(600),
    length: fc.integer({ min: 1, max: 20 }),
    byte: fc.nat(255),
  });
  return fc
    .tuple(requests, fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([one, changes]) =>
      changes.reduce((request, { kind, at, length, byte }) => {
        const start = at % Math.max(1, request.length);
        const [before, part] = [
          request.subarray(0, start),
          request.subarray(start, start + length),
        ];
        const after = request.subarray(start + length);
        switch (kind) {
          case 'cut':
            return Buffer.concat([before, after]);
          case 'double':
            return Buffer.concat([before, part, part, after]);
          case 'overwrite':
            return Buffer.concat([before, Buffer.alloc(part.length, byte), after]);
          default:
            return before;
        }
      }, one),
    );
}

function post(authorization: string, body: string): Buffer {
  const headers = [
    'POST /v1/oauth/token HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Authorization: ${authorization}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return bytes(`${headers.join('\r\n')}\r\n\r\n${body}`);
}

function get(target: string, authorization: string): Buffer {
  return bytes(
    `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
  );
}

function encode(query: Record<string, string>): string {
  return new URLSearchParams(query).toString();
}
