import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkService, type ServiceResult } from '../../../../src/conformance/index.ts';
import { RUN } from '../../../independent-service/judge.ts';
import { CLOSED_ADDRESS } from '../../../support/closed-address.ts';

/** The timeout ends a hang; where the test has a clock of its own, it is over once {@link pass} says so. */
const TIMEOUT_MS = 60_000;
const bomb = gzipSync(Buffer.alloc(50_000_000));
const manyRecords = JSON.stringify(
  Array.from({ length: 100_000 }, () => ({ product_type: 'private-car' })),
);
const closing: (() => void)[] = [];

afterEach(async () => {
  await Promise.all(passing.splice(0));
  vi.useRealTimers();
  for (const close of closing.splice(0)) close();
});

/** Has the timeouts of requests, and nothing else, run by a clock that only {@link pass} moves. */
const holdClock = (): void =>
  void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const passing: Promise<void>[] = [];

/** Begins to pass the time of a timeout, a second at a time; what is sent meanwhile is read. */
function pass(): void {
  const steps = async (): Promise<void> => {
    for (let ms = 0; ms <= TIMEOUT_MS; ms += 1_000) {
      await turnOfTheLoop();
      vi.advanceTimersByTime(1_000);
    }
  };
  passing.push(steps());
}

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function listenRaw(handle: (socket: Socket, head: string) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (head) => handle(socket, head.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function check(baseUrl: string): Promise<ServiceResult> {
  const partners = ['a', 'b'].map((id) => ({
    id,
    signingKey: 'key',
    use: 'general' as const,
    authCodes: [`${id}1`, `${id}2`],
  }));
  return checkService({
    ...RUN,
    timeoutMs: TIMEOUT_MS,
    target: {
      name: 'hostile',
      baseUrl,
      environment: 'production',
      partners,
      signature: { tokenFields: 'all', estimateFields: 'all' },
      estimates: { plain: {} },
      headers: {},
    },
  });
}

const token = JSON.stringify({
  access_token: 'aaaa',
  refresh_token: 'rrrr',
  expires_in_second: 60,
  token_type: 'bearer',
  scope: 'public',
});

/** A target with correct tokens, and estimates as the test defines. */
const onEstimates =
  (estimates: (response: ServerResponse) => void): RequestListener =>
  (request, response) => {
    if (request.method === 'POST') {
      response.setHeader('content-type', 'application/json');
      response.end(token);
    } else estimates(response);
  };

describe('a hostile target', () => {
  const endings: [string, (response: ServerResponse) => void][] = [
    [
      'endless body',
      (response) => {
        const chunk = Buffer.alloc(65_536, 'x');
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      },
    ],
    ['broken JSON', (response) => response.end('[{"a":')],
    [
      'reset mid-answer',
      (response) => {
        response.write('[{');
        setImmediate(() => response.socket?.resetAndDestroy());
      },
    ],
    [
      'redirect loop',
      (response) => response.writeHead(302, { location: '/v1/estimates/prices' }).end(),
    ],
    [
      'gzip bomb',
      (response) => {
        response.setHeader('content-encoding', 'gzip');
        response.end(bomb);
      },
    ],
    [
      'wrong content length',
      (response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('[]');
        setImmediate(() => response.socket?.end());
      },
    ],
    ['100,000 records', (response) => response.end(manyRecords)],
  ];

  const slow = ['redirect loop', '100,000 records'];

  for (const [name, estimates] of endings) {
    const options = { tags: slow.includes(name) ? ['long'] : [] };
    it(`ends in a verdict: ${name}`, options, async () => {
      const result = await check(await listen(onEstimates(estimates)));
      expect(result.verdict).not.toBe('conformant');
      const platform = result.rules.find(({ id }) => id === 'estimate/platform');
      expect(['fail', 'inconclusive']).toContain(platform?.verdict);
      for (const { response } of result.exchanges) {
        expect(response?.body.length ?? 0).toBeLessThanOrEqual(1024 * 1024);
      }
    });
  }

  it('reads an answer of 300 KB whole', async () => {
    const record = { product_type: 'private-car', note: 'x'.repeat(300_000) };
    const result = await check(
      await listen(onEstimates((response) => response.end(JSON.stringify([record])))),
    );
    const { reason } = result.rules.find(({ id }) => id === 'estimate/platform')!;
    expect(reason).not.toContain('longer than');
    const price = result.rules.find(({ id }) => id === 'record/estimate-price');
    expect(price?.verdict).toBe('fail');
  });

  it('with long answers fills no document', { tags: ['long'] }, async () => {
    // Three bytes in UTF-8 each, one character.
    const long = '車'.repeat(20_000);
    const answer = JSON.stringify({ ...JSON.parse(token), long });
    const { exchanges } = await check(await listen((_, response) => response.end(answer)));
    const bytes = exchanges.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
    expect(bytes).toBeLessThan(4_900_000);
    expect(bytes).toBeGreaterThan(4_600_000);
    expect(exchanges.some(({ response }) => response?.body === '')).toBe(true);
  });

  it('ends in a verdict: one byte a second', async () => {
    holdClock();
    const drip = onEstimates((response) => {
      response.write('[');
      const timer = setInterval(() => response.write(' '), 1000);
      response.on('close', () => clearInterval(timer));
      pass();
    });
    const result = await check(await listen(drip));
    expect(result.verdict).not.toBe('conformant');
    const platform = result.rules.find(({ id }) => id === 'estimate/platform');
    expect(platform?.verdict).toBe('inconclusive');
    const errors = result.exchanges.flatMap(({ error }) => error?.code ?? []);
    expect(errors).toContain('TIMEOUT_MID_ANSWER');
  });

  it('ends in a verdict: hostile on every request', async () => {
    const result = await check(
      await listenRaw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n')),
    );
    expect(result.verdict).not.toBe('conformant');
    expect(result.summary.pass).toBe(0);
  });

  it('a closed port is unreachable at once', async () => {
    await expect(check(CLOSED_ADDRESS)).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' });
  });

  it.each([
    ['never answers', () => pass()],
    ['closes each connection', (socket: Socket) => socket.destroy()],
  ])(
    'a target that %s is unreachable after three tries, which cost nobody anything',
    async (_name, handle) => {
      holdClock();
      let heads = '';
      const base = await listenRaw((socket, head) => {
        heads += head;
        handle(socket);
      });
      await expect(check(base)).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' });
      expect(heads.match(/HTTP\/1\.1/g)).toHaveLength(3);
      expect(heads.match(/^authorization: .*$/gim)).toHaveLength(1);
    },
  );

  it('a target that falls silent costs three timeouts per endpoint, and no more requests', async () => {
    holdClock();
    let [answers, unanswered] = [true, 0];
    const base = await listen((request, response) => {
      if (!answers) {
        unanswered++;
        pass();
      } else if (request.url?.includes('estimates')) {
        response.writeHead(401).end();
        answers = false;
      }
    });
    const result = await check(base);
    expect(result.summary).toMatchObject({ pass: 0, fail: 0, warn: 0 });
    expect(unanswered).toBeLessThanOrEqual(6);
    const last = result.exchanges.at(-1);
    expect(last?.error?.code).toBe('TARGET_GIVEN_UP');
  });
});
