import { createHash } from 'node:crypto';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sign } from '../../../src/interface/index.ts';
import {
  Forwarder,
  type InterceptedExchange,
  type Interceptor,
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../../../src/server/index.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';
import fc from '../../support/property.ts';
import { frozen, NOON } from '../caller.ts';
import { fastRequests } from '../speed/requests.ts';
import { converse, startTwins, type Twins } from '../speed/twins.ts';

const HOST = '127.0.0.1';

/** Texts of requests, by what they are for. */
function requestsOf({ credentials }: Twins): Record<string, string> {
  const body = JSON.stringify({ grant_type: 'client_credentials', nostr: 'a1B2c3' });
  const head = `POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer nobody|${'0'.repeat(32)}\r\n`;
  const token = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n5;x\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\nX: y\r\n\r\n`;
  const [fast = Buffer.alloc(0)] = fc.sample(fastRequests(credentials), { numRuns: 1, seed: 3 });
  const upgrading = (text: string): string =>
    text.replace('\r\n', '\r\nConnection: upgrade\r\nUpgrade: h2c\r\n');
  return {
    token,
    'chunked token': chunked,
    'token that asks for an upgrade': upgrading(token),
    'chunked token that asks for an upgrade': upgrading(chunked),
    estimate: fast.toString('latin1'),
    'refused estimate': 'GET /v1/estimates/prices HTTP/1.1\r\nHost: x\r\n\r\n',
    'odd expectation with bytes behind it':
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: x\r\n\r\nGET / HTTP/1.1',
    'token, then estimate': token + fast.toString('latin1'),
    'estimate, then token': fast.toString('latin1') + token,
    'token, then one that asks for an upgrade': token + upgrading(token),
  };
}

describe('a client that closes its side behind what it sent', () => {
  let twins: Twins;
  beforeAll(async () => {
    twins = await startTwins();
  });
  afterAll(() => twins.close());

  it.each([
    'token',
    'chunked token',
    'token that asks for an upgrade',
    'chunked token that asks for an upgrade',
    'estimate',
    'refused estimate',
    'odd expectation with bytes behind it',
    'token, then estimate',
    'estimate, then token',
    'token, then one that asks for an upgrade',
  ])('is answered alike at every place: %s', { tags: ['long'] }, async (name) => {
    const text = requestsOf(twins)[name] ?? '';
    let last: number[] = [];
    for (let end = 1; end <= text.length; end++) {
      const bytes = [Buffer.from(text.slice(0, end), 'latin1')];
      const [fast, plain] = await Promise.all([
        converse(twins.fast.port, bytes, { ends: true }),
        converse(twins.plain.port, bytes, { ends: true }),
      ]);
      expect([end, fast]).toEqual([end, plain]);
      last = fast.answers.map(({ status }) => status);
    }
    expect(last).toHaveLength(name.includes('then') ? 2 : 1);
  });
});

/** Partners for that many token requests, ten each. */
const partnersFor = (requests: number) =>
  Array.from({ length: requests / 10 }, (_, at) => ({
    id: `p-${at}`,
    signingKey: `key-${at}`,
    use: 'general' as const,
    authCodes: [],
  }));

/** The token request of that number, valid and signed. */
function tokenRequest(number: number): string {
  const partner = Math.floor(number / 10);
  const nostr = createHash('md5').update(String(number)).digest('hex').slice(0, 6);
  const fields = { grant_type: 'client_credentials', _: new Date(NOON).toISOString(), nostr };
  const body = JSON.stringify(fields);
  return [
    'POST /v1/oauth/token HTTP/1.1',
    `Host: ${HOST}`,
    'Content-Type: application/json',
    `Authorization: Bearer p-${partner}|${sign(fields, `key-${partner}`)}`,
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

/** Sends a text, closes the own side, and reads to the end. */
function askHalfClosed(port: number, text: string, isTls: boolean): Promise<string> {
  return new Promise((resolve) => {
    const to = { port, host: HOST, allowHalfOpen: true };
    const socket: Socket = isTls ? connectTls({ ...to, ca: LOOPBACK_TLS.cert }) : connectPlain(to);
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('error', () => undefined).once('close', () => resolve(answer));
    socket.end(text);
  });
}

let server: RunningServer | undefined;
let target: RunningServer | undefined;
afterEach(async () => {
  await server?.close(0);
  await target?.close(0);
  [server, target] = [undefined, undefined];
});

const seen: InterceptedExchange[] = [];
const observer: Interceptor = { onExchange: (exchange) => void seen.push(exchange) };
const slow: Interceptor = { ...observer, rewrite: (_, answer) => ({ ...answer, delayMs: 5 }) };

const SERVERS: Record<string, ServerOptions> = {
  'with the fast path': {},
  'without the fast path': { fastPath: false },
  'with the fast path, over TLS': { tls: LOOPBACK_TLS },
  'without the fast path, and TLS': { fastPath: false, tls: LOOPBACK_TLS },
  'with an interceptor': { interceptor: observer },
  'with an interceptor and TLS': { interceptor: observer, tls: LOOPBACK_TLS },
  'with an interceptor that delays them': { interceptor: slow },
  'with an interceptor that delays them, and TLS': { interceptor: slow, tls: LOOPBACK_TLS },
};

/** Sends valid token requests, 80 at once; returns the number answered with 200. */
async function countAnswered(requests: number, options: ServerOptions): Promise<number> {
  server = await startServer({ clock: frozen, partners: partnersFor(requests), ...options });
  const { port } = server;
  const answers: string[] = [];
  const numbers = Array.from({ length: requests }, (_, at) => at).values();
  await Promise.all(
    Array.from({ length: 80 }, async () => {
      for (const number of numbers) {
        answers.push(await askHalfClosed(port, tokenRequest(number), options.tls !== undefined));
      }
    }),
  );
  return answers.filter((text) => /^HTTP\/1\.1 200 .*"access_token":"[^"]+".*\}$/s.test(text))
    .length;
}

describe('of token requests whose client closes its side behind them, 80 at once', () => {
  it.each(Object.entries(SERVERS))('all 80 are answered %s', async (_, options) => {
    expect(await countAnswered(80, options)).toBe(80);
  });

  it.each(Object.entries(SERVERS).filter(([name]) => !name.includes(' and TLS')))(
    'all 1,600 are answered %s',
    { tags: ['long'] },
    async (_, options) => {
      expect(await countAnswered(1_600, options)).toBe(1_600);
    },
  );
});

describe('an interceptor', () => {
  /** Starts a server whose answers come once the test releases them. */
  async function startHeld(
    isTls = false,
  ): Promise<{ port: number; release: () => void; held: () => number }> {
    seen.length = 0;
    const waiting: (() => void)[] = [];
    server = await startServer({
      clock: frozen,
      partners: partnersFor(10),
      ...(isTls ? { tls: LOOPBACK_TLS } : {}),
      interceptor: {
        ...observer,
        rewrite: async (_request, answer) => {
          await new Promise<void>((resolve) => waiting.push(resolve));
          return answer;
        },
      },
    });
    const release = (): void => {
      for (const resolve of waiting.splice(0)) resolve();
    };
    return { port: server.port, release, held: () => waiting.length };
  }

  it('sees the whole answer of a client that waits for it with its side closed', async () => {
    const { port, release, held } = await startHeld();
    const answer = askHalfClosed(port, tokenRequest(0), false);
    await expect.poll(held).toBe(1);
    release();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 .*"access_token":/s);
    await expect.poll(() => seen.length).toBe(1);
    expect(seen[0]).toMatchObject({ finishedMs: NOON, answer: { status: 200 } });
  });

  it.each([
    ['TCP', false],
    ['TLS', true],
  ])('does not keep bytes that are no request from their answer, over %s', async (_, isTls) => {
    const { port, release, held } = await startHeld(isTls);
    const answer = askHalfClosed(port, `${tokenRequest(0)}broken\r\n\r\n`, isTls);
    await expect.poll(held).toBe(1);
    release();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 .*HTTP\/1\.1 400 .*"request-malformed"/s);
  });

  it.each([
    ['closed', (socket: Socket) => void socket.destroy()],
    ['reset', (socket: Socket) => void socket.resetAndDestroy()],
  ])('sees that a client has %s its connection before the answer', async (_, leave) => {
    const { port, release, held } = await startHeld();
    const socket = connectPlain({ port, host: HOST });
    socket.on('error', () => undefined).write(tokenRequest(0));
    await expect.poll(held).toBe(1);
    leave(socket);
    await new Promise((closed) => socket.once('close', closed));
    release();
    await expect.poll(() => seen.length).toBe(1);
    expect(seen[0]).toMatchObject({ finishedMs: null, answer: { status: 200 } });
  });

  it('forwards for a client that closes its side, and answers it', async () => {
    seen.length = 0;
    target = await startServer({ clock: frozen, partners: partnersFor(10) });
    const forwarder = new Forwarder({ baseUrl: target.baseUrl }, observer, (_request, forward) =>
      forward(),
    );
    server = await startServer({ interceptor: forwarder });
    const { port } = server;
    const texts = [0, 1, 2, 3].map((number) => askHalfClosed(port, tokenRequest(number), false));
    for (const text of await Promise.all(texts)) expect(text).toMatch(/^HTTP\/1\.1 200 /);
    await expect.poll(() => seen.filter(({ finishedMs }) => finishedMs !== null).length).toBe(4);
    forwarder.close();
  });
});
