import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type LoadResult, systemClock } from '../../../../src/load/index.ts';
import { CLOSED_ADDRESS } from '../../../support/closed-address.ts';
import { PausableClock } from '../../../support/pausable-clock.ts';
import { ESTIMATE_BODY } from '../../fake-target.ts';
import { ANSWER } from '../../raw-target.ts';
import { closeTargets, expectConsistent, load, startFake, startRaw } from './engine-run.ts';

afterEach(closeTargets);

describe('the native engine, open model', () => {
  it('sends exactly what is planned', async () => {
    const fake = await startFake();
    const result = await load(fake, { rate: 400, duration: '500ms', warmup: '100ms' });
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
  ])(
    'takes a success back for bytes that come %s',
    { tags: ['long'] },
    async (_case, when, afterMs) => {
      const isLate = afterMs > 1000;
      // No other request is due before these bytes have come and ended the connection.
      const clock = new PausableClock(systemClock());
      const pauseUntilClosed = (socket: Socket): void => {
        clock.pause();
        socket.once('close', () => clock.resume());
      };
      const target = await startRaw((socket) => {
        if (!isLate) pauseUntilClosed(socket);
        socket.write(ANSWER);
        if (when === 'answer') setTimeout(() => socket.write('12345678'), afterMs);
      });
      target.server.on('connection', (socket) => {
        if (when !== 'connection') return;
        pauseUntilClosed(socket);
        socket.write(ANSWER);
      });
      const options = isLate ? { rate: 0.5, duration: '4s' } : { rate: 10 };
      const result = await load(target, { ...options, clock });
      expectConsistent(result);
      expect(result.errors['unexpected-bytes']).toBeGreaterThan(0);
      expect(result.achieved.ok).toBeLessThanOrEqual(1);
      expect(result.achieved.rate).toBeLessThanOrEqual(isLate ? 0.5 : 4);
      expect(result.series.every(({ rate }) => rate >= 0)).toBe(true);
    },
  );

  it('ignores a 408 on an idle connection', { tags: ['long'] }, async () => {
    const clock = new PausableClock(systemClock());
    const target = await startRaw((socket) => {
      clock.pause();
      socket.once('close', () => clock.resume());
      socket.write(ANSWER);
      setTimeout(() => socket.end('HTTP/1.1 408 Request Timeout\r\n\r\n'), 10);
    });
    const result = await load(target, { rate: 10, duration: '500ms', clock });
    expectConsistent(result);
    expect(result.errors).toEqual({});
    expect(result.notes).toBeUndefined();
    expect(target.sockets.size).toBeGreaterThan(1);
  });

  it('sends the same requests for the same seed, and others for another', {
    tags: ['long'],
  }, async () => {
    const pathsOf = async (seed: number): Promise<string[]> => {
      const fake = await startFake();
      await load(fake, { rate: 200, duration: '200ms', seed });
      const { paths } = fake;
      await fake.close();
      return paths.sort();
    };
    const first = await pathsOf(1);
    expect(await pathsOf(1)).toEqual(first);
    expect(await pathsOf(2)).not.toEqual(first);
  });

  it('counts the wait for a connection into response time, and not into service time', async () => {
    const fake = await startFake({
      estimate: (_request, response) => setTimeout(() => response.end('[]'), 50),
    });
    // One connection takes 20 per second; 100 are due.
    const result = await load(fake, { rate: 100, connections: 1, duration: '400ms' });
    expectConsistent(result);
    expect(result.achieved).toMatchObject({ planned: 40, sent: 40, ok: 40 });
    expect(result.latencyUs.service.p99).toBeLessThan(result.latencyUs.response.p50);
    expect(result.latencyUs.response.max).toBeGreaterThan(1_200_000);
    expect(result.generator.sendLagUs?.p50).toBeLessThan(result.latencyUs.response.p50 / 10);
    expect(result.achieved.rate).toBeLessThan(30);
  });

  it('counts a request that cannot be sent in time as failed', async () => {
    const target = await startRaw(() => undefined);
    const result = await load(target, {
      rate: 100,
      connections: 1,
      duration: '200ms',
      timeout: '300ms',
    });
    expectConsistent(result);
    expect(result.achieved.planned).toBe(20);
    expect(result.achieved.ok).toBe(0);
    expect(result.errors['unsent']).toBeGreaterThan(15);
    expect(result.latencyUs.all?.min).toBeGreaterThanOrEqual(190_000);
  });

  it('opens connections as it needs them, within the bound', async () => {
    // Twenty at a time, so that as many connections are needed at any speed of the machine.
    const waiting: ServerResponse[] = [];
    const fake = await startFake({
      estimate: (_request, response) => {
        if (waiting.push(response) < 20) return;
        for (const answer of waiting.splice(0)) answer.end('[]');
      },
    });
    let opened = 0;
    fake.server.on('connection', () => opened++);
    const result = await load(fake, { rate: 200, connections: 50, duration: '400ms' });
    expectConsistent(result);
    expect(result.achieved.failed).toBe(0);
    expect(opened - 1).toBeGreaterThanOrEqual(20);
    expect(opened - 1).toBeLessThanOrEqual(50);
  });

  it('charges a refused connection to the request it was opened for', async () => {
    const result = await load(CLOSED_ADDRESS, { rate: 100, duration: '200ms' });
    expectConsistent(result);
    expect(result.errors).toEqual({ ECONNREFUSED: 20 });
    expect(result.achieved).toMatchObject({ planned: 20, sent: 0 });
  });

  it('does not send on a connection that the server is about to close', {
    tags: ['long'],
  }, async () => {
    const fake = await startFake();
    fake.server.keepAliveTimeout = 1000;
    let opened = 0;
    fake.server.on('connection', () => opened++);
    const result = await load(fake, { rate: 1.25, duration: '900ms' });
    expectConsistent(result);
    expect(result.achieved).toMatchObject({ planned: 2, ok: 2 });
    expect(opened).toBe(1 + 2);
  });

  it('follows stages and ends with the same count over several generators', async () => {
    const fake = await startFake();
    const stages = '100/200ms,0-400/200ms';
    const result = await load(fake, { stages, duration: undefined, workers: 3, connections: 9 });
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
    const fake = await startFake({
      estimate: (_request, response) => {
        response.end(ESTIMATE_BODY);
        if (fake?.paths.length === 20) void interruptAtRest();
      },
    });
    const options = { rate: 200, duration: '60s', signal: interrupt.signal };
    const result = await load(fake, { ...options, clock });
    expectConsistent(result);
    expect(result.interrupted).toBe(true);
    expect(result.achieved.ok).toBeGreaterThan(0);
    expect(result.achieved.failed).toBe(0);
    expect(result.intended.durationS).toBe(60);
  });

  /** Interrupts a run at 100/s, as many ms after its last turn as given: what is due by then waits. */
  async function interruptedAfter(waitMs: number): Promise<LoadResult> {
    const interrupt = new AbortController();
    let nowNs = 0;
    // A tenth of real time: a generator that is woken late is hardly late by this clock.
    const ticks = setInterval(() => (nowNs += 1e5), 1);
    const interruptBetweenTurns = async (): Promise<void> => {
      clearInterval(ticks);
      for (let turns = 0; turns < 20; turns++) await turn();
      nowNs += waitMs * 1e6;
      interrupt.abort();
    };
    const fake = await startFake({
      estimate: (_request, response) => {
        response.end(ESTIMATE_BODY);
        if (fake?.paths.length === 5) void interruptBetweenTurns();
      },
    });
    const clock = { now: Date.now, monotonicNs: () => nowNs };
    const options = { rate: 100, duration: '60s', signal: interrupt.signal };
    const result = await load(fake, { ...options, clock });
    expectConsistent(result);
    return result;
  }

  it('does not count requests due at the moment of an interruption', {
    tags: ['long'],
  }, async () => {
    const result = await interruptedAfter(10.5);
    expect(result.errors).toEqual({});
    expect(result.achieved).toMatchObject({ planned: 6, sent: 6, ok: 6 });
    expect(result.generator.reasons).toEqual([]);
  });

  it.each([
    { waitMs: 40.5, errors: {} },
    { waitMs: 400.5, errors: { unsent: 29 } },
  ])('gives up only what has waited over 100 ms at an interruption: %j', async (given) => {
    expect((await interruptedAfter(given.waitMs)).errors).toEqual(given.errors);
  });

  /** Holds the generator up for a while, after its fifth request, at 100 requests a second. */
  async function heldUpFor(ms: number, options: Parameters<typeof load>[1], status = 200) {
    let nowNs = 0;
    let stepNs = 5e5;
    const ticks = setInterval(() => (nowNs += stepNs), 1);
    const holdUp = async (): Promise<void> => {
      stepNs = 0;
      for (let turns = 0; turns < 20; turns++) await turn();
      nowNs += ms * 1e6;
      stepNs = 1e6;
    };
    const fake = await startFake({
      estimate: (_request, response) => {
        const count = fake?.paths.length ?? 0;
        response.statusCode = count > 5 && count <= 5 + ms / 10 ? status : 200;
        response.end(ESTIMATE_BODY);
        if (count === 5) void holdUp();
      },
    });
    const clock = { now: Date.now, monotonicNs: () => nowNs };
    const result = await load(fake, { rate: 100, duration: '450ms', ...options, clock });
    clearInterval(ticks);
    expectConsistent(result);
    return result;
  }

  it('counts what it leaves unsent though a connection is free', async () => {
    const result = await heldUpFor(400.5, { timeout: '100ms', connections: 1 });
    const { unsent = 0 } = result.errors;
    expect(unsent).toBeGreaterThan(20);
    expect(result.generator.reasons).toContain(`The generator left ${unsent} due requests unsent.`);
    expect(result).toMatchObject({ verdict: 'invalid', invalidBy: 'standstill' });
  });

  it('blames no target for requests that it sent in a burst', async () => {
    const result = await heldUpFor(205, { threshold: ['errors<1%'] }, 500);
    expect(result.errors['http-500']).toBeGreaterThan(10);
    expect(result.thresholds).toMatchObject([{ held: false, judged: false }]);
    expect(result.reason).toContain('sent in a burst after it, miss errors<1%');
  });

  it('ends early when a condition becomes true, and fails', { tags: ['long'] }, async () => {
    const fake = await startFake({
      estimate: (_request, response) => response.writeHead(500).end(),
    });
    const result = await load(fake, {
      rate: 500,
      duration: '60s',
      abortOn: ['errors>5%'],
    });
    expectConsistent(result);
    // The target shares this thread, so the generator may rightly be found late.
    expect(result.verdict).not.toBe('held');
    expect(result.achieved.planned).toBeLessThan(5000);
  });

  it('validates every answer if set to, and none with a share of 0', async () => {
    let count = 0;
    const fake = await startFake({
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
    const options = { rate: 200, duration: '200ms' };
    const checked = await load(fake, { ...options, validate: 1 });
    expectConsistent(checked);
    expect(checked.errors).toEqual({ 'answer-not-json': 10, 'answer-shape': 10 });
    expect(checked.statuses).toEqual({ 200: 40 });
    expect(checked.achieved.checked).toBe(40);
    expect(checked.faultSamples).toEqual([
      { fault: 'answer-not-json', problem: 'The body is not JSON.', body: 'no [access_token 1]' },
      {
        fault: 'answer-shape',
        problem: expect.stringMatching(/^\[0\]\.\w+: must be /),
        body: '[{"estimate_price":"cheap"}]',
      },
    ]);
    const unchecked = await load(fake, { ...options, validate: 0 });
    expect(unchecked.achieved).toMatchObject({ failed: 0, checked: 0 });
    expect(unchecked).not.toHaveProperty('faultSamples');
    expect(unchecked.thresholds).toMatchObject([{ observed: 0, held: true }]);
  });

  it('by default finds a target that answers 200 with a page, however short the run', async () => {
    const fake = await startFake({
      estimate: (_request, response) => response.end('<!doctype html><title>Welcome</title>'),
    });
    const { achieved, errors, thresholds, notes } = await load(fake, {
      rate: 100,
      duration: '200ms',
    });
    expect(achieved).toMatchObject({ ok: 19, failed: 1, checked: 1 });
    expect(errors).toEqual({ 'answer-not-json': 1 });
    expect(thresholds).toMatchObject([
      { expression: 'errors<1%', isDefault: true, observed: 1, held: false },
    ]);
    expect(notes?.join(' ')).toContain('Of 1 responses with status 200 whose shape was checked, 1');
  });
});
