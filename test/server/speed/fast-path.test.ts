import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type BehaviourInput, sign } from '../../../src/interface/index.ts';
import { ParserStream } from '../../../src/server/http/parser-stream.ts';
import type { RunningServer, ServerOptions } from '../../../src/server/index.ts';
import { TurnAnswers } from '../../../src/server/speed/turn-answers.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';
import { until } from '../../support/until.ts';
import { Caller, QUERY } from '../caller.ts';
import {
  Client,
  estimate,
  HEAD,
  HEALTH,
  range,
  restore,
  start,
  TOKEN,
  watchSockets,
} from './connection.ts';
import { seededRandom } from './twins.ts';
import { watchFastPath } from './watch.ts';

afterEach(restore);

describe('a connection of the fast path', () => {
  it('answers in order, before and after a request that it hands over', async () => {
    const seen = watchFastPath();
    const client = new Client(await start());
    const token = `POST /v1/oauth/token ${HEAD}Content-Length: 2\r\n\r\n{}`;
    const pipeline = [
      estimate(1),
      estimate(2),
      HEALTH,
      estimate(3),
      token,
      estimate(4),
      estimate(5),
      HEALTH,
      estimate(6),
    ];
    await client.send(pipeline.join(''), pipeline.length);
    expect(client.answers).toEqual([1, 2, '200', 3, '400', 4, 5, '200', 6]);
    expect(seen.answers).toBe(2);
  });

  it('answers a broken request after the valid ones before it', async () => {
    const client = new Client(await start());
    await client.send(`${estimate(1)}${HEALTH}${estimate(2)}G ET / HTTP/1.1\r\n\r\n`, 4);
    await client.closed;
    expect(client.answers).toEqual([1, '200', 2, '400']);
  });

  it('serves many tokens, and refuses an invalid one', async () => {
    const server = await start();
    const caller = new Caller(server, 'p-1', 'k');
    const tokens: string[] = [];
    for (let issued = 0; issued < 3; issued++) {
      tokens.push((await caller.platform()).body.access_token);
    }
    const seen = watchFastPath();
    const client = new Client(server);
    const ask = (token: string, count: number): Promise<void> =>
      client.send(estimate(count).replace(TOKEN, token), count);
    let sent = 0;
    for (const token of [...tokens, ...tokens]) await ask(token, ++sent);
    expect(client.answers).toEqual(range(6));
    expect(seen).toMatchObject({ answers: 6, handedOver: 0 });
    const [known = ''] = tokens;
    await ask(known.replace(/.$/, known.endsWith('A') ? 'B' : 'A'), ++sent);
    expect(client.answers).toEqual([...range(6), '401']);
    expect(seen).toMatchObject({ answers: 6, handedOver: 1 });
  });

  it('refuses a wrong signature behind right ones, whichever queries they have signed', async () => {
    const server = await start({
      partners: [{ id: 'p-1', signingKey: 'k', use: 'general', authCodes: ['c'] }],
    });
    const exchange = { grant_type: 'authorization_code', auth_code: 'c' };
    const token = (await new Caller(server, 'p-1', 'k').platform(exchange)).body.access_token;
    const signed = (end: string, signedEnd = end): string => {
      const signature = sign({ ...QUERY, end_lat: signedEnd }, 'k');
      const header = `Authorization: Bearer p-1|${signature} openid|${token}`;
      const query = new URLSearchParams({ ...QUERY, end_lat: end }).toString();
      return `GET /v1/estimates/prices?${query} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`;
    };
    const seen = watchFastPath();
    const client = new Client(server);
    const [right, other] = ['39.9929', '39.9930'];
    await client.send(signed(right), 1);
    await client.send(signed(other, right), 2);
    await client.send(signed(other), 3);
    await client.send(signed(other, right), 4);
    await client.send(signed(right, other), 5);
    const statuses = [...client.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '401', '200', '401', '401']);
    expect(seen).toMatchObject({ answers: 2, handedOver: 3 });
  });

  it('is kept alive over thousands of requests', async () => {
    const seen = watchFastPath();
    const client = new Client(await start());
    for (let sent = 0; sent < 5_000; sent += 100) {
      client.text = '';
      await client.send(
        range(100)
          .map((number) => estimate(number))
          .join(''),
        100,
      );
      expect(client.answers).toEqual(range(100));
    }
    expect(seen.answers).toBe(5_000);
    expect(client.socket.destroyed).toBe(false);
  });

  it('gives the parser a copy of its bytes, which other connections do not change', async () => {
    const fed: Buffer[] = [];
    const { feed } = ParserStream.prototype;
    vi.spyOn(ParserStream.prototype, 'feed').mockImplementation(function (
      this: ParserStream,
      bytes,
    ) {
      fed.push(bytes);
      return feed.call(this, bytes);
    });
    const server = await start();
    const [strange, other] = [new Client(server), new Client(server)];
    await strange.send(estimate(1), 1);
    await strange.send(HEALTH, 2);
    await other.send(estimate(2), 1);
    expect(strange.answers).toEqual([1, '200']);
    expect(fed.map(String)).toEqual([HEALTH]);
  });

  it('closes after its answers when the client ends its side', async () => {
    const server = await start();
    const client = new Client(server);
    client.socket.end(
      range(3)
        .map((number) => estimate(number))
        .join(''),
    );
    await client.closed;
    expect(client.answers).toEqual([1, 2, 3]);
    const silent = new Client(server);
    silent.socket.end();
    await silent.closed;
    expect(silent.text).toBe('');
  });

  it('closes with the answer if the client asks for it', async () => {
    const client = new Client(await start());
    await client.send(estimate(1) + estimate(2, 'Connection: close\r\n') + estimate(3), 2);
    await client.closed;
    expect(client.answers).toEqual([1, 2]);
  });

  it.each([false, true])('answers the last request itself, over TLS: %s', async (isTls) => {
    const seen = watchFastPath();
    const server = await start(isTls ? { tls: LOOPBACK_TLS } : {});
    for (const before of ['', estimate(1), HEALTH]) {
      const client = new Client(server, isTls);
      const count = before === '' ? 1 : 2;
      if (before !== '') await client.send(before, 1);
      await client.send(estimate(2, 'Connection: close\r\n'), count);
      await client.closed;
      expect(client.answers.at(-1)).toBe(2);
      expect(client.text.match(/^connection: close\r$/gim)).toHaveLength(1);
    }
    expect(seen).toMatchObject({ answers: 4, handedOver: 1 });
  });

  it('judges the first request of a connection by its own token, not by that of another', async () => {
    const server = await start();
    const seen = watchFastPath();
    for (const [token, answer] of [
      [TOKEN, 1],
      [TOKEN, 1],
      [TOKEN.replace('known', 'alien'), '401'],
      [TOKEN, 1],
    ] as const) {
      const client = new Client(server);
      await client.send(estimate(1).replace(TOKEN, token), 1);
      expect(client.answers).toEqual([answer]);
    }
    expect(seen).toMatchObject({ answers: 3, handedOver: 1 });
  });

  it('closes once it is idle, and not before', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const seen = watchFastPath();
    const sockets = watchSockets();
    const server = await start({ timeouts: { idleMs: 60_000 } });
    const [busy, silent] = [new Client(server), new Client(server)];
    await until(() => sockets.length === 2);
    await silent.send(estimate(1), 1);
    for (const number of range(6)) {
      await busy.send(estimate(number), number);
      vi.advanceTimersByTime(20_000);
    }
    await silent.closed;
    expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(1);
    vi.advanceTimersByTime(80_000);
    await busy.closed;
    expect(busy.answers).toEqual(range(6));
    expect(seen.answers).toBe(7);
  });

  it('gets 408 if nothing is ever sent on it', async () => {
    const silent = new Client(await start({ timeouts: { headMs: 400, idleMs: 60_000 } }));
    await silent.closed;
    expect(silent.text).toContain('HTTP/1.1 408 ');
  });

  it('does not buffer answers for a client that does not read', {
    tags: ['long'],
  }, async () => {
    const sockets = watchSockets();
    const server = await start();
    const client = new Client(server);
    client.socket.pause();
    const count = 100_000;
    const block = Buffer.from(
      range(100)
        .map((number) => estimate(number))
        .join(''),
    );
    let sent = 0;
    const send = (): void => {
      while (sent < count) {
        sent += 100;
        if (!client.socket.write(block)) return;
      }
    };
    client.socket.on('drain', send);
    send();
    const served = await stalled(sockets);
    expect(sent).toBeLessThan(count);
    expect(served.writableLength).toBeLessThan(1_000_000);
    expect(served.readableLength).toBeLessThan(1_000_000);
    let received = 0;
    client.socket.removeAllListeners('data');
    client.socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1').split('HTTP/1.1 200 OK\r').length - 1;
    });
    client.socket.resume();
    await until(() => sent === count);
    client.socket.end();
    await client.closed;
    // A status line that is split over two chunks is not counted.
    expect(received).toBeGreaterThan(count * 0.99);
    expect(received).toBeLessThanOrEqual(count);
  });

  it('closes when the client disconnects', async () => {
    const sockets = watchSockets();
    const server = await start();
    for (const count of range(20)) {
      const client = new Client(server);
      client.socket.write(
        range(200)
          .map((number) => estimate(number))
          .join(''),
      );
      await until(() => sockets.length === count);
      client.socket.resetAndDestroy();
    }
    await until(() => sockets.every(({ destroyed }) => destroyed));
    const client = new Client(server);
    await client.send(estimate(7), 1);
    expect(client.answers).toEqual([7]);
  });
});

/** Turns of the event loop without bytes after which a server has stopped reading: a pause has none. */
const QUIET_TURNS = 30;

/** The server's end of the only connection, once it has stopped reading. */
async function stalled(sockets: readonly Socket[]): Promise<Socket> {
  await until(() => sockets.length > 0);
  const served = sockets[0]!;
  for (let [turns, last] = [0, 0]; turns < QUIET_TURNS; turns++) {
    if (served.bytesRead === 0 || served.bytesRead !== last) turns = 0;
    last = served.bytesRead;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return served;
}

describe('close() of a server with a fast path', () => {
  it('ends idle connections', async () => {
    const server = await start();
    const client = new Client(server);
    await client.send(estimate(1), 1);
    await server.close(60_000);
    await client.closed;
    expect(client.answers).toEqual([1]);
  });

  it('writes answers that wait for the end of the turn', async () => {
    const server = await start();
    const client = new Client(server);
    const { add } = TurnAnswers.prototype;
    const closed = new Promise((resolve) => {
      vi.spyOn(TurnAnswers.prototype, 'add').mockImplementation(function (
        this: TurnAnswers,
        ...answer
      ) {
        add.apply(this, answer);
        resolve(server.close(60_000));
      });
    });
    client.socket.write(estimate(1));
    await client.closed;
    await closed;
    expect(client.answers).toEqual([1]);
  });

  it('delivers whole answers to a client that reads late', async () => {
    const sockets = watchSockets();
    const server = await start();
    const client = new Client(server);
    client.socket.pause();
    const requests = estimate(1).repeat(250);
    client.socket.write(requests);
    await until(() => sockets[0]?.bytesRead === requests.length);
    const closed = server.close(20_000);
    client.socket.resume();
    await client.closed;
    await closed;
    expect(client.answers).toEqual(Array.from({ length: 250 }, () => 1));
  });
});

describe('the fast path', () => {
  it('speaks TLS', async () => {
    const seen = watchFastPath();
    const client = new Client(await start({ tls: LOOPBACK_TLS }), true);
    await client.send(estimate(1) + estimate(2), 2);
    await client.send(estimate(3) + HEALTH + estimate(4), 5);
    expect(client.answers).toEqual([1, 2, 3, '200', 4]);
    expect(seen.answers).toBe(3);
  });

  it('answers the same if connections do not share memory', async () => {
    const seen = watchFastPath();
    const client = new Client(await start({ sharedReadBuffer: false }));
    await client.send(estimate(1) + estimate(2), 2);
    await client.send(estimate(3) + HEALTH + estimate(4), 5);
    expect(client.answers).toEqual([1, 2, 3, '200', 4]);
    expect(seen.answers).toBe(3);
  });

  it('sets Date by the clock', async () => {
    const server = await start();
    const client = new Client(server);
    await client.send(estimate(1), 1);
    server.clock.advance(3_661);
    await client.send(estimate(1), 2);
    const dates = [...client.text.matchAll(/^Date: (.*)\r$/gm)].map(([, date]) => date);
    expect(dates).toEqual(['Mon, 02 Mar 2026 12:00:00 GMT', 'Mon, 02 Mar 2026 13:01:01 GMT']);
  });

  it('refuses a token from the moment it expires', async () => {
    const server = await start({ expiresInSeconds: 60 });
    const client = new Client(server);
    server.clock.advance(59.999);
    await client.send(estimate(1), 1);
    server.clock.advance(0.001);
    await client.send(estimate(1), 2);
    expect(client.answers).toEqual([1, '401']);
  });

  it('accepts a token that is issued while the connection is open', async () => {
    const server = await start({ random: seededRandom(3), controlPort: 0 });
    const caller = await Caller.fresh(server);
    const client = new Client(server);
    const first = (await caller.user()).body.access_token;
    const ask = (token: string): string =>
      estimate(2).replace(`p-1|${TOKEN}`, `${caller.id}|${token}`);
    await client.send(ask(first), 1);
    const second = (await caller.user()).body.access_token;
    await client.send(ask(second), 2);
    await client.send(ask(first), 3);
    expect(client.answers).toEqual([2, 2, '401']);
  });

  it.each<[string, ServerOptions]>([
    ['--no-fast-path', { fastPath: false }],
    ['a fault', { faults: ['record/currency-code'] }],
    ['an access log', { accessLog: () => {} }],
    ['an interceptor', { interceptor: { onExchange: () => {} } }],
    ...(
      [
        { 'ban-reach': 'everything' },
        { 'estimate-rate-limit': { perSecond: 10 } },
        { 'estimate-content-type-required': 'yes' },
        { 'signed-fields-estimate': ['start_lat'] },
        { 'estimate-signed-decoded-or-encoded': 'encoded' },
        { 'text-zero-signed': 'skipped' },
      ] satisfies BehaviourInput[]
    ).map((behaviour): [string, ServerOptions] => [JSON.stringify(behaviour), { behaviour }]),
  ])('is off with %s', async (_, options) => {
    const seen = watchFastPath();
    const sockets = watchSockets();
    const client = new Client(await start(options));
    await client.send(estimate(1, 'Content-Type: application/x-www-form-urlencoded\r\n'), 1);
    expect(client.answers).toEqual([1]);
    expect([seen.answers, sockets.length]).toEqual([0, 0]);
  });

  it.each<BehaviourInput>([
    { 'car-type-codes': [11] },
    { 'car-type-codes': [-22, 33, 44] },
    { 'pay-type-codes': ['11', '22'] },
    { 'pay-type-codes': ['ESTIMATE_ID'] },
    { 'pay-type-codes': ['é', '微信'] },
    { 'pay-type-codes': ['"', '\\', '"estimate_price":11'] },
  ])('writes the codes %j as the ordinary path does', async (behaviour) => {
    const fast = await start({ behaviour, random: seededRandom(1) });
    const plain = await start({ behaviour, random: seededRandom(1), fastPath: false });
    const ask = async (server: RunningServer): Promise<unknown> => {
      const query = /\?(\S+)/.exec(estimate(5))?.[1] ?? '';
      return (await new Caller(server, 'p-1').estimate(TOKEN, { rawQuery: query })).body;
    };
    expect(await ask(fast)).toEqual(await ask(plain));
  });
});
