import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ParserStream } from '../../../src/server/http/parser-stream.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';
import { until } from '../../support/until.ts';
import {
  Client,
  estimate,
  HEAD,
  HEALTH,
  range,
  restore,
  start,
  watchSockets,
} from './connection.ts';
import { watchFastPath } from './watch.ts';

const TOKEN_REQUEST = `POST /v1/oauth/token ${HEAD}Content-Type: application/json\r\n`;

/** Requests that the fast path does not answer, in pieces that are sent one by one, and their answers. */
const OTHERS: readonly [name: string, pieces: readonly string[], answers: readonly unknown[]][] = [
  ['another path', [HEALTH], ['200']],
  ['a body', [`${TOKEN_REQUEST}Content-Length: 2\r\n\r\n{}`], ['400']],
  ['a body that follows', [`${TOKEN_REQUEST}Content-Length: 2\r\n\r\n`, '{', '}'], ['400']],
  ['a body of the length 0', [`${TOKEN_REQUEST}Content-Length: 0\r\n\r\n`], ['400']],
  [
    'a body in chunks',
    [`${TOKEN_REQUEST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0`, '\r\n\r\n'],
    ['400'],
  ],
  [
    'a body in chunks with a trailer',
    [`${TOKEN_REQUEST}Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n`, '\r\n'],
    ['400'],
  ],
  ['another method', [HEALTH.replace('GET', 'DELETE')], ['405']],
  [
    'an upgrade',
    [HEALTH.replace('\r\n\r\n', '\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n')],
    ['200'],
  ],
  ['an unknown header', [estimate(2, 'X-Odd: 1\r\n')], [2]],
  ['an unknown token', [estimate(2).replace('known-token', 'unknown-token')], ['401']],
  ['no authorization', [estimate(2).replace('Authorization', 'X')], ['401']],
  ['a head in two pieces', [estimate(2).slice(0, 99), estimate(2).slice(99)], [2]],
  ['a head in bytes', HEALTH.split(''), ['200']],
  ['empty lines before it', ['\r\n', `\r\n${estimate(2)}`], [2]],
  ['two at once', [HEALTH + HEALTH], ['200', '200']],
  ['an estimate after it in the same piece', [HEALTH + estimate(2)], ['200', 2]],
  ['a next one that is cut', [HEALTH + HEALTH.slice(0, 9), HEALTH.slice(9)], ['200', '200']],
];

/** Sends the pieces one by one, each once the server has read the one before. */
async function sendPieces(
  client: Client,
  pieces: readonly string[],
  served: Socket,
): Promise<void> {
  for (const piece of pieces) {
    const bytesRead = served.bytesRead + piece.length;
    client.socket.write(piece);
    await until(() => served.bytesRead === bytesRead);
  }
}

afterEach(restore);

describe('a connection returns to the fast path', () => {
  it.each(OTHERS)('after %s', async (_, pieces, answers) => {
    const seen = watchFastPath();
    const sockets = watchSockets();
    const client = new Client(await start());
    client.socket.setNoDelay();
    await client.send(estimate(1), 1);
    for (const round of range(2)) {
      const before = seen.answers;
      const count = client.answers.length + answers.length;
      await sendPieces(client, pieces, sockets[0]!);
      await until(() => client.answers.length === count);
      expect(seen.answers).toBe(before);
      await client.send(estimate(5 + round), count + 1);
      expect(seen.answers).toBe(before + 1);
    }
    expect(client.answers).toEqual([1, ...answers, 6, ...answers, 7]);
  });

  it('after 100 Continue and the body that follows', async () => {
    const seen = watchFastPath();
    const client = new Client(await start());
    client.socket.write(`${TOKEN_REQUEST}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`);
    await until(() => client.text === 'HTTP/1.1 100 Continue\r\n\r\n');
    client.text = '';
    await client.send('{}', 1);
    await client.send(estimate(1), 2);
    expect(client.answers).toEqual(['400', 1]);
    expect(seen.answers).toBe(1);
  });

  it('after an answer without a body, and one that node:http gives itself', async () => {
    const seen = watchFastPath();
    const client = new Client(await start());
    const statuses = (): string[] => client.text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
    const send = async (request: string, count: number): Promise<void> => {
      client.socket.write(request);
      await until(() => statuses().length === count);
    };
    await send(HEALTH.replace('GET', 'HEAD'), 1);
    await send(estimate(1), 2);
    expect(seen.answers).toBe(1);
    await send(HEALTH.replace('\r\n\r\n', '\r\nExpect: x\r\n\r\n'), 3);
    await send(estimate(1), 4);
    await send(estimate(1), 5);
    expect(statuses()).toEqual(['200', '200', '417', '200', '200']);
    expect(seen.answers).toBe(3);
  });

  it('over TLS, and without shared memory', async () => {
    for (const options of [{ tls: LOOPBACK_TLS }, { sharedReadBuffer: false }]) {
      const seen = watchFastPath();
      const client = new Client(await start(options), 'tls' in options);
      for (const round of range(3)) {
        await client.send(HEALTH, round * 2 - 1);
        await client.send(estimate(round), round * 2);
      }
      expect(client.answers).toEqual(['200', 1, '200', 2, '200', 3]);
      expect(seen.answers).toBe(3);
    }
  });

  it('any number of times, and leaves nothing behind', { tags: ['long'] }, async () => {
    const sockets = watchSockets();
    const client = new Client(await start());
    const alternate = async (times: number): Promise<number[]> => {
      for (const _ of range(times)) {
        client.text = '';
        await client.send(HEALTH, 1);
        await client.send(estimate(1), 2);
      }
      const [socket] = sockets;
      return socket!.eventNames().map((name) => socket!.listenerCount(name));
    };
    expect(await alternate(100)).toEqual(await alternate(1));
  });
});

describe('a connection that had a request for the parser', () => {
  it('does not return before the parser has read a whole request', async () => {
    const seen = watchFastPath();
    const sockets = watchSockets();
    const client = new Client(await start());
    await client.send(`${HEALTH}POST /v1/oauth/token ${HEAD}Content-Length: 600\r\n\r\n`, 1);
    // A body that looks like an estimate.
    const body = estimate(1);
    await sendPieces(client, [body], sockets[0]!);
    expect(client.answers).toEqual(['200']);
    await client.send(' '.repeat(600 - body.length), 2);
    await client.send(estimate(3), 3);
    expect(client.answers).toEqual(['200', '400', 3]);
    expect(seen.answers).toBe(1);
  });

  it('answers a broken request, and closes', async () => {
    const seen = watchFastPath();
    const client = new Client(await start());
    await client.send(HEALTH, 1);
    await client.send(estimate(1), 2);
    await client.send(`G ET / HTTP/1.1\r\n\r\n${estimate(2)}`, 3);
    await client.closed;
    expect(client.answers).toEqual(['200', 1, '400']);
    expect(seen.answers).toBe(1);
  });

  it.each([
    ['Connection: close', HEALTH.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'), '200'],
    ['HTTP/1.0', HEALTH.replace('1.1', '1.0'), '200'],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', '405'],
  ])('closes after %s', async (_, request, status) => {
    const client = new Client(await start());
    await client.send(HEALTH, 1);
    await client.send(estimate(1), 2);
    await client.send(request + estimate(2), 3);
    await client.closed;
    expect(client.answers).toEqual(['200', 1, status]);
  });

  it.each([
    ['after an estimate', [HEALTH, estimate(1)], ['200', 1]],
    ['after a request for the parser', [estimate(1), HEALTH], [1, '200']],
  ])('closes when the client ends its side %s', async (_, requests, answers) => {
    const apart = new Client(await start());
    for (const [index, request] of requests.entries()) await apart.send(request, index + 1);
    apart.socket.end();
    await apart.closed;
    expect(apart.answers).toEqual(answers);
    const together = new Client(await start());
    together.socket.end(requests.join(''));
    await together.closed;
    expect(together.answers).toEqual(answers);
  });

  it('gets 408 for half a head', async () => {
    const client = new Client(await start({ timeouts: { headMs: 400, idleMs: 60_000 } }));
    await client.send(HEALTH, 1);
    await client.send(estimate(1), 2);
    client.socket.write(HEALTH.slice(0, 9));
    await client.closed;
    expect(client.answers).toEqual(['200', 1, '408']);
  });

  it.each([
    ['an earlier head', HEALTH, '200'],
    ['the first head', estimate(9), 9],
  ])('is not limited by the time of %s', async (_, first, answer) => {
    const client = new Client(await start({ timeouts: { headMs: 200, idleMs: 60_000 } }));
    await client.send(first, 1);
    // The parser looks for slow heads every 500 ms.
    for (const round of range(8)) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await client.send(estimate(round), round + 1);
    }
    expect(client.answers).toEqual([answer, ...range(8)]);
  });

  it('does not buffer answers for a client that does not read', { tags: ['long'] }, async () => {
    const sockets = watchSockets();
    const client = new Client(await start());
    client.socket.pause();
    const count = 40_000;
    for (let sent = 0; sent < count; sent += 1_000) client.socket.write(HEALTH.repeat(1_000));
    client.socket.end();
    await until(() => (sockets[0]?.writableLength ?? 0) > 0);
    const { bytesRead } = sockets[0]!;
    expect(bytesRead).toBeLessThan(HEALTH.length * count);
    expect(sockets[0]!.writableLength).toBeLessThan(1_000_000);
    let received = 0;
    client.socket.removeAllListeners('data');
    client.socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1').split('HTTP/1.1 200 OK\r').length - 1;
    });
    client.socket.resume();
    await client.closed;
    // A status line that is split over two chunks is not counted.
    expect(received).toBeGreaterThan(count * 0.99);
  });

  it('leaves no stream behind when the client disconnects', async () => {
    const sockets = watchSockets();
    const streams = new Set<ParserStream>();
    const { feed } = ParserStream.prototype;
    vi.spyOn(ParserStream.prototype, 'feed').mockImplementation(function (
      this: ParserStream,
      bytes,
    ) {
      streams.add(this);
      return feed.call(this, bytes);
    });
    const server = await start();
    for (const count of range(5)) {
      const client = new Client(server);
      await client.send(HEALTH, 1);
      client.socket.write(HEALTH.slice(0, 9));
      await until(() => sockets.length === count && sockets.at(-1)!.bytesRead > HEALTH.length);
      client.socket.resetAndDestroy();
    }
    await until(() => [...sockets, ...streams].every(({ destroyed }) => destroyed));
    expect(streams.size).toBe(5);
    const client = new Client(server);
    await client.send(HEALTH + estimate(7), 2);
    expect(client.answers).toEqual(['200', 7]);
  });
});

describe('close() of a server, on a connection that had a request for the parser,', () => {
  it.each([
    ['an estimate', [HEALTH, estimate(1)]],
    ['a request for the parser', [estimate(1), HEALTH]],
  ])('ends it where it is idle after %s', async (_, requests) => {
    const server = await start();
    const client = new Client(server);
    for (const [index, request] of requests.entries()) await client.send(request, index + 1);
    await server.close(60_000);
    await client.closed;
    expect(client.answers).toHaveLength(2);
  });

  it('delivers whole answers of the fast path to a client that reads late', async () => {
    const sockets = watchSockets();
    const server = await start();
    const client = new Client(server);
    await client.send(HEALTH, 1);
    client.socket.pause();
    const requests = estimate(1).repeat(250);
    client.socket.write(requests);
    await until(() => sockets[0]!.bytesRead === HEALTH.length + requests.length);
    const closed = server.close(20_000);
    client.socket.resume();
    await client.closed;
    await closed;
    expect(client.answers).toEqual(['200', ...Array.from({ length: 250 }, () => 1)]);
  });

  it('waits for a request that is not whole', async () => {
    const sockets = watchSockets();
    const server = await start();
    const client = new Client(server);
    await client.send(estimate(1), 1);
    const head = `${TOKEN_REQUEST}Content-Length: 2\r\n\r\n`;
    await sendPieces(client, [head], sockets[0]!);
    const closed = server.close(20_000);
    await client.send('{}', 2);
    await closed;
    await client.closed;
    expect(client.answers).toEqual([1, '400']);
    expect(client.text).toMatch(/^Connection: close\r$/m);
  });
});
