import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { InterceptedRequest } from '../../../src/server/index.ts';
import { Forwarder, type ForwardGuard } from '../../../src/server/index.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';

const PASS: ForwardGuard = (_request, forward) => forward();

const REQUEST: InterceptedRequest = {
  method: 'GET',
  target: '/v1/estimates/prices',
  headers: {},
  rawHeaders: [],
  body: new Uint8Array(0),
  connection: {},
  receivedMs: 0,
};

/** A target that answers each request by a function on its socket. */
async function targetOf(answer: (socket: Socket, head: string) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('data', (chunk: Buffer) => answer(socket, chunk.toString('latin1')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Writes pieces in turns of the loop, until the connection is closed. */
function keepWriting(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 1);
  socket.once('close', () => clearInterval(timer));
}

describe('a forwarder', () => {
  it.each([
    [
      'sends interim responses without end',
      (socket: Socket) => keepWriting(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    ],
    [
      'sends a body without end',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n');
        keepWriting(socket, 'x');
      },
    ],
    ['never answers', () => undefined],
  ])('gives up a target that %s, and closes the connection', async (_, answer) => {
    let closed = 0;
    const baseUrl = await targetOf((socket) => {
      socket.once('close', () => closed++);
      answer(socket);
    });
    const forwarder = new Forwarder({ baseUrl, timeoutMs: 50 }, { onExchange: () => {} }, PASS);
    const { status, body } = await forwarder.respond(REQUEST);
    expect([status, body]).toEqual([
      502,
      'The target gave no complete response: TIMEOUT. Set a longer timeout.',
    ]);
    await expect.poll(() => closed).toBe(1);
    forwarder.close();
  });

  it('reaches a target behind TLS by its issuer, and shows it the own certificate', async () => {
    const asks = { ca: LOOPBACK_TLS.cert, requestCert: true, rejectUnauthorized: true };
    const server = createTlsServer({ ...LOOPBACK_TLS, ...asks }, (_, response) => {
      response.end('[]');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const observer = { onExchange: () => {} };
    const known = new Forwarder(
      { baseUrl, ca: LOOPBACK_TLS.cert, ...LOOPBACK_TLS },
      observer,
      PASS,
    );
    expect(await known.respond(REQUEST)).toMatchObject({ status: 200, body: '[]' });
    const unknown = new Forwarder({ baseUrl }, observer, PASS);
    expect(await unknown.respond(REQUEST)).toMatchObject({
      status: 502,
      body: 'The target gave no complete response: DEPTH_ZERO_SELF_SIGNED_CERT. Name its issuer as "ca" in the profile.',
    });
    for (const forwarder of [known, unknown]) forwarder.close();
  });

  it.each([
    'GET http://127.0.0.1/v1/estimates/prices',
    'GET *',
    'GET ',
    'GET ?a=b',
    'GET /',
    'GET /healthz',
    'GET /v1/estimates/prices/',
    'GET //v1/estimates/prices',
    'GET /v1/estimates/prices#/x',
    'GET /v1/estimates/%70rices',
    'GET /v1/estimates/prices;/../../../admin',
    'GET /v1/estimates/prices/%c0%ae%c0%ae/%c0%ae%c0%ae/admin',
    'GET /v1/estimates/prices/%u002e%u002e/%u002e./admin',
    'GET /v1/../../admin',
    'GET /v2/estimates/prices',
    'GET /v1/oauth/token',
    'POST /v1/estimates/prices',
    'HEAD /v1/estimates/prices',
    'OPTIONS /v1/oauth/token',
    'TRACE /v1/estimates/prices',
    'TRACE /v1/oauth/token',
  ])('answers 400 to %j, and forwards nothing', async (line) => {
    let asked = 0;
    const baseUrl = await targetOf(() => asked++);
    const seen: unknown[] = [];
    const observer = { onExchange: (exchange: unknown) => seen.push(exchange) };
    const forwarder = new Forwarder({ baseUrl: `${baseUrl}/api`, timeoutMs: 500 }, observer, PASS);
    const [method = '', target = ''] = line.split(' ');
    const request = { ...REQUEST, method, target };
    const answer = await forwarder.respond(request);
    expect([answer.status, answer.body]).toEqual([
      400,
      'Not forwarded: only POST /v1/oauth/token and GET /v1/estimates/prices are.',
    ]);
    forwarder.onExchange({ request, answer, finishedMs: 1 });
    expect([asked, seen.length]).toEqual([0, 1]);
    forwarder.close();
  });

  it.each(['POST /v1/oauth/token', 'GET /v1/estimates/prices?a=/../../x&b=%2e%2e%2f..#'])(
    'forwards %j as it is, below the path of the address',
    async (sent) => {
      let line = '';
      const baseUrl = await targetOf((socket, head) => {
        [line = ''] = head.split('\r\n');
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
      const forwarder = new Forwarder(
        { baseUrl: `${baseUrl}/api/` },
        { onExchange: () => {} },
        PASS,
      );
      const [method = '', target = ''] = sent.split(' ');
      const { status } = await forwarder.respond({ ...REQUEST, method, target });
      expect([status, line]).toEqual([200, `${method} /api${target} HTTP/1.1`]);
      forwarder.close();
    },
  );

  it.each([
    'X-Original-URL',
    'X-Original-URI',
    'X-Rewrite-Url',
    'X-HTTP-Method-Override',
    'X-Method-Override',
    'X-HTTP-Method',
  ])('does not forward %s, by which a target may take another request', async (name) => {
    let head = '';
    const baseUrl = await targetOf((socket, text) => {
      head = text;
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    const forwarder = new Forwarder({ baseUrl }, { onExchange: () => {} }, PASS);
    await forwarder.respond({ ...REQUEST, rawHeaders: [name, '/admin', 'X-Other', '1'] });
    expect([/x-other/i.test(head), head.includes('/admin')]).toEqual([true, false]);
    forwarder.close();
  });

  it('forwards no header of one connection, nor any that Connection names, either way', async () => {
    let lines: string[] = [];
    const baseUrl = await targetOf((socket, head) => {
      lines = head.split('\r\n').filter((line) => line !== '');
      socket.end(
        'HTTP/1.1 200 OK\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nX-End: 2\r\nContent-Length: 0\r\n\r\n',
      );
    });
    const sent = { Connection: 'X-One , x-two', 'X-One': '1', 'X-Two': '2', TE: 'trailers' };
    const rest = {
      connection: 'X-Three',
      'X-Three': '3',
      'Keep-Alive': 'timeout=5',
      'X-Four': '4',
    };
    const rawHeaders = [...Object.entries(sent), ...Object.entries(rest)].flat();
    const forwarder = new Forwarder({ baseUrl }, { onExchange: () => {} }, PASS);
    const { raw } = await forwarder.respond({ ...REQUEST, rawHeaders });
    expect(lines.slice(1).filter((line) => !/^(host|connection): /i.test(line))).toEqual([
      'X-Four: 4',
    ]);
    expect(raw?.headers).toEqual(['X-End', '2']);
    forwarder.close();
  });

  it('takes an answer behind interim responses', async () => {
    const baseUrl = await targetOf((socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n');
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]');
    });
    const forwarder = new Forwarder({ baseUrl }, { onExchange: () => {} }, PASS);
    expect(await forwarder.respond(REQUEST)).toMatchObject({ status: 200, body: '[]' });
    forwarder.close();
  });
});
