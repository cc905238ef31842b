import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { runLoad, systemClock } from '../../../src/load/index.ts';
import { makeFreshPartner } from '../../../src/load/tokens/partners.ts';
import { postJson } from '../../../src/load/tokens/post.ts';
import { ANSWER, type RawTarget, rawProfile, startRawTarget } from '../raw-target.ts';

let target: RawTarget | undefined;
afterEach(async () => {
  await target?.close();
  target = undefined;
});

const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n';

/** Writes pieces in turns of the loop, until the connection is closed. */
function keepWriting(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 1);
  socket.once('close', () => clearInterval(timer));
}

describe('a token request', () => {
  it('takes an answer behind interim responses that it did not ask for', async () => {
    const token = { access_token: 'a', refresh_token: 'r', expires_in_second: 3600 };
    const body = JSON.stringify({ ...token, token_type: 'bearer', scope: 'public' });
    const requests: number[] = [];
    target = await startRawTarget((socket, count) => {
      if (count > 1) return void socket.write(ANSWER);
      requests.push(count);
      socket.write(`${INTERIM}HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
    const profile = rawProfile(target.url);
    const { achieved } = await runLoad({
      ledger: 'none',
      profile: { ...profile, partners: [{ ...profile.partners[0]!, accessToken: undefined }] },
      clock: systemClock(),
      seed: 1,
      placement: 'inline',
      warmup: '0',
      duration: '100ms',
      rate: 50,
    });
    expect(requests).toEqual([1]);
    expect(achieved).toMatchObject({ planned: 5, ok: 5 });
  });

  it.each([
    ['never answers', () => undefined],
    ['sends interim responses without end', (socket: Socket) => keepWriting(socket, INTERIM)],
    [
      'sends a body without end',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n');
        keepWriting(socket, 'x');
      },
    ],
  ])('gives up a target that %s, and closes the connection', async (_, answer) => {
    let closed = 0;
    target = await startRawTarget((socket) => {
      socket.once('close', () => closed++);
      answer(socket);
    });
    const asked = postJson({ url: target.url, headers: {}, body: {}, timeoutMs: 50 });
    await expect(asked).rejects.toThrow('no complete response within 50 ms');
    await expect.poll(() => closed).toBe(1);
  });

  it.each<[string, (url: string, signal: AbortSignal) => Promise<unknown>]>([
    [
      'of a run',
      (url, signal) => {
        const profile = rawProfile(url);
        const partners = [{ ...profile.partners[0]!, accessToken: undefined }];
        const run = { ledger: 'none', clock: systemClock(), seed: 1, duration: '100ms' } as const;
        return runLoad({ ...run, profile: { ...profile, partners }, signal });
      },
    ],
    [
      'for a fresh partner, by the control API',
      (url, signal) => makeFreshPartner({ url }, 'platform', signal),
    ],
  ])('is broken off by an interruption: %s', async (_, ask) => {
    const interruption = new AbortController();
    let closed = 0;
    target = await startRawTarget((socket) => {
      socket.once('close', () => closed++);
      interruption.abort();
    });
    await expect(ask(target.url, interruption.signal)).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
    await expect.poll(() => closed).toBe(1);
  });

  it.each([
    ['closes the connection', (socket: Socket) => void socket.end(), 'socket hang up'],
    [
      'sends half an answer',
      (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1'),
      'aborted',
    ],
    [
      'sends a body that is too long',
      (socket: Socket) =>
        void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`),
      'too long',
    ],
  ])('fails on a target that %s', async (_, answer, message) => {
    target = await startRawTarget(answer);
    const asked = postJson({ url: target.url, headers: {}, body: {} });
    await expect(asked).rejects.toThrow(message);
  });
});
