import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { WireOutcome, WireRequest } from '../../../../src/conformance/service/http/message.ts';
import { openTransport } from '../../../../src/conformance/service/http/transport.ts';

/** A request with a name for its connection is sent by `node:http`. */
const BY_NODE = { connection: 'by node:http' } as const;

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

const ANSWERS: Readonly<Record<string, string>> = {
  usual: `${OK}Content-Type: application/json\r\n${BODY}`,
  'no reason': `HTTP/1.1 200\r\n${BODY}`,
  'names in any case': `${OK}CONTENT-TYPE:application/json\r\nx-A: \t b \r\n${BODY}`,
  'a name twice': `${OK}X-A: 1\r\nx-a: 2\r\n${BODY}`,
  'an empty value': `${OK}X-A:\r\n${BODY}`,
  'closed afterwards': `${OK}Connection: close\r\n${BODY}`,
  'a refusal': `HTTP/1.1 401 Unauthorized\r\n${BODY}`,
  'no body': `${OK}Content-Length: 0\r\n\r\n`,
  chunked: `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`,
  'an interim response': `HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n${OK}${BODY}`,
  '204 with a length': `HTTP/1.1 204 No Content\r\n${BODY}`,
  'no length': `${OK}\r\n[]`,
  'two lengths': `${OK}Content-Length: 1\r\n${BODY}`,
  'a length and chunks': `${OK}Transfer-Encoding: chunked\r\n${BODY}`,
  'a negative length': `${OK}Content-Length: -2\r\n\r\n[]`,
  'bytes behind the body': `${OK}${BODY}HTTP`,
  'a folded header': `${OK}X-A: 1\r\n 2\r\n${BODY}`,
  'LF only': `HTTP/1.1 200 OK\n${BODY.replaceAll('\r', '')}`,
  'HTTP/1.0': `HTTP/1.0 200 OK\r\n${BODY}`,
  'a space before the colon': `${OK}X-A : 1\r\n${BODY}`,
  'a control character': `${OK}X-A: \x01\r\n${BODY}`,
  'bytes beyond ASCII': `${OK}X-A: \xe9\r\n${BODY}`,
  'a long header': `${OK}X-A: ${'a'.repeat(10_000)}\r\n${BODY}`,
  'a header beyond the limit': `${OK}X-A: ${'a'.repeat(20_000)}\r\n${BODY}`,
  'a long body': `${OK}Content-Length: 60000\r\n\r\n${' '.repeat(60_000)}`,
  'an unknown status': `HTTP/1.1 999 \r\n${BODY}`,
  'no HTTP': 'SSH-2.0-OpenSSH\r\n\r\n',
};

/** Headers apart from the date of `node:http`; messages that name no port. */
const plain = (outcomes: readonly WireOutcome[]): unknown[] =>
  outcomes.map(({ response, error }) => ({ response, error: error?.code }));

describe.each(Object.entries(ANSWERS))('an answer: %s', (_name, bytes) => {
  const whole = (socket: Socket): void => {
    socket.end(bytes, 'latin1');
  };
  const halves = (socket: Socket): void => {
    socket.write(bytes.slice(0, 20), 'latin1', () =>
      setImmediate(() => socket.end(bytes.slice(20), 'latin1')),
    );
  };
  const cut = (socket: Socket): void => {
    socket.end(bytes.slice(0, -1), 'latin1');
  };

  it.each([
    ['whole', whole],
    ['in two pieces', halves],
    ['without its last byte', cut],
  ])('is read as by node:http, %s', async (_how, answer) => {
    const direct = await ask([POST], answer);
    const byNode = await ask([{ ...POST, ...BY_NODE }], answer);
    expect(plain(direct.outcomes)).toEqual(plain(byNode.outcomes));
  });
});

const REQUESTS: Readonly<Record<string, Parameters<typeof ask>[0][number]>> = {
  'of a token': {
    method: 'POST',
    path: '/v1/oauth/token',
    headers: { 'content-type': 'application/json', authorization: 'Bearer p|s' },
    body: '{"name":"Å"}',
  },
  'of an estimate': {
    method: 'GET',
    path: '/v1/estimates/prices?a=1&b=%20!~*()-_.&c',
    headers: { authorization: 'Bearer p|s' },
    body: null,
  },
  'with an apostrophe': { method: 'GET', path: "/?a='", headers: {}, body: null },
  'with dots': { method: 'GET', path: '/a/../b/./%2e%2E/c', headers: {}, body: null },
  'with a header beyond ASCII': { method: 'GET', headers: { 'x-a': 'é' }, body: null },
  'with an empty header': { method: 'GET', headers: { 'x-a': '' }, body: null },
  'with a host of its own': { method: 'GET', headers: { host: 'a' }, body: null },
  'by another method': { method: 'PUT', headers: {}, body: '{}' },
  'with an empty body': { method: 'POST', headers: {}, body: '' },
};

it.each(Object.entries(REQUESTS))('a request %s is that of node:http', async (_, request) => {
  const answer = (socket: Socket): void => {
    socket.write(OK + BODY);
  };
  const direct = await ask([request], answer);
  const byNode = await ask([{ ...request, ...BY_NODE }], answer);
  expect(direct.received.join('')).toEqual(byNode.received.join(''));
  expect(direct.outcomes[0]?.error).toBeNull();
});

it('keeps its connection as long as the target does', async () => {
  const answers = [OK + BODY, OK + BODY, `${OK}Connection: close\r\n${BODY}`, OK + BODY];
  const answer = (socket: Socket): void => {
    socket.write(answers.shift() ?? '');
  };
  const { connections } = await ask([POST, POST, POST, POST], answer);
  expect(connections).toBe(2);
});

it('leaves a target that answers otherwise to node:http, which keeps its connection', async () => {
  const chunked = ANSWERS['chunked'] ?? '';
  const { outcomes, connections } = await ask([POST, POST, POST], (socket) => {
    socket.write(chunked);
  });
  expect(outcomes.map(({ response }) => response?.body)).toEqual(['[]', '[]', '[]']);
  expect(connections).toBe(2);
});
