import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessLogEntry, RunningServer } from '../../../src/server/index.ts';
import { startServer } from '../../../src/server/index.ts';
import { sendRaw } from '../../support/raw-socket.ts';
import { Caller, frozen } from '../caller.ts';

let server: RunningServer;

beforeAll(async () => {
  const never = 600_000;
  server = await startServer({
    clock: frozen,
    timeouts: { headMs: never, requestMs: never, idleMs: never },
  });
});
afterAll(() => server.close(0));

const head = (line: string, ...headers: string[]): string =>
  [line, 'Host: x', ...headers, '', ''].join('\r\n');
const POST = 'POST /v1/oauth/token HTTP/1.1';

describe('paths and methods', () => {
  it.each([
    ['GET', '/healthz', 200],
    ['GET', '/openapi.json', 200],
    ['HEAD', '/healthz', 200],
    ['HEAD', '/openapi.json', 405],
    ['POST', '/healthz', 405],
    ['GET', '/v1/oauth/token', 405],
    ['POST', '/v1/estimates/prices', 405],
    ['HEAD', '/v1/estimates/prices', 405],
    ['OPTIONS', '/v1/estimates/prices', 405],
    ['PUT', '/v1/oauth/token', 405],
    ['OPTIONS', '*', 404],
    ['GET', '/', 404],
    ['GET', '/v1/oauth/token/', 404],
    ['GET', '/v1/%6fauth/token', 404],
    ['GET', '/v2/estimates/prices', 404],
    ['GET', 'http://elsewhere/healthz', 200],
    ['CONNECT', 'elsewhere:443', 405],
  ])('%s %s is %i', async (method, target, status) => {
    const bytes = head(`${method} ${target} HTTP/1.1`, 'Connection: close');
    const reply = await sendRaw(server.port, bytes);
    expect(reply.statuses).toEqual([status]);
  });

  it('another method gets the allowed one', async () => {
    const reply = await fetch(`${server.baseUrl}/v1/oauth/token`, { method: 'DELETE' });
    expect(reply.headers.get('allow')).toBe('POST');
    expect(await reply.json()).toMatchObject({ error: { code: 'method-not-allowed' } });
  });

  it('HEAD gets the health like GET, without the body', async () => {
    const bytes = head('HEAD /healthz HTTP/1.1', 'Connection: close');
    const { text } = await sendRaw(server.port, bytes);
    const whole = await (await fetch(`${server.baseUrl}/healthz`)).text();
    expect(text).toContain(`Content-Length: ${whole.length}\r\n`);
    expect(text.endsWith('\r\n\r\n')).toBe(true);
  });

  it('serves its OpenAPI description', async () => {
    const document = (await (await fetch(`${server.baseUrl}/openapi.json`)).json()) as {
      servers: unknown;
    };
    expect(document.servers).toEqual([{ url: server.baseUrl }]);
  });
});

describe('a request that is too large', () => {
  const caller = () => new Caller(server);

  it('a body of 64 KiB is read', async () => {
    const fields = caller().fields({ note: '' });
    const note = 'x'.repeat(65_536 - JSON.stringify(fields).length);
    expect((await caller().platform({ ...fields, note })).status).toBe(200);
  });

  it.each([65_537, 3_000_000])('a body of %i bytes is 413', async (size) => {
    const { status, body } = await caller().platform({}, { rawBody: 'x'.repeat(size) });
    expect([status, body.error.code]).toEqual([413, 'body-too-large']);
  });

  it('endless chunks are 413', { tags: ['long'] }, async () => {
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
    const bytes = head(POST, 'Transfer-Encoding: chunked') + chunk.repeat(10);
    const reply = await sendRaw(server.port, bytes);
    expect(reply).toMatchObject({ statuses: [413], isClosed: true });
    expect(reply.text).toContain('body-too-large');
  });

  it('a Content-Length that is too large is refused before the body arrives', async () => {
    const bytes = head(POST, 'Content-Length: 99999999');
    expect((await sendRaw(server.port, bytes, { answers: 1 })).statuses).toEqual([413]);
    const waiting = head(POST, 'Content-Length: 99999999', 'Expect: 100-continue');
    expect((await sendRaw(server.port, waiting, { answers: 1 })).statuses).toEqual([413]);
  });

  it.each([17_000, 1_000_000])('a head of %i bytes is 431', async (size) => {
    const reply = await sendRaw(server.port, head(POST, `X: ${'x'.repeat(size)}`));
    expect(reply).toMatchObject({ statuses: [431], isClosed: true });
    expect(reply.text).toContain('"head-too-large"');
  });

  it('a head of 15 KiB is not', async () => {
    const padding = `X: ${'x'.repeat(15_360)}`;
    const bytes = head('GET /healthz HTTP/1.1', padding, 'Connection: close');
    expect((await sendRaw(server.port, bytes)).statuses).toEqual([200]);
  });
});

describe('a malformed request', () => {
  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['a TLS hello', '\u0016\u0003\u0001\u0002\u0000\u0001'],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['a header without a name', head('GET /healthz HTTP/1.1', ': x')],
    ['a NUL', head('GET /healthz HTTP/1.1', 'X: a\0b')],
    ['two lengths', head(POST, 'Content-Length: 1', 'Content-Length: 2')],
    [
      'a length and chunks',
      `${head(POST, 'Content-Length: 1', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['a negative length', head(POST, 'Content-Length: -1')],
    ['a bad chunk', `${head(POST, 'Transfer-Encoding: chunked')}zz\r\n`],
    ['an unknown coding', head(POST, 'Transfer-Encoding: gzip')],
  ])('%s is 400', async (_, bytes) => {
    const reply = await sendRaw(server.port, bytes);
    expect(reply).toMatchObject({ statuses: [400], isClosed: true });
    expect(reply.text).toMatch(/\r\n\r\n\{"error":\{"code":"[a-z-]+","message":"[^"]+"/);
  });

  it('two Authorization headers count as none', async () => {
    const header = 'Authorization: Bearer demo|x';
    const reply = await sendRaw(
      server.port,
      head('GET /v1/estimates/prices HTTP/1.1', header, header, 'Connection: close'),
    );
    expect(reply.statuses).toEqual([401]);
    expect(reply.text).toContain('authorization-shape');
  });

  it.each(['', 'null', '7', '"x"', '[]', '{', 'a=b', '\u00ff'])(
    'a body %j is refused',
    async (rawBody) => {
      const { status, body } = await new Caller(server).platform({}, { rawBody });
      expect([status, body.error.rule]).toEqual([400, 'token/json-body']);
    },
  );

  it('deeply nested lists are an invalid body, closed or not', async () => {
    const open = '['.repeat(60_000);
    expect((await new Caller(server).platform({}, { rawBody: open })).status).toBe(400);
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    const rawBody = JSON.stringify(new Caller(server).fields()).replace('}', `,"deep":${deep}}`);
    expect((await new Caller(server).platform({}, { rawBody })).status).toBe(400);
  });

  it('a field named __proto__ is an ordinary field', async () => {
    const caller = new Caller(server, 'demo-witness');
    const fields = Object.fromEntries([...Object.entries(caller.fields()), ['__proto__', 'x']]);
    expect((await caller.send(fields)).status).toBe(200);
  });
});

describe.concurrent('slow senders', () => {
  const never = 600_000;
  let hasty: RunningServer;

  beforeAll(async () => {
    hasty = await startServer({
      clock: frozen,
      timeouts: { headMs: 400, requestMs: 600, idleMs: never },
    });
  });
  afterAll(() => hasty.close(0));

  it.each([
    ['silence', ''],
    ['half a head', 'GET /healthz HTT'],
    ['half a body', `${head(POST, 'Content-Length: 10')}{`],
    ['half a chunk', `${head(POST, 'Transfer-Encoding: chunked')}5\r\n{`],
  ])('are cut off after %s', async (_, bytes) => {
    const reply = await sendRaw(hasty.port, bytes);
    expect(reply).toMatchObject({ statuses: [408], isClosed: true });
  });

  it('are disconnected if they neither read nor send', { tags: ['long'] }, async () => {
    const timeouts = { headMs: never, requestMs: never, idleMs: 1_500 };
    const idle = await startServer({ clock: frozen, timeouts });
    const reply = await sendRaw(idle.port, head('GET /healthz HTTP/1.1'));
    expect(reply).toMatchObject({ statuses: [200], isClosed: true });
    await idle.close(0);
  });

  it('an aborted body does not change the server', async () => {
    await sendRaw(server.port, `${head(POST, 'Content-Length: 10')}{`, { ends: true });
    expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
  });
});

describe('connections', () => {
  const one = head('GET /healthz HTTP/1.1');

  it('pipelined requests are answered in order', async () => {
    const bytes = one + head('GET / HTTP/1.1') + head('PUT /healthz HTTP/1.1') + one;
    const reply = await sendRaw(server.port, bytes, { ends: true });
    expect(reply.statuses).toEqual([200, 404, 405, 200]);
  });

  it('a broken request after a good one is answered second', async () => {
    const reply = await sendRaw(server.port, `${one}broken\r\n\r\n`);
    expect(reply).toMatchObject({ statuses: [200, 400], isClosed: true });
    const body = `${head(POST, 'Content-Length: 2')}{}`;
    const behindToken = await sendRaw(server.port, `${body}broken\r\n\r\n`);
    expect(behindToken).toMatchObject({ statuses: [401, 400], isClosed: true });
  });

  it('close when the client asks for it, or speaks HTTP/1.0', async () => {
    const closing = head('GET /healthz HTTP/1.1', 'Connection: close');
    expect(await sendRaw(server.port, closing)).toMatchObject({ statuses: [200], isClosed: true });
    const old = await sendRaw(server.port, 'GET /healthz HTTP/1.0\r\n\r\n');
    expect(old).toMatchObject({ statuses: [200], isClosed: true });
  });

  it('Expect: 100-continue gets 100 Continue', async () => {
    const headers = ['Content-Length: 2', 'Expect: 100-continue', 'Connection: close'];
    const bytes = `${head(POST, ...headers)}{}`;
    expect((await sendRaw(server.port, bytes)).statuses).toEqual([100, 401]);
  });

  it('the access log has the rule of a refusal, no query and no credentials', async () => {
    const log: AccessLogEntry[] = [];
    const logging = await startServer({ clock: frozen, accessLog: (entry) => log.push(entry) });
    await new Caller(logging).estimate('secret-token');
    await logging.close();
    expect(log).toHaveLength(1);
    expect(log[0]).toEqual({
      at: '2026-03-02T12:00:00.000Z',
      method: 'GET',
      path: '/v1/estimates/prices',
      status: 401,
      durationMs: 0,
      remoteAddress: '127.0.0.1',
      rule: 'auth/unknown-token',
    });
  });
});

describe('close', () => {
  it('closes idle connections, and finishes a request in flight', async () => {
    const draining = await startServer();
    const idle = connection(draining.port, head('GET /healthz HTTP/1.1'));
    await expect.poll(() => idle.text()).toMatch(/^HTTP\/1\.1 200 /);
    // The 100 Continue shows that the request is in flight.
    const asking = head(POST, 'Content-Length: 2', 'Expect: 100-continue');
    const busy = connection(draining.port, asking);
    await expect.poll(() => busy.text()).toMatch(/^HTTP\/1\.1 100 /);
    const closed = draining.close(60_000);
    await idle.ended;
    busy.socket.write('{}');
    await busy.ended;
    expect(busy.text()).toMatch(/^HTTP\/1\.1 401 /m);
    expect(busy.text()).toMatch(/connection: close/i);
    await closed;
    await expect(fetch(`${draining.baseUrl}/healthz`)).rejects.toThrow('fetch failed');
  });

  it('disconnects requests that do not end within the grace period', async () => {
    const draining = await startServer();
    const asking = head(POST, 'Content-Length: 2', 'Expect: 100-continue');
    const stuck = connection(draining.port, asking);
    await expect.poll(() => stuck.text()).toMatch(/^HTTP\/1\.1 100 /);
    await draining.close(20);
    await stuck.ended;
    expect(stuck.text()).not.toMatch(/^HTTP\/1\.1 [2-5]/m);
  });

  /** A connection on which that was sent, and which is left open. */
  function connection(port: number, bytes: string) {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', () => undefined);
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.write(bytes);
    return { socket, text: () => text, ended };
  }
});

describe('invalid options', () => {
  it.each([
    ['EXPIRES_IN_INVALID', { expiresInSeconds: 0.5 }],
    ['TLS_INVALID', { tls: { cert: 'x', key: 'y' } }],
    ['BEHAVIOUR_INVALID', { behaviour: { 'day-boundary': 'never' as 'rolling' } }],
  ])('is %s', async (code, options) => {
    await expect(startServer(options)).rejects.toMatchObject({ code });
  });
});

describe('the port', () => {
  it('in use is reported as in use', async () => {
    await expect(startServer({ port: server.port })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    const both = startServer({ controlPort: server.port });
    await expect(both).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  });

  it('of a foreign host is reported as unavailable', async () => {
    const code = 'HOST_NOT_AVAILABLE';
    await expect(startServer({ host: '192.0.2.1' })).rejects.toMatchObject({ code });
  });
});
