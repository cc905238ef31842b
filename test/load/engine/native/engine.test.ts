import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type LoadOptions,
  type LoadResult,
  parseThreshold,
  runLoad,
  systemClock,
} from '../../../../src/load/index.ts';
import { CLOSED_ADDRESS } from '../../../support/closed-address.ts';
import { PausableClock } from '../../../support/pausable-clock.ts';
import { unhurriedClock } from '../../../support/unhurried-clock.ts';
import { ESTIMATE_BODY, type FakeTarget, startFakeTarget } from '../../fake-target.ts';
import { ANSWER, type RawTarget, rawProfile, startRawTarget } from '../../raw-target.ts';

vi.mock('../../../../src/load/result/verdict.ts', async (importOriginal) => {
  const { judgingWithoutCoreWait } = await import('../../../support/enough-cores.ts');
  return judgingWithoutCoreWait(importOriginal);
});

/** Only ends a hang. */
const LIMIT = 120_000;

let fake: FakeTarget | undefined;
let raw: RawTarget | undefined;
afterEach(async () => {
  await fake?.close();
  await raw?.close();
  [fake, raw] = [undefined, undefined];
});

async function startRaw(onRequest: (socket: Socket, count: number) => void): Promise<string> {
  raw = await startRawTarget(onRequest);
  return raw.url;
}

function load(
  target: FakeTarget | string,
  options: Partial<LoadOptions> = {},
): Promise<LoadResult> {
  const profile = typeof target === 'string' ? rawProfile(target) : target.profile;
  return runLoad({
    profile,
    clock: unhurriedClock(systemClock()),
    seed: 1,
    placement: 'inline',
    warmupMs: 0,
    durationMs: 300,
    timeoutMs: 10_000,
    ...options,
  });
}

/** Invariants of every run, whatever the target does. */
function expectConsistent(result: LoadResult): void {
  const { achieved, latencyUs, statuses, errors } = result;
  const sum = (counts: Record<string, number>): number =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  expect(achieved.ok + achieved.failed).toBe(achieved.planned);
  expect(achieved.sent).toBeLessThanOrEqual(achieved.planned);
  expect(latencyUs.response.count).toBe(achieved.planned);
  expect(latencyUs.service.count).toBe(achieved.sent);
  expect(sum(errors)).toBe(achieved.failed);
  expect(sum(statuses)).toBeLessThanOrEqual(achieved.sent);
  expect(result.series.reduce((total, { failed }) => total + failed, 0)).toBe(achieved.failed);
}

describe('the parts of a run', { timeout: LIMIT }, () => {
  const mixOf = (target: FakeTarget) => ({
    ...target.profile,
    estimates: {
      plain: { product_type: 'private-car' },
      express: { product_type: 'express-car' },
    },
  });

  it('have the requests of their shape and stage, in the open model', async () => {
    fake = await startFakeTarget({
      estimate: (request, response) => {
        const isExpress = request.url?.includes('express-car') === true;
        response.statusCode = isExpress ? 503 : 200;
        response.end(ESTIMATE_BODY);
      },
    });
    const stages = [
      { fromRate: 100, toRate: 100, durationMs: 300 },
      { fromRate: 400, toRate: 400, durationMs: 200 },
    ];
    const result = await load(fake, {
      profile: mixOf(fake),
      stages,
      durationMs: undefined,
      warmupMs: 100,
      workers: 2,
    });
    expectConsistent(result);
    const { achieved, shapes = [] } = result;
    expect(result.stages).toMatchObject([{ planned: 30 }, { planned: 80 }]);
    expect(shapes).toMatchObject([
      { shape: 'plain', ok: achieved.ok, failed: 0 },
      { shape: 'express', ok: 0, failed: achieved.failed },
    ]);
    expect(achieved.ok).toBeGreaterThan(30);
    expect(achieved.failed).toBeGreaterThan(30);
    expect(shapes[1]?.latencyUs.response.count).toBe(achieved.failed);
  });

  it.each([
    ['open', { rate: 200 }],
    ['closed', { connections: 4 }],
  ])('share the requests without a connection, in the %s model', async (_, model) => {
    fake = await startFakeTarget();
    const profile = { ...mixOf(fake), baseUrl: CLOSED_ADDRESS };
    const partners = profile.partners.map((partner) => ({ ...partner, accessToken: 't' }));
    const result = await load(fake, { profile: { ...profile, partners }, ...model });
    const { shapes = [], achieved } = result;
    expect(shapes.map(({ ok }) => ok)).toEqual([0, 0]);
    expect(shapes.reduce((sum, { failed }) => sum + failed, 0)).toBe(achieved.failed);
    expect(Math.min(...shapes.map(({ failed }) => failed))).toBeGreaterThan(0);
  });
});

describe('the native engine, closed model', { timeout: LIMIT }, () => {
  it('keeps its connections, and sends the next request when the answer is there', async () => {
    let most = 0;
    let now = 0;
    fake = await startFakeTarget({
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
    fake = await startFakeTarget();
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
    fake = await startFakeTarget({
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
    const url = await startRaw((socket, count) =>
      socket.write(
        count % 4 === 0 ? ANSWER : 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\n[]',
      ),
    );
    const result = await load(url, { connections: 2, thresholds: ['errors<50%'] });
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
    const url = await startRaw(() => undefined);
    const result = await load(url, { connections: 2, timeoutMs: 200 });
    expectConsistent(result);
    expect(Object.keys(result.errors)).toEqual(['timeout']);
    expect(result.latencyUs.service.min).toBeGreaterThanOrEqual(200_000);
  });

  it('counts a refused connection, and does not try again at once', async () => {
    const result = await load(CLOSED_ADDRESS, { connections: 2 });
    expectConsistent(result);
    expect(Object.keys(result.errors)).toEqual(['ECONNREFUSED']);
    expect(result.achieved.sent).toBe(0);
    expect(result.achieved.planned).toBeLessThan(20);
  });

  it('reads an answer that lasts until the connection ends', async () => {
    const url = await startRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n[]'));
    const result = await load(url, { connections: 1 });
    expectConsistent(result);
    expect(result.achieved.failed).toBe(0);
    expect(result.achieved.ok).toBeGreaterThan(1);
  });

  it.each([
    ['bytes behind the body', '12345678'],
    ['another answer', ANSWER],
  ])('counts %s in the same breath as a failure of the request', async (_case, stray) => {
    const url = await startRaw((socket) => socket.write(ANSWER + stray));
    const result = await load(url, { connections: 1 });
    expectConsistent(result);
    expect(result.achieved.ok).toBe(0);
    expect(result.statuses).toEqual({ 200: result.achieved.sent });
    expect(result.errors).toEqual({ 'unexpected-bytes': result.achieved.failed });
    expect(result.verdict).not.toBe('held');
    expect(result.notes?.[0]).toContain(`no answer came ${result.achieved.failed} times`);
    expect(raw?.sockets.size).toBeGreaterThan(1);
  });
});

describe('the native engine, open model', { timeout: LIMIT }, () => {
  it('sends exactly what is planned', async () => {
    fake = await startFakeTarget();
    const result = await load(fake, { rate: 400, durationMs: 500, warmupMs: 100 });
    expectConsistent(result);
    expect(result.model).toBe('open');
    expect(result.achieved).toMatchObject({ planned: 200, sent: 200, ok: 200, failed: 0 });
    expect(fake.paths).toHaveLength(240);
    expect(new Set(fake.paths).size).toBeGreaterThan(200);
  });

  it.each([
    ['before the first request', 'connection', 10],
    ['a while after the answer', 'answer', 10],
    ['once the second of the answer was told', 'answer', 1500],
  ])('takes a success back for bytes that come %s', async (_case, when, afterMs) => {
    const isLate = afterMs > 1000;
    // No other request is due before these bytes have come and ended the connection.
    const clock = new PausableClock(systemClock());
    const pauseUntilClosed = (socket: Socket): void => {
      clock.pause();
      socket.once('close', () => clock.resume());
    };
    const url = await startRaw((socket) => {
      if (!isLate) pauseUntilClosed(socket);
      socket.write(ANSWER);
      if (when === 'answer') setTimeout(() => socket.write('12345678'), afterMs);
    });
    raw?.server.on('connection', (socket) => {
      if (when !== 'connection') return;
      pauseUntilClosed(socket);
      socket.write(ANSWER);
    });
    const options = isLate ? { rate: 0.5, durationMs: 4000 } : { rate: 10 };
    const result = await load(url, { ...options, clock });
    expectConsistent(result);
    expect(result.errors['unexpected-bytes']).toBeGreaterThan(0);
    expect(result.achieved.ok).toBeLessThanOrEqual(1);
    expect(result.achieved.rate).toBeLessThanOrEqual(isLate ? 0.5 : 4);
    expect(result.series.every(({ rate }) => rate >= 0)).toBe(true);
  });

  it('ignores a 408 on an idle connection', async () => {
    const clock = new PausableClock(systemClock());
    const url = await startRaw((socket) => {
      clock.pause();
      socket.once('close', () => clock.resume());
      socket.write(ANSWER);
      setTimeout(() => socket.end('HTTP/1.1 408 Request Timeout\r\n\r\n'), 10);
    });
    const result = await load(url, { rate: 10, durationMs: 500, clock });
    expectConsistent(result);
    expect(result.errors).toEqual({});
    expect(result.notes).toBeUndefined();
    expect(raw?.sockets.size).toBeGreaterThan(1);
  });

  it('sends the same requests for the same seed, and others for another', async () => {
    const pathsOf = async (seed: number): Promise<string[]> => {
      fake = await startFakeTarget();
      await load(fake, { rate: 200, durationMs: 200, seed });
      const { paths } = fake;
      await fake.close();
      return paths.sort();
    };
    const first = await pathsOf(1);
    expect(await pathsOf(1)).toEqual(first);
    expect(await pathsOf(2)).not.toEqual(first);
  });

  it('counts the wait for a connection into response time, and not into service time', async () => {
    fake = await startFakeTarget({
      estimate: (_request, response) => setTimeout(() => response.end('[]'), 50),
    });
    // One connection takes 20 per second; 100 are due.
    const result = await load(fake, { rate: 100, connections: 1, durationMs: 400 });
    expectConsistent(result);
    expect(result.achieved).toMatchObject({ planned: 40, sent: 40, ok: 40 });
    expect(result.latencyUs.service.p99).toBeLessThan(result.latencyUs.response.p50);
    expect(result.latencyUs.response.max).toBeGreaterThan(1_200_000);
    expect(result.generator.sendLagUs?.p50).toBeLessThan(result.latencyUs.response.p50 / 10);
    expect(result.achieved.rate).toBeLessThan(30);
  });

  it('counts a request that cannot be sent in time as failed', async () => {
    const url = await startRaw(() => undefined);
    const result = await load(url, {
      rate: 100,
      connections: 1,
      durationMs: 200,
      timeoutMs: 300,
    });
    expectConsistent(result);
    expect(result.achieved.planned).toBe(20);
    expect(result.achieved.ok).toBe(0);
    expect(result.errors['unsent']).toBeGreaterThan(15);
    expect(result.latencyUs.response.min).toBeGreaterThanOrEqual(190_000);
  });

  it('opens connections as it needs them, within the bound', async () => {
    // Twenty at a time, so that as many connections are needed at any speed of the machine.
    const waiting: ServerResponse[] = [];
    fake = await startFakeTarget({
      estimate: (_request, response) => {
        if (waiting.push(response) < 20) return;
        for (const answer of waiting.splice(0)) answer.end('[]');
      },
    });
    let opened = 0;
    fake.server.on('connection', () => opened++);
    const result = await load(fake, { rate: 200, connections: 50, durationMs: 400 });
    expectConsistent(result);
    expect(result.achieved.failed).toBe(0);
    expect(opened - 1).toBeGreaterThanOrEqual(20);
    expect(opened - 1).toBeLessThanOrEqual(50);
  });

  it('charges a refused connection to the request it was opened for', async () => {
    const result = await load(CLOSED_ADDRESS, { rate: 100, durationMs: 200 });
    expectConsistent(result);
    expect(result.errors).toEqual({ ECONNREFUSED: 20 });
    expect(result.achieved).toMatchObject({ planned: 20, sent: 0 });
  });

  it('does not send on a connection that the server is about to close', async () => {
    fake = await startFakeTarget();
    fake.server.keepAliveTimeout = 1000;
    let opened = 0;
    fake.server.on('connection', () => opened++);
    const result = await load(fake, { rate: 1.25, durationMs: 900 });
    expectConsistent(result);
    expect(result.achieved).toMatchObject({ planned: 2, ok: 2 });
    expect(opened).toBe(1 + 2);
  });

  it('follows stages and ends with the same count over several generators', async () => {
    fake = await startFakeTarget();
    const stages = [
      { fromRate: 100, toRate: 100, durationMs: 200 },
      { fromRate: 0, toRate: 400, durationMs: 200 },
    ];
    const result = await load(fake, { stages, durationMs: undefined, workers: 3, connections: 9 });
    expectConsistent(result);
    expect(result.achieved).toMatchObject({ planned: 60, ok: 60 });
    expect(result.intended).toMatchObject({ rate: 150, durationS: 0.4 });
    expect(result.generator.workers).toBe(3);
  });

  it('returns what was measured when it is interrupted', async () => {
    const interrupt = new AbortController();
    const clock = new PausableClock(systemClock());
    // Once every request that is under way has its answer.
    const interruptAtRest = async (): Promise<void> => {
      clock.pause();
      for (let turns = 0; turns < 20; turns++) await turn();
      interrupt.abort();
    };
    fake = await startFakeTarget({
      estimate: (_request, response) => {
        response.end(ESTIMATE_BODY);
        if (fake?.paths.length === 20) void interruptAtRest();
      },
    });
    const options = { rate: 200, durationMs: 60_000, signal: interrupt.signal };
    const result = await load(fake, { ...options, clock });
    expectConsistent(result);
    expect(result.interrupted).toBe(true);
    expect(result.achieved.ok).toBeGreaterThan(0);
    expect(result.achieved.failed).toBe(0);
    expect(result.intended.durationS).toBe(60);
  });

  it('does not count requests due at the moment of an interruption', async () => {
    const interrupt = new AbortController();
    let nowNs = 0;
    // A tenth of real time: a generator that is woken late is hardly late by this clock.
    const ticks = setInterval(() => (nowNs += 1e5), 1);
    const interruptBetweenTurns = async (): Promise<void> => {
      clearInterval(ticks);
      for (let turns = 0; turns < 20; turns++) await turn();
      // The next request becomes due before the generator has had its turn.
      nowNs += 10.5e6;
      interrupt.abort();
    };
    fake = await startFakeTarget({
      estimate: (_request, response) => {
        response.end(ESTIMATE_BODY);
        if (fake?.paths.length === 5) void interruptBetweenTurns();
      },
    });
    const clock = { now: Date.now, monotonicNs: () => nowNs };
    const options = { rate: 100, durationMs: 60_000, signal: interrupt.signal };
    const result = await load(fake, { ...options, clock });
    expectConsistent(result);
    expect(result.errors).toEqual({});
    expect(result.achieved).toMatchObject({ planned: 6, sent: 6, ok: 6 });
    expect(result.generator.reasons).toEqual([]);
  });

  it('ends early when a condition becomes true, and fails', async () => {
    fake = await startFakeTarget({
      estimate: (_request, response) => response.writeHead(500).end(),
    });
    const result = await load(fake, {
      rate: 500,
      durationMs: 60_000,
      abortOn: [parseThreshold('errors>5%', '--abort-on')],
    });
    expectConsistent(result);
    // The target shares this thread, so the generator may rightly be found late.
    expect(result.verdict).not.toBe('held');
    expect(result.achieved.planned).toBeLessThan(5000);
  });

  it('validates every answer if set to, and none with a share of 0', async () => {
    let count = 0;
    fake = await startFakeTarget({
      estimate: (_request, response) => {
        count++;
        response.end(
          count % 4 === 0
            ? '[{"estimate_price":"cheap"}]'
            : count % 4 === 1
              ? 'no token-1'
              : ESTIMATE_BODY,
        );
      },
    });
    const options = { rate: 200, durationMs: 200 };
    const checked = await load(fake, { ...options, validateShare: 1 });
    expectConsistent(checked);
    expect(checked.errors).toEqual({ 'answer-not-json': 10, 'answer-shape': 10 });
    expect(checked.statuses).toEqual({ 200: 40 });
    expect(checked.achieved.checked).toBe(40);
    expect(checked.faultSamples).toEqual([
      { fault: 'answer-not-json', problem: 'The body is not JSON.', body: 'no [redacted]' },
      {
        fault: 'answer-shape',
        problem: expect.stringMatching(/^\[0\]\.\w+: Invalid /),
        body: '[{"estimate_price":"cheap"}]',
      },
    ]);
    const unchecked = await load(fake, { ...options, validateShare: 0 });
    expect(unchecked.achieved).toMatchObject({ failed: 0, checked: 0 });
    expect(unchecked).not.toHaveProperty('faultSamples');
    expect(unchecked.thresholds).toMatchObject([{ observed: 0, held: true }]);
  });

  it('by default finds a target that answers 200 with a page, however short the run', async () => {
    fake = await startFakeTarget({
      estimate: (_request, response) => response.end('<!doctype html><title>Welcome</title>'),
    });
    const { achieved, errors, thresholds, notes } = await load(fake, {
      rate: 100,
      durationMs: 200,
    });
    expect(achieved).toMatchObject({ ok: 19, failed: 1, checked: 1 });
    expect(errors).toEqual({ 'answer-not-json': 1 });
    expect(thresholds).toMatchObject([
      { expression: 'errors<1%', isDefault: true, observed: 1, held: false },
    ]);
    expect(notes?.join(' ')).toContain('Of 1 answers with status 200 whose shape was checked, 1');
  });
});
