import { changedPairs, escapedUnits, percent, RIGHT, rightSignature } from './habits.ts';
import { open, type RightClient, right } from './right-client.ts';
import { serialise, type WireRequest } from './wire.ts';
import { adding, chunked } from './wire-changes.ts';

type Header = [name: string, value: string];

/** Writes the headers as a known HTTP library does: in its order, with its own. */
const inHeaderOrder =
  (order: readonly string[], ...own: Header[]) =>
  (request: WireRequest): WireRequest => {
    const all = [...request.headers, ...own];
    const rank = ([name]: Header): number => {
      const at = order.findIndex((one) => one.toLowerCase() === name.toLowerCase());
      return at < 0 ? order.length : at;
    };
    return { ...request, headers: all.sort((a, b) => rank(a) - rank(b)) };
  };

/** Keeps some marks unencoded, as other encoders do. */
const encodedBut = (marks: RegExp) => (pairs: [string, string][]) =>
  pairs
    .map((pair) =>
      pair
        .map((text) => Array.from(text, (one) => (marks.test(one) ? one : percent(one))).join(''))
        .join('='),
    )
    .join('&');

const own = (fields: Record<string, unknown>) => ({
  fields: (sent: Record<string, unknown>) => ({ ...sent, ...fields }),
});

/** Right clients on other HTTP stacks and encoders. */
export const RIGHT_STACKS: readonly RightClient[] = [
  // Header orders and habits of known libraries.
  right('sends headers as curl does', {
    request: inHeaderOrder(
      ['Host', 'User-Agent', 'Accept'],
      ['User-Agent', 'curl/8.5.0'],
      ['Accept', '*/*'],
    ),
  }),
  right('sends headers as Go does', {
    request: inHeaderOrder(
      ['Host', 'User-Agent', 'Content-Length', 'Authorization', 'Content-Type'],
      ['User-Agent', 'Go-http-client/1.1'],
      ['Accept-Encoding', 'gzip'],
    ),
  }),
  right('sends headers as okhttp does', {
    request: (request) => ({
      ...inHeaderOrder(
        ['Authorization', 'Content-Type', 'Content-Length', 'Host'],
        ['Connection', 'Keep-Alive'],
        ['Accept-Encoding', 'gzip'],
        ['User-Agent', 'okhttp/4.12.0'],
      )(request),
    }),
  }),
  right('sends headers as requests of Python does', {
    request: inHeaderOrder(
      ['Host', 'User-Agent', 'Accept-Encoding', 'Accept', 'Connection'],
      ['User-Agent', 'python-requests/2.32.3'],
      ['Accept-Encoding', 'gzip, deflate, zstd'],
      ['Accept', '*/*'],
      ['Connection', 'keep-alive'],
    ),
  }),
  right('sends headers as HttpClient of .NET does, and JSON in chunks', {
    request: (request) =>
      chunked(
        (body) =>
          Buffer.from(
            `${body.length.toString(16).toUpperCase()}\r\n${body.toString()}\r\n0\r\n\r\n`,
          ),
        ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'],
      )({
        ...request,
        headers: request.headers.map(([name, value]) =>
          name === 'Content-Type' ? [name, `${value}; charset=utf-8`] : [name, value],
        ),
      }),
  }),
  right('offers an upgrade to HTTP/2, as Java does', {
    // Behind an upgrade, node:http answers a request line with spaces only after its time limit.
    encode: RIGHT.encode,
    request: adding(
      ['Connection', 'Upgrade, HTTP2-Settings'],
      ['HTTP2-Settings', 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA'],
      ['Upgrade', 'h2c'],
      ['User-Agent', 'Java-http-client/17.0.9'],
    ),
  }),
  right('sends headers as streams of PHP do', {
    keepsAlive: false,
    request: inHeaderOrder(
      ['Host', 'Connection', 'Content-Type', 'Authorization', 'Content-Length'],
      ['Connection', 'close'],
    ),
  }),
  right('sends headers as fetch of Node does', {
    request: inHeaderOrder(
      ['host', 'connection', 'Content-Type', 'Authorization'],
      ['connection', 'keep-alive'],
      ['accept', '*/*'],
      ['accept-language', '*'],
      ['sec-fetch-mode', 'cors'],
      ['user-agent', 'node'],
      ['accept-encoding', 'gzip, deflate'],
    ),
  }),
  right('keeps HTTP/1.0 connections alive', {
    request: (request) => ({
      ...adding(['Connection', 'keep-alive'])(request),
      version: 'HTTP/1.0',
    }),
  }),
  right('speaks HTTP/1.0 without Host', {
    keepsAlive: false,
    request: (request) => ({
      ...request,
      version: 'HTTP/1.0',
      headers: request.headers.filter(([name]) => name !== 'Host'),
    }),
  }),
  right('names the host of a proxy in between', {
    request: (request) => ({
      ...request,
      headers: request.headers.map(([name, value]) =>
        name === 'Host' ? [name, 'rides-gateway.internal'] : [name, value],
      ),
    }),
  }),
  right('is forwarded by several proxies', {
    request: adding(
      ['Forwarded', 'for=10.0.0.8;proto=https, for=10.0.0.9'],
      ['X-Forwarded-For', '10.0.0.8, 10.0.0.9'],
      ['X-Forwarded-Proto', 'https'],
      ['Via', '1.1 nginx, 1.0 squid'],
      ['X-Real-IP', '10.0.0.8'],
    ),
  }),

  // Bytes.
  right('writes a line feed before each request', {
    bytes: (bytes) => Buffer.concat([Buffer.from('\r\n'), bytes]),
  }),
  right('writes head and body one after the other', {
    pieces: (bytes) => {
      const end = bytes.indexOf('\r\n\r\n') + 4;
      return [bytes.subarray(0, end), bytes.subarray(end)].filter((piece) => piece.length > 0);
    },
  }),
  right('writes a request in small pieces', {
    pieces: (bytes) =>
      Array.from({ length: Math.ceil(bytes.length / 40) }, (_, at) =>
        bytes.subarray(at * 40, at * 40 + 40),
      ),
  }),
  right('writes tabs and spaces around header values', {
    request: (request) => ({
      ...request,
      headers: request.headers.map(([name, value]) =>
        // The parser of node:http takes none around a length.
        name === 'Content-Length' ? [name, value] : [name, ` \t${value} \t`],
      ),
    }),
  }),
  right('writes extensions and trailers into its chunks', {
    request: chunked(
      (body) =>
        Buffer.from(
          `${body.length.toString(16)};name=value\r\n${body.toString()}\r\n0\r\nX-Sum: 1\r\n\r\n`,
        ),
      ['Trailer', 'X-Sum'],
      ['TE', 'trailers'],
    ),
  }),
  right('sends an empty chunked body with estimates', {
    request: (request) =>
      request.body.length > 0
        ? request
        : {
            ...adding(['Transfer-Encoding', 'chunked'])(request),
            body: Buffer.from('0\r\n\r\n'),
          },
  }),
  right('sends many headers of its own', {
    request: adding(
      ...Array.from({ length: 60 }, (_, at): Header => [`X-Own-${at}`, `${at}`.repeat(20)]),
    ),
  }),
  right('asks for estimates in pairs on one connection without waiting', {
    run: async (client) => {
      const { surroundings, slots, count, intervalMs, habits, environment } = client;
      const wire = client.wire();
      await client.together([
        async () => {
          for (let nth = 1; nth <= count && !surroundings.isOver(); nth += 2) {
            if (nth > 1) await surroundings.sleep(intervalMs);
            const token = await client.token(wire, slots[0]!, nth);
            const isDisturbed = !/^steady|^token-expiry/.test(environment.FAREPROOF_SCENARIO);
            if (isDisturbed) {
              await client.estimateOnce(wire, slots[0]!, nth);
              await surroundings.sleep(intervalMs);
              await client.estimateOnce(wire, slots[0]!, nth + 1);
              continue;
            }
            const pair = [nth, nth + 1].map((one) =>
              serialise(habits.request(client.estimateRequest(token, one), 'estimate', one)),
            );
            await wire.exchange(Buffer.concat(pair), 2);
          }
        },
      ]);
    },
  }),

  // Bodies.
  right('escapes all that is not ASCII in its JSON', {
    ...own({ device: '手机 📱' }),
    json: (fields) => escapedUnits(JSON.stringify(fields)),
  }),
  right('escapes names of fields in its JSON', {
    json: (fields) =>
      JSON.stringify(fields).replace('"_"', '"\\u005f"').replace('"nos', '"\\u006eos'),
  }),
  right('indents its JSON with tabs and CRLF', {
    json: (fields) => JSON.stringify(fields, null, '\t').replaceAll('\n', '\r\n'),
  }),
  right(
    'sends numbers and lists of its own',
    own({ build: 12, ratio: 0.5, zero: 0, tags: ['a', '夜', 3] }),
  ),
  right('sends booleans of its own, signed as 1 and left out', {
    ...own({ beta: true, debug: false }),
    sign: (pairs, key) => {
      const { beta, debug: _off, ...rest } = pairs;
      return rightSignature({ ...rest, ...(beta === true && { beta: 1 }) }, key);
    },
  }),
  open('sends booleans of its own, signed as they are spelt', own({ beta: true, debug: false })),
  open(
    'sends lists with slashes of its own, signed as JSON.stringify writes them',
    own({ paths: ['a/b', 'c'] }),
  ),
  right('names the scope of a refresh again', {
    fields: (fields) => ({ scope: 'public', ...fields }),
    scope: () => 'public rides.read rides.request',
  }),
  right('writes its signature in upper case', {
    sign: (pairs, key) => rightSignature(pairs, key).toUpperCase(),
  }),
  right('writes times without an offset, in UTC', {
    time: (nowMs) => new Date(nowMs).toISOString().slice(0, 19),
  }),
  right('has a clock nine minutes ahead', {
    time: (nowMs) => new Date(nowMs + 540_000).toISOString(),
  }),
  right('writes times to the minute', {
    time: (nowMs) => `${new Date(nowMs).toISOString().slice(0, 16)}Z`,
  }),
  right('writes times with a comma and an offset west of Greenwich', {
    time: (nowMs) =>
      new Date(nowMs - 9_000_000).toISOString().replace('.', ',').replace('Z', '-02:30'),
  }),

  // Queries.
  right('leaves marks in its query that need no encoding', {
    encode: encodedBut(/[/?:@,;$!'()*]/),
  }),
  right('encodes its query as URLSearchParams does', {
    encode: (pairs) => new URLSearchParams(pairs).toString(),
  }),
  right('encodes ~ and leaves *, as Java does', {
    query: (pairs) => changedPairs(pairs, { from_name: "~ A*B's (1)" }),
    encode: (pairs) => new URLSearchParams(pairs).toString().replaceAll('~', '%7E'),
  }),
  right('has a place name with %20 in it', {
    query: (pairs) => changedPairs(pairs, { from_name: 'Gate%20A' }),
  }),
  right('has place names with percent signs in them', {
    query: (pairs) => changedPairs(pairs, { from_name: '100%25 Coffee', to_name: '50%2F50 Bar' }),
  }),
  right('has place names with blanks around and line feeds in them', {
    query: (pairs) => changedPairs(pairs, { from_name: '  外滩\n18 ', to_name: '\tT2\r\nGate 3' }),
  }),
  right('has place names in many scripts', {
    query: (pairs) =>
      changedPairs(pairs, { from_name: 'محطة القطار 👩‍👩‍👧', to_name: 'Cafe\u0301 Ελλάδα ＡＢＣ' }),
  }),
  right('has place names of 900 characters', {
    query: (pairs) => changedPairs(pairs, { from_name: '外'.repeat(900) }),
  }),
  right('names parameters of its own', {
    query: (pairs) => [...pairs, ['lang', 'zh-CN'], ['v', ''], ['cache', '17724600']],
  }),
  right('writes signs before its coordinates', {
    query: (pairs) =>
      changedPairs(pairs, { start_lat: '+31.2304', end_lat: '-31.1443', end_lng: '.5' }),
  }),
  right('stands at 0, 0 and at the ends of the world', {
    query: (pairs) =>
      changedPairs(pairs, { start_lat: '0', start_lng: '0.0', end_lat: '-90', end_lng: '180' }),
  }),
  right('writes parameters in random order, & before and after', {
    encode: (pairs) => {
      const [first = [], ...rest] = pairs.map((pair) => pair.map(percent).join('='));
      return `&${[...rest.reverse(), first].join('&')}&&`;
    },
  }),
];
