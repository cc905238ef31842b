// Targets that answer as an attacker would: each can cost a checker time, memory or its verdict.

import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { RECORD } from './estimate.mjs';

/**
 * @typedef {import('node:http').ServerResponse} Response
 * @typedef {import('node:net').Socket} Socket
 * @typedef {object} Asked
 * @property {string} method `POST` for a token
 * @property {string} path
 * @property {string} authorization
 * @property {string} body
 * @typedef {(response: Response, asked: Asked) => void} Answer
 * @typedef {(socket: Socket, asked: Asked) => void} RawAnswer
 */

const ZEROS = Buffer.alloc(50_000_000);
const MIB = 1024 * 1024;
const TOKEN = {
  access_token: 'an-access-token-of-the-target',
  refresh_token: 'a-refresh-token-of-the-target',
  expires_in_second: 7200,
  token_type: 'bearer',
  scope: 'public',
};
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** @param {string} text */
const body = (text) => `${HEAD}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

/** @param {(asked: Asked) => unknown} value @returns {Answer} */
const json = (value) => (response, asked) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(value(asked)));
};

/** @param {string} text @returns {Answer} */
const always = (text) => (response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(text);
};

/** Right tokens; estimates as given. @param {Answer} estimate @returns {Answer} */
const onEstimates = (estimate) => (response, asked) =>
  (asked.method === 'POST' ? json(() => TOKEN) : estimate)(response, asked);

/** @param {string} encoding @param {Buffer} packed @returns {Answer} */
const bomb = (encoding, packed) => (response) => {
  response.setHeader('Content-Encoding', encoding);
  response.end(packed);
};

/** Writes pieces until the other side is gone. @param {Socket | Response} to @param {string | Buffer} piece */
function flood(to, piece) {
  const more = () => {
    while (!to.destroyed && to.write(piece));
    if (!to.destroyed) to.once('drain', more);
  };
  more();
}

/** @param {number} levels @param {string} open @param {string} close */
const nested = (levels, open, close) => `${open.repeat(levels)}1${close.repeat(levels)}`;

const deepValue = nested(90_000, '[', ']');
const manyKeys = `{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`;

/** @type {Record<string, Answer>} */
export const HTTP_TARGETS = {
  'never answers': () => {},
  'endless body': (response) => flood(response, Buffer.alloc(65_536, 'x')),
  'endless estimates': onEstimates((response) => flood(response, Buffer.alloc(65_536, 'x'))),
  'one byte at a time': (response) => {
    response.write('[');
    const timer = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(timer));
  },
  'redirects to itself': (response) => void response.writeHead(302, { Location: '/' }).end(),
  'gzip bomb': bomb('gzip', gzipSync(ZEROS)),
  'deflate bomb': bomb('deflate', deflateSync(ZEROS)),
  'brotli bomb': bomb('br', brotliCompressSync(ZEROS)),
  'unknown encoding': bomb('zstd', Buffer.alloc(MIB)),
  '100,000 records': onEstimates(
    json(() => Array.from({ length: 100_000 }, () => ({ product_type: 'private-car' }))),
  ),
  '240 whole records': onEstimates(json(() => Array.from({ length: 240 }, () => RECORD))),
  '110 whole records': onEstimates(json(() => Array.from({ length: 110 }, () => RECORD))),
  '1,500 whole records': onEstimates(json(() => Array.from({ length: 1_500 }, () => RECORD))),
  'a list nested 90,000 deep': always(deepValue),
  'estimates nested 90,000 deep': onEstimates(always(deepValue)),
  'objects nested 90,000 deep': always(nested(90_000, '{"a":', '}')),
  'a record with a deep field': onEstimates(
    always(`[${JSON.stringify(RECORD).slice(0, -1)},"dynamic":${deepValue}}]`),
  ),
  'a token with a deep field': always(`${JSON.stringify(TOKEN).slice(0, -1)},"x":${deepValue}}`),
  'a token that is deep': always(`{"access_token":${deepValue},"refresh_token":${deepValue}}`),
  'records with 60,000 fields': onEstimates(always(`[${manyKeys}]`)),
  'a token with 60,000 fields': always(`${JSON.stringify(TOKEN).slice(0, -1)},"x":${manyKeys}}`),
  'a token of a mebibyte': json(() => ({ ...TOKEN, access_token: 'a'.repeat(MIB - 200) })),
  'tokens of 60 KB, each another': json(() => ({
    ...TOKEN,
    access_token: Math.random().toString(36).repeat(5_000),
    refresh_token: Math.random().toString(36).repeat(5_000),
  })),
  'a mebibyte of control characters': always(`"${'\u0001'.repeat(MIB - 100)}"`),
  'a mebibyte of quotes in each refusal': (response) =>
    void response.writeHead(400).end('"'.repeat(MIB - 100)),
  'a mebibyte of HTML in each refusal': onEstimates(
    (response) => void response.writeHead(500).end(`<p>${'<b>'.repeat(MIB / 3 - 10)}`),
  ),
  'a mebibyte of escapes': always(`"${'\\u005cu0041'.repeat(MIB / 11)}"`),
  'a mebibyte of percents': (response) =>
    void response.writeHead(403).end('%2525'.repeat(MIB / 5 - 10)),
  'echoes the credentials 10,000 times': (response, { authorization }) =>
    void response.writeHead(401).end(`${authorization}\n`.repeat(10_000)),
  'echoes parts of the credentials': (response, { authorization }) =>
    void response.writeHead(401).end(authorization.slice(0, -3).repeat(10_000)),
  'an estimate_id of a mebibyte': onEstimates(
    json(() => [{ ...RECORD, estimate_id: 'e'.repeat(MIB - 1_000) }]),
  ),
  'long texts in each field': onEstimates(
    json(() => [Object.fromEntries(Object.keys(RECORD).map((key) => [key, 'x'.repeat(60_000)]))]),
  ),
  'numbers beyond all bounds': onEstimates(
    always(`[${JSON.stringify(RECORD).replace('2300', `1${'0'.repeat(500_000)}`)}]`),
  ),
  'fields named __proto__': always(
    '{"__proto__":{"access_token":"x"},"access_token":{"__proto__":1},"constructor":[]}',
  ),
  'half surrogates': always(`"${'\\ud800'.repeat(MIB / 6 - 10)}"`),
  'another answer each time': (response) => {
    const draw = Math.floor(Math.random() * 4);
    if (draw === 0) response.writeHead(500).end('x'.repeat(MIB));
    else if (draw === 1) response.socket?.destroy();
    else always(draw === 2 ? deepValue : JSON.stringify(TOKEN))(response, NOTHING);
  },
  '200 headers of 70 bytes': (response) => {
    for (let at = 0; at < 200; at++) response.setHeader(`x-${at}`, 'v'.repeat(70));
    response.end(JSON.stringify(TOKEN));
  },
  'headers of 15 KB': (response, asked) => {
    response.setHeader('x-long', '"'.repeat(15_000));
    response.end(JSON.stringify(asked.method === 'POST' ? TOKEN : [RECORD]));
  },
};

/** @type {Asked} */
const NOTHING = { method: '', path: '', authorization: '', body: '' };

/** @type {Record<string, RawAnswer>} */
export const RAW_TARGETS = {
  'closes each connection': (socket) => void socket.destroy(),
  'resets mid-answer': (socket) => {
    socket.write(`${HEAD}Content-Length: 1000\r\n\r\n[{`);
    setImmediate(() => socket.resetAndDestroy());
  },
  'a length that is too large': (socket) =>
    void socket.end(`${HEAD}Content-Length: 99999999\r\n\r\n[]`),
  'no HTTP': (socket) => void socket.end('220 mail.example.test\r\n'),
  'HTTP/2': (socket) => void socket.end(Buffer.from('000006040000000000000400000000', 'hex')),
  'a flood of 100 Continue': (socket) => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
  'a flood of 103 with headers': (socket) =>
    flood(socket, `HTTP/1.1 103 Early Hints\r\nLink: <${'x'.repeat(4_000)}>\r\n\r\n`),
  'an endless header': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX: ');
    flood(socket, 'x'.repeat(65_536));
  },
  'endless headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    flood(socket, 'X-A: b\r\n'.repeat(1_000));
  },
  'an endless chunk extension': (socket) => {
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1;`);
    flood(socket, 'x'.repeat(65_536));
  },
  'a mebibyte in chunks of a byte': (socket) => {
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    socket.write(`${'1\r\nx\r\n'.repeat(MIB - 10)}0\r\n\r\n`);
  },
  'endless trailers': (socket) => {
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n`);
    flood(socket, 'X-A: b\r\n'.repeat(1_000));
  },
  'two answers to each request': (socket) => {
    socket.write(body(JSON.stringify(TOKEN)).repeat(2));
  },
  'an upgrade nobody asked for': (socket) =>
    void socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ),
  'a status of no meaning': (socket) =>
    void socket.end('HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n'),
};

const LONG = 'x'.repeat(90_000);

/**
 * Control APIs that change each right answer: by these fields, made of a random text.
 *
 * @type {Record<string, (draw: string) => Record<string, unknown>>}
 */
export const CONTROL_TARGETS = {
  'one partner for everybody': () => ({ partnerId: 'p', signingKey: 'k' }),
  'partners without a name': () => ({ partnerId: '', signingKey: '' }),
  'partners with a line break': (draw) => ({ partnerId: `p${draw}\r\nX-More: 1` }),
  'partners with names of 90 KB': (draw) => ({ partnerId: draw + LONG }),
  'partners with keys of 90 KB': (draw) => ({ signingKey: draw + LONG }),
  'auth codes of 90 KB': (draw) => ({ authCode: draw + LONG }),
  'keys of two letters': () => ({ signingKey: 'es' }),
  'a clock at the end of time': () => ({ now: '+275760-09-13T00:00:00.000Z' }),
  'a clock at the beginning of time': () => ({ now: '-271821-04-20T00:00:00.000Z' }),
  'a clock that leaps': () => ({ now: new Date(8.6e15 * (Math.random() - 0.5)).toISOString() }),
  'a clock that stands still': () => ({ now: '2026-01-31T09:00:00.000Z' }),
  'a clock without a time': () => ({ now: 'soon' }),
  'locks until the end of time': () => ({
    lockedUntil: '+275760-09-13T00:00:00.000Z',
    estimatePrice: 1e308,
  }),
};

/**
 * Starts a target on loopback.
 *
 * @param {string} name of HTTP_TARGETS or RAW_TARGETS
 */
export async function startHostile(name) {
  const raw = RAW_TARGETS[name];
  const answer = HTTP_TARGETS[name];
  if (raw === undefined) return listen(httpServer((response, asked) => answer?.(response, asked)));
  return listen(
    createServer((socket) => {
      socket.on('data', (data) => raw(socket, { ...NOTHING, body: data.toString() }));
    }),
  );
}

/**
 * Starts a control API before a right one.
 *
 * @param {string} name of CONTROL_TARGETS
 * @param {string} rightUrl
 */
export async function startHostileControl(name, rightUrl) {
  const change = CONTROL_TARGETS[name] ?? (() => ({}));
  return listen(
    httpServer(async (response, { method, path, authorization, body: sent }) => {
      const right = await fetch(rightUrl + path, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(sent !== '' && { body: sent }),
      });
      const fields = /** @type {object} */ (await right.json());
      response.writeHead(right.status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ ...fields, ...change(Math.random().toString(36).slice(2)) }));
    }),
  );
}

/** @param {(response: Response, asked: Asked) => unknown} answer */
function httpServer(answer) {
  return createHttpServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.once('end', () => {
      const { method = '', url: path = '', headers } = request;
      const { authorization = '' } = headers;
      answer(response, { method, path, authorization, body: text });
    });
  });
}

/** @param {import('node:net').Server} server */
async function listen(server) {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
