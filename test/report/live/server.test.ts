import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { livePage, livePolicy, liveView } from '../../../src/report/live/page.ts';
import { LiveServer, type LiveServerOptions } from '../../../src/report/live/server.ts';
import { LiveState } from '../../../src/report/live/state.ts';
import { HOSTILE_TEXTS } from '../samples/hostile-text.ts';
import { readLive, wordsOf } from './live-stream.ts';

const TOKEN = 'Zm9yLXRlc3RzLW9ubHktMTI4-_';
const SUBJECT = { kind: 'load', title: 'A test', state: 'Waiting', facts: [] } as const;

let server: LiveServer | undefined;
let state: LiveState;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function open(options: Partial<LiveServerOptions> = {}): Promise<LiveServer> {
  state = new LiveState();
  const view = () => liveView(SUBJECT, state);
  const page = () => livePage(SUBJECT, view());
  const given = { token: TOKEN, page, view, policy: livePolicy(), intervalMs: 0 };
  server = await LiveServer.open({ ...given, ...options });
  return server;
}

/** Adds a line to the log of the page. */
function tell(text: string): void {
  state.add({ kind: 'line', text });
  server?.changed();
}

function end(): void {
  state.end = { document: null, report: '/tmp/report.html' };
  server?.changed();
}

const linesOf = (view: { markup: string } | undefined): string[] =>
  wordsOf(view ?? { markup: '' }, /<li>.*?<\/li>/gs);

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

  it('sends the view at once, and again after each change until the end', async () => {
    const { url } = await open();
    tell('before');
    const reading = readLive(url, { until: ({ ended }) => ended });
    await readLive(url, { until: (view) => linesOf(view).includes('before') });
    tell('after');
    end();
    const { text, views } = await reading;
    expect(text).toMatch(/^retry: 1000\n\n/);
    expect(linesOf(views[0])).toEqual(['before']);
    expect(linesOf(views.at(-1))).toEqual(['before', 'after']);
    expect(wordsOf(views.at(-1)!).join()).toContain('/tmp/report.html');
    // Whoever asks for the page sees the same, without its script too.
    expect((await ask(url)).body).toContain('<li>after</li>');
  });

  it('ends every stream when it closes, with the last view', async () => {
    const { url } = await open({ intervalMs: 60_000 });
    let reading: ReturnType<typeof readLive> | undefined;
    await new Promise<void>((resolve, reject) => {
      reading = readLive(url, { onOpen: resolve });
      reading.catch(reject);
    });
    tell('x');
    end();
    await server?.close();
    const last = (await reading)?.views.at(-1);
    expect([linesOf(last), last?.ended]).toEqual([['x'], true]);
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
    expect(text).toMatch(/^retry: 1000\n\ndata: .*\n\n(: heartbeat\n\n)+$/);
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

  it('sends no control characters and no endless text', async () => {
    const { url } = await open();
    for (const text of HOSTILE_TEXTS) tell(text);
    tell('y'.repeat(100_000));
    end();
    const { text, views } = await readLive(url, { until: ({ ended }) => ended });
    const lines = linesOf(views.at(-1));
    expect(lines).toHaveLength(HOSTILE_TEXTS.length + 1);
    expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
    expect(lines.at(-1)?.length).toBeLessThan(900);
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
