import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CLOSED_ADDRESS } from '../../../support/closed-address.ts';
import { ESTIMATE_BODY } from '../../fake-target.ts';
import { ANSWER } from '../../raw-target.ts';
import { closeTargets, expectConsistent, load, startFake, startRaw } from './engine-run.ts';

afterEach(closeTargets);

describe('the native engine, closed model', () => {
  it('keeps its connections, and sends the next request when the answer is there', async () => {
    let most = 0;
    let now = 0;
    const fake = await startFake({
      estimate: (_request, response) => {
        most = Math.max(most, ++now);
        setImmediate(() => {
          now--;
          response.end(ESTIMATE_BODY);
        });
      },
    });
    const opened = new Set<Socket>();
    fake.server.on('connection', (socket) => opened.add(socket));
    const result = await load(fake, { connections: 3 });
    expectConsistent(result);
    expect(result).toMatchObject({ model: 'closed', engine: 'native' });
    expect(result.achieved.failed).toBe(0);
    expect(most).toBeLessThanOrEqual(3);
    expect(opened.size).toBe(3 + 1);
    expect(result.generator.sendLagUs).not.toBeNull();
  });

  it('opens a connection for each request if set to', async () => {
    const fake = await startFake();
    let opened = 0;
    fake.server.on('connection', () => opened++);
    const result = await load(fake, { connections: 2, newConnections: true });
    expectConsistent(result);
    expect(result.achieved.failed).toBe(0);
    expect(opened).toBeGreaterThanOrEqual(result.achieved.ok);
    // One for the token, and those that were open at the end of the window.
    expect(opened).toBeLessThanOrEqual(fake.paths.length + 1 + 2);
  });

  it('continues after Connection: close', async () => {
    const fake = await startFake({
      estimate: (_request, response) => response.setHeader('connection', 'close').end('[]'),
    });
    const result = await load(fake, { connections: 2 });
    expectConsistent(result);
    expect(result.achieved.failed).toBe(0);
    expect(result.achieved.ok).toBeGreaterThan(2);
  });

  it.each([
    ['closed-before-answer', (socket: Socket) => socket.end()],
    [
      'closed-mid-answer',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1'),
    ],
    ['ECONNRESET', (socket: Socket) => socket.resetAndDestroy()],
    ['malformed-status-line', (socket: Socket) => socket.write('220 smtp.example.test\r\n')],
    [
      'conflicting-length',
      (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n'),
    ],
    [
      'http-429',
      (socket: Socket) => socket.write('HTTP/1.1 429 Slow down\r\nContent-Length: 0\r\n\r\n'),
    ],
  ])('counts %s as what it is', async (kind, answer) => {
    const result = await load(await startRaw(answer), { connections: 2 });
    expectConsistent(result);
    expect(result.achieved.ok).toBe(0);
    expect(Object.keys(result.errors)).toEqual([kind]);
    expect(result.verdict).not.toBe('held');
  });

  it('counts refusals as failures, and only successes as throughput', async () => {
    const target = await startRaw((socket, count) =>
      socket.write(
        count % 4 === 0 ? ANSWER : 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\n[]',
      ),
    );
    const result = await load(target, { connections: 2, threshold: ['errors<50%'] });
    expectConsistent(result);
    const { ok, failed, rate, planned } = result.achieved;
    expect(failed / planned).toBeCloseTo(0.75, 1);
    expect(result.errors).toEqual({ 'http-403': failed });
    expect(result.statuses).toEqual({ 200: ok, 403: failed });
    // The window is 0.3 s; answers after its end do not count.
    expect(rate * 0.3).toBeLessThanOrEqual(ok + 0.001);
    expect(rate * 0.3).toBeGreaterThanOrEqual(ok - 2);
    expect(result.series.reduce((total, point) => total + point.failed, 0)).toBe(failed);
    expect(result.thresholds).toMatchObject([{ held: false }]);
  });

  it('counts a hung answer as a timeout, with what it cost', async () => {
    const target = await startRaw(() => undefined);
    const result = await load(target, { connections: 2, timeout: '200ms' });
    expectConsistent(result);
    expect(Object.keys(result.errors)).toEqual(['timeout']);
    expect(result.latencyUs.all?.min).toBeGreaterThanOrEqual(200_000);
  });

  it('counts a refused connection, and does not try again at once', async () => {
    const result = await load(CLOSED_ADDRESS, { connections: 2 });
    expectConsistent(result);
    expect(Object.keys(result.errors)).toEqual(['ECONNREFUSED']);
    expect(result.achieved.sent).toBe(0);
    expect(result.achieved.planned).toBeLessThan(20);
  });

  it('reads an answer that lasts until the connection ends', async () => {
    const target = await startRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n[]'));
    const result = await load(target, { connections: 1 });
    expectConsistent(result);
    expect(result.achieved.failed).toBe(0);
    expect(result.achieved.ok).toBeGreaterThan(1);
  });

  it.each([
    ['bytes behind the body', '12345678'],
    ['another answer', ANSWER],
  ])('counts %s in the same breath as a failure of the request', async (_case, stray) => {
    const target = await startRaw((socket) => socket.write(ANSWER + stray));
    const result = await load(target, { connections: 1 });
    expectConsistent(result);
    expect(result.achieved.ok).toBe(0);
    expect(result.statuses).toEqual({ 200: result.achieved.sent });
    expect(result.errors).toEqual({ 'unexpected-bytes': result.achieved.failed });
    expect(result.verdict).not.toBe('held');
    expect(result.notes?.[0]).toContain(`no response came ${result.achieved.failed} times`);
    expect(target.sockets.size).toBeGreaterThan(1);
  });
});
