import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { LiveEvent } from '../../../src/report/live/events.ts';
import { LiveHistory } from '../../../src/report/live/history.ts';
import { renderLivePage } from '../../../src/report/live/page.ts';
import { LiveServer, type LiveServerOptions } from '../../../src/report/live/server.ts';
import { HOSTILE_TEXTS } from '../samples/hostile-text.ts';
import { readLive } from './live-stream.ts';

const TOKEN = 'Zm9yLXRlc3RzLW9ubHktMTI4-_';
const SUBJECT = { kind: 'certify', title: 'A test', state: 'Listening', facts: [] } as const;

let server: LiveServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function open(options: Partial<LiveServerOptions> = {}): Promise<LiveServer> {
  const history = new LiveHistory();
  server = await LiveServer.open({ ...renderLivePage(SUBJECT), token: TOKEN, history, ...options });
  return server;
}

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Asks as nobody's browser would: any method, any header. */
async function ask(
  url: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const asked = request(url, { method, headers, agent: false });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

const line = (text: string): LiveEvent => ({ kind: 'line', text });
const END: LiveEvent = {
  kind: 'end',
  verdict: 'Held',
  tone: 'good',
  sentence: 'All is well.',
  report: '/tmp/report.html',
};

describe('the server of a live page', () => {
  it('serves the page at its secret address, with restrictive headers', async () => {
    const { url } = await open();
    const { port } = new URL(url);
    expect(url).toBe(`http://127.0.0.1:${port}/${TOKEN}/`);
    const { status, headers, body } = await ask(url);
    expect(status).toBe(200);
    expect(body).toContain('A test');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
    const policy = headers['content-security-policy'];
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'/,
    );
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect((await ask(url.replace('127.0.0.1', 'localhost'), {})).status).toBe(200);
  });

  it.each([
    ['', 'the root'],
    ['/', 'the root'],
    [`/${TOKEN}`, 'no slash'],
    [`/${TOKEN.slice(0, -1)}X/`, 'another token'],
    [`/${TOKEN.toLowerCase()}/`, 'another case'],
    [`/${TOKEN}x/`, 'a longer one'],
    [`/${TOKEN}/events/`, 'a place below'],
    [`/${TOKEN}/other`, 'another place'],
    [`//${TOKEN}/`, 'an empty name first'],
    ['/events', 'events without a token'],
    ['/favicon.ico', 'what browsers ask for'],
  ])('knows nothing of %s (%s), and says nothing', async (path) => {
    const { url } = await open();
    const reply = await ask(`http://127.0.0.1:${new URL(url).port}${path}`);
    expect([reply.status, reply.body]).toEqual([404, '']);
  });

  it.each([
    ['evil.example'],
    ['evil.example:PORT'],
    ['127.0.0.1'],
    ['127.0.0.1:1'],
    ['localhost.evil.example:PORT'],
    ['[::1]:PORT'],
  ])('refuses the host %s, to which another name may lead', async (host) => {
    const { url } = await open();
    const headers = { Host: host.replace('PORT', new URL(url).port) };
    for (const place of ['', 'events']) {
      const reply = await ask(url + place, { headers });
      expect([reply.status, reply.body]).toEqual([404, '']);
    }
  });

  it('refuses requests of other pages', async () => {
    const { url } = await open();
    const { origin, port } = new URL(url);
    const foreign = [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: `http://localhost:${port}` },
      { Origin: `https://127.0.0.1:${port}` },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ];
    for (const headers of foreign)
      expect((await ask(`${url}events`, { headers })).status).toBe(404);
    const own = request(`${url}events`, {
      headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin' },
    }).end();
    const [response] = (await once(own, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    own.destroy();
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])('refuses %s', async (method) => {
    const { url } = await open();
    expect(await ask(url, { method })).toMatchObject({ status: 405, body: '' });
    expect((await ask(url.replace(TOKEN, 'x'), { method })).status).toBe(404);
  });

  it('listens only on 127.0.0.1', async () => {
    const { url } = await open();
    const port = Number(new URL(url).port);
    const codes = await Promise.all(
      ['127.0.0.2', '::1'].map(async (host) => {
        const socket = connect({ host, port });
        const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
        return error.code;
      }),
    );
    for (const code of codes) expect(['ECONNREFUSED', 'EADDRNOTAVAIL']).toContain(code);
  });

  it.each(['', 'short', 'with/slash/with/slash/with', 'a'.repeat(21)])(
    'takes no token like "%s"',
    async (token) => {
      await expect(open({ token })).rejects.toThrow(RangeError);
    },
  );

  it('sends past and new events until the end', async () => {
    const { url } = await open();
    server?.publish(line('before'));
    const reading = readLive(url, { until: ({ kind }) => kind === 'end' });
    const early = readLive(url, { until: (event) => event.kind === 'line' });
    await early;
    server?.publish(line('after'));
    server?.publish(END);
    const { text, messages, events } = await reading;
    expect(text).toMatch(/^retry: 1000\n\n/);
    expect(events).toEqual([line('before'), line('after'), END]);
    expect(messages.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('sends a returning page only the missed events', async () => {
    const { url } = await open();
    for (const text of ['a', 'b', 'c']) server?.publish(line(text));
    const isLast = (event: LiveEvent): boolean => event.kind === 'line' && event.text === 'c';
    expect((await readLive(url, { after: 2, until: isLast })).events).toEqual([line('c')]);
    expect((await readLive(url, { until: isLast })).events).toHaveLength(3);
    const headers = { 'Last-Event-ID': '1; DROP' };
    const response = await fetch(`${url}events`, { headers });
    const { value } = await response.body!.getReader().read();
    expect(new TextDecoder().decode(value)).toContain('"a"');
  });

  it('ends every stream when it closes', async () => {
    const { url } = await open();
    let reading: ReturnType<typeof readLive> | undefined;
    await new Promise<void>((resolve, reject) => {
      reading = readLive(url, { onOpen: resolve });
      reading.catch(reject);
    });
    server?.publish(line('x'));
    server?.publish(END);
    await server?.close();
    expect((await reading)?.events).toEqual([line('x'), END]);
    await expect(ask(url)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('sends keep-alives on a silent stream', async () => {
    const { url } = await open({ heartbeatMs: 5 });
    const response = await fetch(`${url}events`);
    let text = '';
    for await (const chunk of response.body!) {
      text += new TextDecoder().decode(chunk);
      if (text.includes(': heartbeat\n\n')) break;
    }
    expect(text).toMatch(/^retry: 1000\n\n(: heartbeat\n\n)+$/);
  });

  it('limits the number of streams', async () => {
    const { url } = await open({ maxStreams: 2 });
    const ending = new AbortController();
    const listen = () => fetch(`${url}events`, { signal: ending.signal });
    // Kept: a response that nobody holds is given up with its stream.
    const responses = [await listen(), await listen(), await listen()];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 503]);
    ending.abort();
    await expect
      .poll(async () => {
        const again = new AbortController();
        const { status } = await fetch(`${url}events`, { signal: again.signal });
        again.abort();
        return status;
      })
      .toBe(200);
  });

  it('drops a reader that does not read, and serves the others', { tags: ['long'] }, async () => {
    const { url } = await open({ maxUnsentBytes: 64 * 1024 });
    const { port } = new URL(url);
    const lazy: Socket = connect({ host: '127.0.0.1', port: Number(port) });
    await once(lazy, 'connect');
    lazy.pause();
    lazy.write(`GET /${TOKEN}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    const eager = readLive(url, { until: ({ kind }) => kind === 'end' });
    let publishedBytes = 0;
    lazy.on('error', () => undefined);
    const text = 'x'.repeat(800);
    // A paused socket learns that it was dropped only from writing.
    for (let round = 0; !lazy.destroyed && round < 20_000; round++) {
      for (let at = 0; at < 20; at++) server?.publish(line(text));
      publishedBytes += 20 * text.length;
      if (round % 20 === 0) lazy.write('\r\n');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(lazy.destroyed).toBe(true);
    expect(publishedBytes).toBeGreaterThan(64 * 1024);
    server?.publish(END);
    expect((await eager).events.at(-1)).toEqual(END);
  });

  it('sends no control characters and no endless text', async () => {
    const { url } = await open();
    for (const text of HOSTILE_TEXTS) server?.publish(line(text));
    server?.publish(line('y'.repeat(100_000)));
    server?.publish(END);
    const { text, events } = await readLive(url, { until: ({ kind }) => kind === 'end' });
    expect(events).toHaveLength(HOSTILE_TEXTS.length + 2);
    expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
    const long = events.at(-2);
    expect(long?.kind === 'line' ? long.text.length : 0).toBeLessThan(900);
  });

  it('closes a connection without an answer if the bytes are not a request', async () => {
    const { url } = await open();
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.on('error', () => undefined);
    socket.end('nonsense\r\n\r\n');
    await once(socket, 'close');
    expect(received).toBe('');
  });
});
