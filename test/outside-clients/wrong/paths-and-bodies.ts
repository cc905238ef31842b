import { gzipSync } from 'node:zlib';
import type { WireRequest } from '../wire.ts';
import { header, type WrongClient, wrong } from '../wrong-client.ts';

const form = wrong('form');

const withBody = (request: WireRequest, body: Buffer): WireRequest => ({
  ...request,
  headers: request.headers.map(([name, value]) =>
    name === 'Content-Length' ? [name, String(body.length)] : [name, value],
  ),
  body,
});

/** Sends another body than the JSON of its fields. */
const body =
  (change: (json: string) => Buffer | string, ...own: [string, string][]) =>
  (request: WireRequest, kind: string): WireRequest => {
    if (kind !== 'token') return request;
    const changed = withBody(request, Buffer.from(change(request.body.toString())));
    return { ...changed, headers: [...changed.headers, ...own] };
  };

/** Mistakes in the path, method and body of a request. */
export const PATHS_AND_BODIES: readonly WrongClient[] = [
  ...['/v2', '/V1', '/api/v1', '/v1.0', '', '/v1/..', '/v1/.'].map((prefix) =>
    form(
      `writes ${prefix === '' ? 'no version' : prefix} before its paths`,
      ['client/path-version', 'client/token-method', 'client/estimate-method'],
      {
        tokenTarget: `${prefix}/oauth/token`,
        estimateTarget: `${prefix}/estimates/prices`,
      },
    ),
  ),
  ...['GET', 'PUT', 'PATCH', 'post'].map((method) =>
    form(`requests tokens with ${method}`, 'client/token-method', { tokenMethod: method }),
  ),
  ...['POST', 'PUT', 'OPTIONS'].map((method) =>
    form(`requests estimates with ${method}`, 'client/estimate-method', { estimateMethod: method }),
  ),
  form(
    'puts the fields of a token request into the query',
    ['client/token-content-type', 'client/grant-fields', 'scenario'],
    {
      request: (request, kind) => {
        if (kind !== 'token') return request;
        const fields = JSON.parse(request.body.toString()) as Record<string, string>;
        const target = `${request.target}?${new URLSearchParams(fields).toString()}`;
        return { ...withBody(request, Buffer.alloc(0)), target };
      },
    },
  ),
  form(
    'writes a fragment behind its path',
    ['client/estimate-method', 'client/estimate-encoding', 'scenario'],
    {
      estimateTarget: '/v1/estimates/prices#top',
    },
  ),
  ...[
    'text/json',
    'application/x-www-form-urlencoded',
    'application/vnd.api+json',
    'json',
    'application/json, text/plain',
    '*/*',
  ].map((type) =>
    form(`sends its JSON as ${type}`, 'client/token-content-type', {
      request: header('Content-Type', 'token', () => type),
    }),
  ),
  form('sends tokens without a Content-Type', 'client/token-content-type', {
    request: header('Content-Type', 'token', () => null),
  }),
  form('compresses its body', ['client/token-content-type', 'scenario'], {
    request: body((json) => gzipSync(json), ['Content-Encoding', 'gzip']),
  }),
  form('sends its body in Base64', 'client/token-content-type', {
    request: body((json) => Buffer.from(json).toString('base64')),
  }),
  form('sends two JSON texts', 'client/token-content-type', {
    request: body((json) => json + json),
  }),
  form('writes a comment into its JSON', 'client/token-content-type', {
    request: body((json) => `${json}// sent by the app`),
  }),
  form('leaves the names of its JSON unquoted', 'client/token-content-type', {
    request: body((json) => json.replace(/"(\w+)":/g, '$1:')),
  }),
  form('sends the fields in an envelope', ['client/grant-fields', 'client/token-content-type'], {
    request: body((json) => `{"data":${json}}`),
  }),
  form('sends an empty body', 'client/token-content-type', { request: body(() => '') }),
  form('sends a multipart form', 'client/token-content-type', {
    request: (request, kind) =>
      header(
        'Content-Type',
        'token',
        () => 'multipart/form-data; boundary=b',
      )(
        body(
          (json) =>
            `--b\r\nContent-Disposition: form-data; name="json"\r\n\r\n${json}\r\n--b--\r\n`,
        )(request, kind),
        kind,
      ),
  }),
  form('sends XML', 'client/token-content-type', {
    request: body((json) => `<request>${json.length}</request>`),
  }),
];
