import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { WireOutcome, WireRequest } from '../../../../src/conformance/service/http/message.ts';
import { openTransport } from '../../../../src/conformance/service/http/transport.ts';

const LIMIT = { timeout: 20_000 };

interface Seen {
  readonly outcomes: readonly WireOutcome[];
  /** Bytes of the requests, as text. */
  readonly received: readonly string[];
  readonly connections: number;
}

/** Sends requests one after another to a server that answers each by some bytes. */
async function ask(
  requests: readonly (Omit<WireRequest, 'url'> & { readonly path?: string })[],
  answer: (socket: Socket) => void,
): Promise<Seen> {
  const received: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (piece) => {
      received.push(piece.toString('latin1').replace(/:\d+\r\n/, ':PORT\r\n'));
      answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = openTransport({ timeoutMs: 10_000 });
  const outcomes: WireOutcome[] = [];
  for (const { path = '/', ...request } of requests)
    outcomes.push(await transport.send({ ...request, url: origin + path }));
  await transport.close();
  // None is left open: the transport closes what a server would keep.
  for (const socket of sockets) if (!socket.closed) await once(socket, 'close');
  server.close();
  return { outcomes, received, connections: sockets.length };
}

const POST = { method: 'POST', headers: {}, body: '{}' } as const;

const OK = 'HTTP/1.1 200 OK\r\n';
const BODY = 'Content-Length: 2\r\n\r\n[]';
const READ = { status: 200, body: '[]', truncated: false };

/** Answers, and how node:http reads them too: parts of the answer, or the code of an error. */
const ANSWERS: Readonly<Record<string, readonly [bytes: string, read: object | string]>> = {
  usual: [`${OK}Content-Type: a/b\r\n${BODY}`, { ...READ, headers: { 'content-type': 'a/b' } }],
  'no reason': [`HTTP/1.1 200\r\n${BODY}`, READ],
  'names in any case': [
    `${OK}CONTENT-TYPE:a/b\r\nx-A: \t b \r\n${BODY}`,
    { ...READ, headers: { 'content-type': 'a/b', 'x-a': 'b' } },
  ],
  'a name twice': [`${OK}X-A: 1\r\nx-a: 2\r\n${BODY}`, { ...READ, headers: { 'x-a': '1, 2' } }],
  'an empty value': [`${OK}X-A:\r\n${BODY}`, { ...READ, headers: { 'x-a': '' } }],
  'closed afterwards': [`${OK}Connection: close\r\n${BODY}`, READ],
  'a refusal': [`HTTP/1.1 401 Unauthorized\r\n${BODY}`, { ...READ, status: 401 }],
  'no body': [`${OK}Content-Length: 0\r\n\r\n`, { status: 200, body: '' }],
  chunked: [`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`, READ],
  '100 Continue': [`HTTP/1.1 100 Continue\r\n\r\n${OK}${BODY}`, READ],
  'interim responses': [
    `HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 100 \r\n\r\nHTTP/1.1 199 X\r\n\r\n${OK}${BODY}`,
    READ,
  ],
  'no length': [`${OK}\r\n[]`, READ],
  'two lengths': [`${OK}Content-Length: 1\r\n${BODY}`, 'CONNECTION_BROKEN'],
  'a length and chunks': [`${OK}Transfer-Encoding: chunked\r\n${BODY}`, 'HTTP_MALFORMED'],
  'a negative length': [`${OK}Content-Length: -2\r\n\r\n[]`, 'HTTP_MALFORMED'],
  'bytes behind the body': [`${OK}${BODY}HTTP`, READ],
  'a folded header': [`${OK}X-A: 1\r\n 2\r\n${BODY}`, 'HTTP_MALFORMED'],
  'LF only': [`HTTP/1.1 200 OK\n${BODY.replaceAll('\r', '')}`, 'HTTP_MALFORMED'],
  'HTTP/1.0': [`HTTP/1.0 200 OK\r\n${BODY}`, READ],
  'a space before the colon': [`${OK}X-A : 1\r\n${BODY}`, 'HTTP_MALFORMED'],
  'a control character': [`${OK}X-A: \x01\r\n${BODY}`, 'HTTP_MALFORMED'],
  'bytes beyond ASCII': [`${OK}X-A: \xe9\r\n${BODY}`, { ...READ, headers: { 'x-a': '\xe9' } }],
  'a long header': [`${OK}X-A: ${'a'.repeat(10_000)}\r\n${BODY}`, READ],
  'a header beyond the limit': [`${OK}X-A: ${'a'.repeat(20_000)}\r\n${BODY}`, 'HTTP_MALFORMED'],
  'a long body': [
    `${OK}Content-Length: 60000\r\n\r\n${' '.repeat(60_000)}`,
    { truncated: true, bodyBytes: 48 * 1024 },
  ],
  'an unknown status': [`HTTP/1.1 999 \r\n${BODY}`, { ...READ, status: 999 }],
  'a body like an interim response': [
    `${OK}Content-Length: 25\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n`,
    { status: 200, body: 'HTTP/1.1 100 Continue\r\n\r\n' },
  ],
  'no HTTP': ['SSH-2.0-OpenSSH\r\n\r\n', 'HTTP_MALFORMED'],
};

describe.each(Object.entries(ANSWERS))('an answer: %s', (_name, [bytes, read]) => {
  const inPieces =
    (at: number) =>
    (socket: Socket): void => {
      socket.write(bytes.slice(0, at), 'latin1', () =>
        setImmediate(() => socket.end(bytes.slice(at), 'latin1')),
      );
    };

  it.each([
    ['whole', (socket: Socket) => void socket.end(bytes, 'latin1')],
    ['cut within its first word', inPieces(3)],
    ['cut within its status', inPieces(11)],
    ['cut within its head', inPieces(20)],
    ['cut before its last bytes', inPieces(bytes.length - 5)],
  ])('is read, %s', LIMIT, async (_how, answer) => {
    const { outcomes } = await ask([POST], answer);
    const { response, error } = outcomes[0]!;
    if (typeof read === 'string') expect(error?.code).toBe(read);
    else expect(response).toMatchObject(read);
  });
});

it.each([
  ['usual', OK + BODY],
  ['chunked', ANSWERS['chunked']![0].slice(0, -2)],
  ['with an interim response', ANSWERS['100 Continue']![0]],
])('an answer without its last byte is none: %s', LIMIT, async (_name, bytes) => {
  const { outcomes } = await ask([POST], (socket) => void socket.end(bytes.slice(0, -1)));
  expect(outcomes[0]!.error?.code).toBe('CONNECTION_BROKEN');
});

/** Heads as they are sent, without the headers that each request has. */
const REQUESTS: Readonly<
  Record<string, readonly [request: Parameters<typeof ask>[0][number], sent: RegExp]>
> = {
  'of a token': [
    {
      method: 'POST',
      path: '/v1/oauth/token',
      headers: { 'content-type': 'application/json', authorization: 'Bearer p|s' },
      body: '{"name":"Å"}',
    },
    /^POST \/v1\/oauth\/token HTTP\/1\.1\r\n.*authorization: Bearer p\|s\r\n.*content-length: 13\r\n\r\n\{"name":"\xc3\x85"\}$/s,
  ],
  'of an estimate': [
    {
      method: 'GET',
      path: "/v1/estimates/prices?a=1&b=%20!~*()-_.&c='",
      headers: { authorization: 'Bearer p|s' },
      body: null,
    },
    /^GET \/v1\/estimates\/prices\?a=1&b=%20!~\*\(\)-_\.&c=%27 HTTP\/1\.1\r\n/,
  ],
  'with dots': [{ method: 'GET', path: '/a/../b/./c', headers: {}, body: null }, /^GET \/b\/c /],
  'with a header beyond ASCII': [
    { method: 'GET', headers: { 'x-a': 'é' }, body: null },
    /\r\nx-a: \xe9\r\n/,
  ],
  'with an empty header': [{ method: 'GET', headers: { 'x-a': '' }, body: null }, /\r\nx-a: \r\n/],
  'with a host of its own': [
    { method: 'GET', headers: { host: 'a' }, body: null },
    /\r\nhost: a\r\n/,
  ],
  'by another method': [{ method: 'PUT', headers: {}, body: '{}' }, /^PUT .*\r\n\r\n\{\}$/s],
  'with an empty body': [{ method: 'POST', headers: {}, body: '' }, /\r\ncontent-length: 0\r\n/],
  'on a connection of its own': [
    { method: 'GET', headers: {}, body: null, ownConnection: true },
    /\r\nconnection: close\r\n/,
  ],
  'that a client sends': [
    { method: 'GET', headers: {}, body: null },
    /\r\nhost: 127\.0\.0\.1:PORT\r\nconnection: keep-alive\r\nuser-agent: fareproof\r\naccept: \*\/\*\r\n/,
  ],
};

it.each(Object.entries(REQUESTS))('a request %s', LIMIT, async (_name, [request, sent]) => {
  const { received, outcomes } = await ask([request], (socket) => void socket.write(OK + BODY));
  expect(received.join('')).toMatch(sent);
  expect(outcomes[0]?.error).toBeNull();
});

it('sends the last byte of a body once its gate opens', LIMIT, async () => {
  const sent: string[] = [];
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { received } = await ask([{ ...POST, gate }], (socket) => {
    sent.push(`piece ${sent.length + 1}`);
    if (sent.length === 1) open();
    else socket.write(OK + BODY);
  });
  expect(received[0]).toMatch(/content-length: 2\r\n\r\n\{$/);
  expect(received.slice(1).join('')).toBe('}');
});

it('keeps its connection as long as the target does', LIMIT, async () => {
  const answers = [OK + BODY, OK + BODY, `${OK}Connection: close\r\n${BODY}`, OK + BODY];
  const { connections } = await ask([POST, POST, POST, POST], (socket) => {
    socket.write(answers.shift() ?? '');
  });
  expect(connections).toBe(2);
});
