import { changedPairs, percent } from './habits.ts';
import { type RightClient, right } from './right-client.ts';
import type { WireRequest } from './wire.ts';
import { adding, chunked } from './wire-changes.ts';

const headers =
  (change: (name: string, value: string, kind: string) => [string, string] | null) =>
  (request: WireRequest, kind: string): WireRequest => ({
    ...request,
    headers: request.headers.flatMap(([name, value]) => {
      const changed = change(name, value, kind);
      return changed ? [changed] : [];
    }),
  });

/** A time with an offset of eight hours. */
const beijing = (nowMs: number): string =>
  new Date(nowMs + 8 * 3_600_000).toISOString().replace('Z', '+08:00');

const FULL = 'public rides.read rides.request';

/** Right clients that write their requests in odd ways: connections and headers, bodies, queries. */
export const RIGHT_MESSAGES: readonly RightClient[] = [
  // Transport.
  right('opens a connection for each request', { keepsAlive: false }),
  right('says Connection: close', { request: adding(['Connection', 'close']) }),
  right('speaks HTTP/1.0', {
    keepsAlive: false,
    request: (request) => ({ ...request, version: 'HTTP/1.0' }),
  }),
  right('sends targets in absolute form, as through a proxy', {
    request: (request) => ({
      ...request,
      target: `http://${request.headers[0]![1]}${request.target}`,
      headers: [...request.headers, ['Via', '1.1 squid'], ['X-Forwarded-For', '10.0.0.8']],
    }),
  }),
  right('sends its body in chunks', {
    request: chunked((body) =>
      Buffer.concat([
        Buffer.from('7\r\n'),
        body.subarray(0, 7),
        Buffer.from(`\r\n${(body.length - 7).toString(16)}\r\n`),
        body.subarray(7),
        Buffer.from('\r\n0\r\n\r\n'),
      ]),
    ),
  }),
  right('expects 100-continue', {
    request: (request, kind) =>
      kind === 'token' ? adding(['Expect', '100-continue'])(request) : request,
  }),
  right('writes header names in lower case', {
    request: headers((name, value) => [name.toLowerCase(), value]),
  }),
  right('writes header names in upper case', {
    request: headers((name, value) => [name.toUpperCase(), value]),
  }),
  right('writes no space after the colon of a header', {
    bytes: (bytes) => {
      const [head = '', ...rest] = bytes.toString('latin1').split('\r\n\r\n');
      const lines = head
        .split('\r\n')
        .map((line, at) => (at === 0 ? line : line.replace(': ', ':')));
      return Buffer.from([lines.join('\r\n'), ...rest].join('\r\n\r\n'), 'latin1');
    },
  }),
  right('sends the headers of a browser', {
    request: adding(
      ['Accept', 'application/json, text/plain, */*'],
      ['Accept-Encoding', 'gzip, deflate, br'],
      ['User-Agent', 'okhttp/4.12.0'],
      ['Cookie', 'session=1'],
      ['X-Request-Id', '7'],
    ),
  }),
  right('sends an empty body with a length of 0', {
    request: (request, kind) =>
      kind === 'estimate' ? adding(['Content-Length', '0'])(request) : request,
  }),
  right('writes the scheme in lower case', {
    tokenHeader: (id, signature) => `bearer ${id}|${signature}`,
    estimateHeader: (id, signature, token) =>
      signature === null ? `bearer ${id}|${token}` : `bearer ${id}|${signature} openid|${token}`,
  }),

  // Bodies.
  right('names its charset', {
    request: headers((name, value) =>
      name === 'Content-Type' ? [name, `${value}; charset=utf-8`] : [name, value],
    ),
  }),
  right('names its charset in capitals, without a space', {
    request: headers((name, value) =>
      name === 'Content-Type' ? [name, `${value};charset="UTF-8"`] : [name, value],
    ),
  }),
  right('writes the media type in mixed case', {
    request: headers((name, value) =>
      name === 'Content-Type'
        ? [name, value.replace('application', 'Application').replace('json', 'JSON')]
        : [name, value],
    ),
  }),
  right('indents its JSON', { json: (fields) => JSON.stringify(fields, null, 2) }),
  right('writes JSON as Python does', {
    json: (fields) => JSON.stringify(fields, null, 1).replace(/\n */g, ' '),
  }),
  right('ends its JSON with a line feed', { json: (fields) => `${JSON.stringify(fields)}\n` }),
  right('escapes slashes and letters in its JSON', {
    json: (fields) =>
      JSON.stringify(fields).replaceAll('/', '\\/').replaceAll('public', '\\u0070ublic'),
  }),
  right('sends fields in another order', {
    fields: (fields) => Object.fromEntries(Object.entries(fields).reverse()),
  }),
  right('sends empty fields too', {
    fields: (fields) => ({ scope: '', refresh_token: '', ...fields }),
  }),
  right('sends null for what it leaves out', { fields: (fields) => ({ scope: null, ...fields }) }),
  right('sends fields of its own', {
    fields: (fields) => ({ ...fields, device: '手机', app_version: '3.2.1' }),
  }),
  right('names the scope public', { scope: (mode) => (mode === 'user' ? FULL : 'public') }),
  right('names all scopes in another order', {
    scope: () => 'rides.request profile public rides.read',
  }),
  right('writes times with an offset', { time: beijing }),
  right('writes times in the basic format', {
    time: (nowMs) => new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, ''),
  }),
  right('writes times in microseconds', {
    time: (nowMs) => new Date(nowMs).toISOString().replace('Z', '123+00:00'),
  }),
  right('writes times to the second', {
    time: (nowMs) => `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
  }),
  right('has a clock five minutes behind', {
    time: (nowMs) => new Date(nowMs - 300_000).toISOString(),
  }),

  // Queries.
  right('writes + for a space', {
    encode: (pairs) =>
      pairs
        .map((pair) => pair.map((one) => percent(one).replaceAll('%20', '+')).join('='))
        .join('&'),
  }),
  right('percent-encodes in lower-case hex', {
    encode: (pairs) =>
      pairs
        .map((pair) =>
          pair
            .map((one) => percent(one).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
            .join('='),
        )
        .join('&'),
  }),
  right('percent-encodes every byte', {
    encode: (pairs) =>
      pairs
        .map(([name, value]) => {
          const bytes = [...Buffer.from(value)];
          return `${name}=${bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`;
        })
        .join('&'),
  }),
  right('ends its query with &', {
    encode: (pairs) => `${pairs.map((pair) => pair.map(percent).join('=')).join('&')}&`,
  }),
  right('names all optional parameters', {
    query: (pairs) =>
      changedPairs(pairs, {
        imei: '861234567890123',
        map_type: 'soso',
        departure_time: '1772460000',
      }),
  }),
  right('leaves optional parameters empty', {
    query: (pairs) => changedPairs(pairs, { imei: '', map_type: '', departure_time: '' }),
  }),
  right('writes coordinates with many or no digits', {
    query: (pairs) =>
      changedPairs(pairs, { start_lat: '31', start_lng: '121.473700000000', end_lat: '3.11443e1' }),
  }),
  right('asks for express cars by turns', {
    query: (pairs, nth) =>
      nth % 2 ? pairs : changedPairs(pairs, { product_type: 'express-car', ride_type: 'express' }),
  }),
  right('has names with signs in them', {
    query: (pairs) =>
      changedPairs(pairs, { from_name: '100% "A+B" = C/D?', to_name: "l'Élysée & 🚕" }),
  }),
  right('sends its parameters in reverse order', { query: (pairs) => [...pairs].reverse() }),
];
