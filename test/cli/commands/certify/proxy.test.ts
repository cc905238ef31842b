import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import {
  request as ask,
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLedger } from '../../../../src/spending/index.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { lockWorld } from '../../../support/lock-world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

interface Received {
  message: IncomingMessage;
  body: Buffer;
}

async function received(message: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return { message, body: Buffer.concat(chunks) };
}

/** A target with a given behaviour, closed at the end of the test. */
async function target(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a proxy in the middle of `certify --proxy`, in front of a target. */
async function proxyBefore(
  baseUrl: string,
  headers: Record<string, string> = {},
  flags: readonly string[] = [],
) {
  const folder = temporaryFolder();
  const partners = [{ id: 'p', signingKey: 'k', use: 'general', authCodes: [] }];
  writeFileSync(
    join(folder, 'target.yaml'),
    JSON.stringify({ name: 't', baseUrl, environment: 'production', partners, headers }),
  );
  const interruption = new AbortController();
  let shown = '';
  const args = ['certify', '--port', '0', '--proxy', 'target.yaml', '--out', 'out', ...flags];
  const ended = runCaptured(args, {
    cwd: folder,
    interruption: interruption.signal,
    onStdout: (text) => {
      shown += text;
    },
  });
  await expect.poll(() => shown).toMatch(/Ctrl-C/);
  return {
    address: /client at (http:\/\/[\d.:]+)/.exec(shown)?.[1] ?? '',
    shown: () => shown,
    /** Requests of partner p that its ledger has. */
    spent: (path = '.state/fareproof/ledger.jsonl') => spentIn(join(folder, path), baseUrl),
    end: async () => {
      interruption.abort('SIGINT');
      await ended;
      return JSON.parse(readFileSync(join(folder, 'out/run.json'), 'utf8')) as {
        exchanges: {
          request: { url: string };
          response: { status: number; body: string } | null;
          error: { code: string } | null;
          observed: { answer: { status: number | null; whole: boolean } };
        }[];
      };
    },
  };
}

async function spentIn(path: string, baseUrl: string): Promise<Record<string, number>> {
  const ledger = await openLedger(path, lockWorld({ wall: Date.now }));
  onTestFinished(() => ledger.close());
  return ledger.spentOf(baseUrl, 'p', Date.now());
}

/** Sends with these headers, names and values in turn, and returns the answer. */
function send(
  address: string,
  method: string,
  headers: readonly string[],
  body?: Uint8Array,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(address);
    const sent = ask({
      hostname,
      port,
      method,
      path: pathname + search,
      headers: [...(headers[0] === 'Host' ? [] : ['Host', `${hostname}:${port}`]), ...headers],
    });
    sent.on('response', (message) => void received(message).then(resolve, reject));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Names and values without those of one connection. */
const pairsOf = ({ rawHeaders }: IncomingMessage): string[] =>
  rawHeaders
    .map((name, at) => (at % 2 === 0 ? `${name}: ${rawHeaders[at + 1]}` : ''))
    .filter((line) => line !== '' && !/^(connection|keep-alive):/i.test(line));

describe('certify --proxy', () => {
  it.each([
    [['Host', 'evil.example'], 421],
    [['Host', 'OWN', 'Origin', 'https://evil.example'], 403],
    [['Host', 'OWN', 'Sec-Fetch-Site', 'cross-site'], 403],
  ])('forwards nothing of a request with %j', async (headers, status) => {
    let asked = 0;
    const baseUrl = await target((_message, response) => {
      asked++;
      response.end();
    });
    const proxy = await proxyBefore(baseUrl, { 'X-Own': 'secret' });
    const { host } = new URL(proxy.address);
    const lines = headers.map((text) => (text === 'OWN' ? host : text));
    const { message } = await send(`${proxy.address}/v1/estimates/prices`, 'GET', lines);
    expect([message.statusCode, asked]).toEqual([status, 0]);
    expect((await proxy.end()).exchanges).toEqual([]);
  });

  it.each([
    ['GET', 'http://OWN/v1/estimates/prices'],
    ['OPTIONS', '*'],
    ['TRACE', '/v1/estimates/prices'],
    ['GET', '/v1/%c0%ae%c0%ae/admin'],
  ])('answers 400 to %s %s, and reports it', async (method, path) => {
    let asked = 0;
    const baseUrl = await target((_message, response) => {
      asked++;
      response.end();
    });
    const proxy = await proxyBefore(`${baseUrl}/api`, { 'X-Own': 'secret' });
    const { hostname, port, host } = new URL(proxy.address);
    const sent = ask({ hostname, port, method, path: path.replace('OWN', host) }).end();
    const [message] = (await once(sent, 'response')) as [IncomingMessage];
    const { body } = await received(message);
    expect([message.statusCode, asked]).toEqual([400, 0]);
    expect(body.toString()).toMatch(/^Not forwarded: only POST /);
    const { exchanges } = await proxy.end();
    expect(exchanges.map(({ response }) => response?.status)).toEqual([400]);
  });

  it('forwards no token request beyond an allowance, and has each in the ledger', async () => {
    let asked = 0;
    const baseUrl = await target((_message, response) => {
      asked++;
      response.end('{}');
    });
    const proxy = await proxyBefore(baseUrl, {}, ['--ledger', 'own.jsonl']);
    const headers = ['Authorization', 'Bearer p|wrong', 'Content-Type', 'application/json'];
    const post = async (path: string, method: string, body?: object): Promise<Received> =>
      send(`${proxy.address}${path}`, method, headers, Buffer.from(JSON.stringify(body ?? '')));
    await post('/v1/estimates/prices', 'GET');
    expect((await post('/%2e%2e%2f../v1/oauth/token', 'POST')).message.statusCode).toBe(400);
    const answers: Received[] = [];
    for (let at = 0; at < 11; at++)
      answers.push(await post('/v1/oauth/token', 'POST', { grant_type: 'client_credentials' }));
    expect(answers.map(({ message }) => message.statusCode)).toEqual([
      ...Array.from({ length: 10 }, () => 200),
      429,
    ]);
    expect(answers.at(-1)?.body.toString()).toMatch(
      /^Not forwarded: A platform token request of partner p .* would ban it for 24 hours\. What helps: .*; or let the client be another partner; or wait until/,
    );
    await post('/v1/oauth/token', 'POST', { grant_type: 'authorization_code', auth_code: 'c' });
    expect(asked).toBe(12);
    await proxy.end();
    expect(await proxy.spent('own.jsonl')).toEqual({ platform: 10, user: 1, refresh: 0 });
  });

  it('listens with no ledger that cannot be kept', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'ledger.jsonl'), 'not an entry\n{}\n');
    const partners = [{ id: 'p', signingKey: 'k' }];
    writeFileSync(
      join(folder, 'target.yaml'),
      JSON.stringify({ name: 't', baseUrl: 'http://127.0.0.1:1', partners }),
    );
    const flags = ['--proxy', 'target.yaml', '--ledger', 'ledger.jsonl', '--port', '0'];
    const { exitCode, stderr } = await runCaptured(['certify', ...flags], { cwd: folder });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('error LEDGER_BROKEN')]);
  });

  it.each(['--ledger=x.jsonl', '--service-restarted'])(
    'refuses %s without --proxy',
    async (flag) => {
      const { exitCode, stderr } = await runCaptured(['certify', flag]);
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/CERTIFY_FLAGS.*--proxy/)]);
    },
  );

  it('forwards bytes and repeated headers unchanged, both ways', async () => {
    const asked: Received[] = [];
    const baseUrl = await target((message, response) => {
      void received(message).then((one) => {
        asked.push(one);
        const headers = [
          'Set-Cookie',
          'a=1',
          'Set-Cookie',
          'b=2',
          'X-Name',
          'Ren\xe9',
          'Connection',
        ];
        headers.push('X-Hop, keep-alive', 'X-Hop', 'mine', 'Date', 'today');
        response.writeHead(202, 'Taken', headers);
        response.end(Buffer.from([0xff, 0xfe, 0x00]));
      });
    });
    const proxy = await proxyBefore(baseUrl, { 'X-Own': 'set' });
    const body = Buffer.from([0xff, 0x00, 0xfe, 0xc3]);
    const headers = ['X-Twice', 'one', 'x-twice', 'two', 'X-Latin', '\xfc', 'Connection', 'X-Gone'];
    headers.push('X-Gone', '1', 'X-Own', 'theirs', 'Content-Length', '4');
    const answer = await send(
      `${proxy.address}/v1/oauth/token?a=%2F&b=\xe9`,
      'POST',
      headers,
      body,
    );
    expect(asked[0]?.body).toEqual(body);
    expect(asked[0]?.message.url).toBe('/v1/oauth/token?a=%2F&b=%C3%A9');
    expect(pairsOf(asked[0]!.message)).toEqual([
      `Host: ${baseUrl.slice('http://'.length)}`,
      'X-Twice: one',
      'x-twice: two',
      'X-Latin: \xfc',
      'X-Own: set',
      'Content-Length: 4',
    ]);
    expect([answer.message.statusCode, answer.message.statusMessage]).toEqual([202, 'Taken']);
    expect(pairsOf(answer.message)).toEqual([
      'Set-Cookie: a=1',
      'Set-Cookie: b=2',
      'X-Name: Ren\xe9',
      'Date: today',
      'Content-Length: 3',
    ]);
    expect(answer.body).toEqual(Buffer.from([0xff, 0xfe, 0x00]));
    await proxy.end();
  });

  it('leaves a compressed answer compressed, and judges its content', async () => {
    const packed = gzipSync('{"access_token":"secret"}');
    const baseUrl = await target((_, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' });
      response.end(packed);
    });
    const proxy = await proxyBefore(baseUrl);
    const address = `${proxy.address}/v1/oauth/token`;
    const { body, message } = await send(address, 'POST', ['Accept-Encoding', 'gzip']);
    expect([body, message.headers['content-encoding']]).toEqual([packed, 'gzip']);
    const { exchanges } = await proxy.end();
    expect(exchanges[0]?.response?.body).toMatch(/^\{"access_token":"\[access_token/);
  });

  it('reports no header of the profile that the target echoes', async () => {
    const baseUrl = await target((message, response) => {
      response.end(`${String(message.headers['x-own'])} ${message.headers.authorization}`);
    });
    const headers = { 'X-Own': 'open-sesame', 'Proxy-Authorization': 'Basic dXNlcjpoaWRkZW4tb25l' };
    const proxy = await proxyBefore(baseUrl, headers);
    const authorization = ['Authorization', 'Bearer p|hidden-one'];
    const { body } = await send(`${proxy.address}/v1/estimates/prices`, 'GET', authorization);
    expect(body.toString()).toBe('open-sesame Bearer p|hidden-one');
    const { exchanges } = await proxy.end();
    expect(exchanges[0]?.response?.body).toMatch(/^\[header 1\] Bearer p\|\[(header|access)/);
  });

  it('forwards the length of a body that is not sent', async () => {
    const baseUrl = await target((_, response) => {
      response.writeHead(304, { 'Content-Length': '1234' });
      response.end();
    });
    const proxy = await proxyBefore(baseUrl);
    const { body, message } = await send(`${proxy.address}/v1/estimates/prices`, 'GET', []);
    expect([body.length, message.headers['content-length']]).toEqual([0, '1234']);
    await proxy.end();
  });

  // Less than the 30 s after which an answer is given up, which must not be waited for.
  it('ends at once if a target does not answer, and keeps that exchange', {
    timeout: 25_000,
  }, async () => {
    let holding = 0;
    const baseUrl = await target((_, response) => {
      holding++;
      if (holding > 1) return;
      response.end('first');
    });
    const proxy = await proxyBefore(baseUrl);
    const address = `${proxy.address}/v1/estimates/prices`;
    await send(address, 'GET', []);
    const cutOff = send(address, 'GET', []).catch(() => 'cut off');
    await expect.poll(() => holding).toBe(2);
    const { exchanges } = await proxy.end();
    expect(await cutOff).toBe('cut off');
    expect(proxy.shown()).toMatch(/x2 GET \/v1\/estimates\/prices - /);
    expect(exchanges).toMatchObject([
      { response: { status: 200 }, error: null, observed: { answer: { status: 200 } } },
      {
        response: null,
        error: { code: 'CONNECTION_BROKEN' },
        observed: { answer: { status: null, whole: false } },
      },
    ]);
  });

  it('keeps an exchange that the client gave up before the answer', async () => {
    const held: ServerResponse[] = [];
    const baseUrl = await target((_, response) => void held.push(response));
    const proxy = await proxyBefore(baseUrl);
    const sent = ask(`${proxy.address}/v1/estimates/prices`);
    sent.on('error', () => undefined);
    sent.end();
    await expect.poll(() => held.length).toBe(1);
    sent.destroy();
    await new Promise((closed) => sent.once('close', closed));
    held[0]?.end('late');
    await expect.poll(proxy.shown).toContain('x1 GET /v1/estimates/prices 200');
    const { exchanges } = await proxy.end();
    expect(exchanges).toMatchObject([
      { response: { body: 'late' }, error: { code: 'CONNECTION_BROKEN' } },
    ]);
  });
});
