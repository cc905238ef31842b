import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { InterceptedExchange, RunningServer } from '../../../src/server/index.ts';
import { startServer } from '../../../src/server/index.ts';
import { sendRaw } from '../../support/raw-socket.ts';
import { frozen } from '../caller.ts';
import { Client, estimate, HEALTH, restore, start } from '../speed/connection.ts';
import { split } from '../speed/requests.ts';
import { converse } from '../speed/twins.ts';
import { watchFastPath } from '../speed/watch.ts';
import { HOSTS, VERSIONS } from './heads.ts';

/** Accepted values of Host that the fast path leaves to the parser: empty, or with a space after them. */
const FOR_PARSER = /^host:(?:$|.*\s$)/i;

const headOf = (requestLine: string, lines: readonly string[]): Buffer =>
  Buffer.from([requestLine, ...lines, '', ''].join('\r\n'), 'latin1');
const estimateWith = (lines: readonly string[], version = 'HTTP/1.1'): Buffer => {
  const whole = estimate().replace('Host: x', () => lines.join('\r\n') || 'X-No: host');
  return Buffer.from(whole.replace('HTTP/1.1', version), 'latin1');
};

describe.each([
  ['with the fast path', true],
  ['without the fast path', false],
] as const)('a server %s', (_, fastPath) => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await start({ fastPath });
  });
  afterAll(restore);

  it.each(HOSTS)('answers an estimate with %j by %i', async (lines, status) => {
    const seen = watchFastPath();
    const once = await sendRaw(server.port, estimateWith(lines), { ends: true });
    expect(once).toMatchObject({ statuses: [status], isClosed: true });
    const isFast = fastPath && status === 200 && !FOR_PARSER.test(lines.join());
    expect(seen.answers).toBe(Number(isFast));
    // On a connection whose Host was right before, too.
    const second = Buffer.concat([estimateWith(['Host: x']), estimateWith(lines)]);
    const kept = await sendRaw(server.port, second, { ends: true });
    expect(kept.statuses).toEqual([200, status]);
    if (status === 400) expect(kept.text).toContain('"code":"request-malformed"');
  });

  it.each(VERSIONS)('answers an estimate in %s by %i', async (version, status) => {
    const bytes = estimateWith(['Host: x'], version);
    const reply = await sendRaw(server.port, bytes, { ends: true });
    expect(reply).toMatchObject({ statuses: [status], isClosed: true });
    if (status === 505) expect(reply.text).toContain('"code":"version-not-supported"');
    const kept = Buffer.concat([estimateWith(['Host: x']), bytes]);
    expect((await sendRaw(server.port, kept, { ends: true })).statuses).toEqual([200, status]);
  });

  it.each([
    ['GET http://other:80/healthz HTTP/1.1', ['Host: x'], 200],
    ['GET http://[::1]/healthz HTTP/1.1', ['Host:'], 200],
    ['GET http://other/healthz HTTP/1.1', ['Host: a b'], 400],
    ['GET http://other/healthz HTTP/1.1', ['Host: other', 'Host: other'], 400],
    ['GET http://other/healthz HTTP/1.1', [], 400],
    ['GET http://user@other/healthz HTTP/1.1', ['Host: other'], 400],
    ['GET http:///healthz HTTP/1.1', ['Host:'], 400],
    ['GET http://:80/healthz HTTP/1.1', ['Host: :80'], 400],
    ['GET http://[x/healthz HTTP/1.1', ['Host: x'], 400],
    ['GET http://a:x/healthz HTTP/1.1', ['Host: x'], 400],
    ['GET /healthz HTTP/1.0', [], 200],
    ['GET /healthz HTTP/1.0', ['Host: a b'], 400],
    ['GET /healthz HTTP/1.0', ['Host: x', 'Host: x'], 400],
    ['GET /healthz HTTP/2.0', [], 505],
    ['HEAD /healthz HTTP/1.1', ['Host: a/b'], 400],
    ['OPTIONS * HTTP/1.1', ['Host: a/b'], 400],
    ['GET /nowhere HTTP/1.1', ['Host: a/b'], 400],
    ['GET /healthz HTTP/1.1', ['Host: a/b', 'Expect: x'], 400],
    ['GET /healthz HTTP/1.1', ['Host: a/b', 'Connection: upgrade', 'Upgrade: x'], 400],
    ['CONNECT other:443 HTTP/1.1', ['Host: other:443'], 405],
    ['CONNECT other:443 HTTP/1.1', ['Host: a b'], 400],
    ['CONNECT other:443 HTTP/1.1', [], 400],
    ['CONNECT other:443 HTTP/2.0', ['Host: other:443'], 505],
    ['PRI * HTTP/2.0\r\n\r\nSM', [], 505],
    ['GET /healthz HTTP/1.1', ['Host: x', 'Expect: x'], 417],
  ])('answers %s with %j by %i', async (requestLine, lines, status) => {
    const reply = await sendRaw(server.port, headOf(requestLine, lines), { ends: true });
    expect(reply).toMatchObject({ statuses: [status], isClosed: true });
  });

  it('closes the connection, and answers nothing behind such a request', async () => {
    for (const [bytes, status] of [
      [estimateWith(['Host: a b']), 400],
      [estimateWith(['Host: x'], 'HTTP/2.0'), 505],
      [estimateWith(['Host: x'], 'HTTP/3.7'), 505],
    ] as const) {
      const reply = await sendRaw(server.port, Buffer.concat([bytes, Buffer.from(HEALTH)]), {
        answers: 2,
      });
      expect(reply).toMatchObject({ statuses: [status], isClosed: true });
    }
  });

  it.each([
    ['a coding that the parser does not know', ['Transfer-Encoding: xchunked'], ''],
    ['a broken chunk', ['Transfer-Encoding: chunked'], 'zz\r\n'],
  ])('refuses an invalid Host before %s', async (_name, lines, body) => {
    const head = headOf('POST /v1/oauth/token HTTP/1.1', ['Host: a b', ...lines]);
    const reply = await sendRaw(server.port, Buffer.concat([head, Buffer.from(body)]));
    expect(reply).toMatchObject({ statuses: [400], isClosed: true });
    expect(reply.text).toContain('Host is not one host');
  });

  it('reads on after the refusal, so that a client that sends first gets it', async () => {
    const body = Buffer.alloc(4_000_000);
    const lines = ['Host: a b', `Content-Length: ${body.length}`];
    const head = headOf('POST /v1/oauth/token HTTP/1.1', lines);
    const client = new Client(server);
    client.socket.pause();
    const failure = await new Promise((resolve) => {
      client.socket.once('error', resolve).write(Buffer.concat([head, body]), resolve);
    });
    expect(failure ?? null).toBeNull();
    client.socket.resume();
    await client.closed;
    expect(client.answers).toEqual(['400']);
  });

  it('knows a version wherever it is split', async () => {
    const bytes = headOf('GET /healthz HTTP/3.7', ['Host: x']);
    for (let cut = 'GET /healthz '.length; cut < 'GET /healthz HTTP/3.7\r'.length; cut++) {
      const { answers } = await converse(server.port, split(bytes, [cut]), { ends: true });
      expect(answers.map(({ status }) => status)).toEqual([505]);
    }
  });
});

describe('a refused head', () => {
  let server: RunningServer;
  afterEach(() => server.close(0));

  it('is seen by an interceptor at its end, and never by the service', async () => {
    const seen: InterceptedExchange[] = [];
    const asked: string[] = [];
    server = await startServer({
      clock: frozen,
      interceptor: {
        respond: ({ target }) => {
          asked.push(target);
          return null;
        },
        onExchange: (exchange) => void seen.push(exchange),
      },
    });
    const post = ['Content-Length: 2', '', '{}'].join('\r\n');
    for (const head of ['HTTP/1.1\r\nHost: a b', 'HTTP/1.1\r\nHost: x\r\nHost: x', 'HTTP/2.0'])
      await sendRaw(server.port, `POST /v1/oauth/token ${head}\r\n${post}`, { ends: true });
    await expect.poll(() => seen.length).toBe(3);
    expect(seen.map(({ answer }) => answer.status)).toEqual([400, 400, 505]);
    expect(seen.map(({ request }) => Buffer.from(request.body).toString())).toEqual([
      '{}',
      '{}',
      '{}',
    ]);
    expect(asked).toEqual([]);
  });

  it('is logged and counted by its status', async () => {
    const logged: number[] = [];
    server = await startServer({
      clock: frozen,
      metrics: true,
      accessLog: ({ status }) => void logged.push(status),
    });
    for (const head of ['HTTP/1.1\r\nHost: a b', 'HTTP/2.0\r\nHost: x', 'HTTP/3.7\r\nHost: x'])
      await sendRaw(server.port, `GET /healthz ${head}\r\n\r\n`, { ends: true });
    // The parser finds no request in the last.
    await expect.poll(() => logged).toEqual([400, 505]);
    expect((await server.metrics!()).requests).toEqual([
      { endpoint: 'health', status: 400, count: 1 },
      { endpoint: 'health', status: 505, count: 1 },
      { endpoint: 'malformed', status: 505, count: 1 },
    ]);
  });
});
