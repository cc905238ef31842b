import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { runAutocannon } from '../../../../src/load/engine/autocannon/run.ts';
import {
  type LoadOptions,
  type LoadResult,
  type RunContext,
  runLoad,
  systemClock,
} from '../../../../src/load/index.ts';
import type { LoadPlan } from '../../../../src/load/plan.ts';
import { CLOSED_ADDRESS } from '../../../support/closed-address.ts';
import { faultsButCores } from '../../../support/judged-generators.ts';
import { unhurriedClock } from '../../../support/unhurried-clock.ts';
import { type FakeTarget, startFakeTarget } from '../../fake-target.ts';
import { ANSWER, type RawTarget, rawProfile, startRawTarget } from '../../raw-target.ts';
import { expectConsistent } from '../native/engine-run.ts';

let target: FakeTarget | undefined;
let raw: RawTarget | undefined;
afterEach(async () => {
  await target?.close();
  await raw?.close();
  [target, raw] = [undefined, undefined];
});

/** The timeout and the limit of a test only end a hang. */
const short = {
  clock: unhurriedClock(systemClock()),
  findFaults: faultsButCores,
  seed: 1,
  duration: '300ms',
  warmup: '100ms',
  timeout: '60s',
  connections: 2,
};

describe('runLoad with autocannon', () => {
  it('measures a closed run in microseconds, with one token', async () => {
    target = await startFakeTarget();
    const result = await runLoad({
      ledger: 'none',
      ...short,
      profile: target.profile,
      engine: 'autocannon',
      threshold: ['p99<60s', 'errors<1%'],
    });
    expect(result).toMatchObject({ kind: 'load', model: 'closed', engine: 'autocannon' });
    expect(result.verdict).toBe('held');
    expect(result.achieved.ok).toBeGreaterThan(0);
    expect(result.achieved.failed).toBe(0);
    expect(result.statuses).toEqual({ 200: result.achieved.ok });
    const { min, p50, max } = result.latencyUs.response;
    expect(min).toBeGreaterThan(0);
    // One of them may be a whole millisecond by chance.
    expect([min, p50, max].some((us) => us % 1000 !== 0)).toBe(true);
    expect(result.latencyUs.response.count).toBe(result.achieved.planned);
    expect(result.series.length).toBeGreaterThan(0);
    expect(target.tokenRequests).toHaveLength(1);
    expect(new Set(target.authorizations)).toEqual(new Set(['Bearer p-100|token-1']));
  });

  it('falls short where a threshold does not hold, and where nothing succeeds', async () => {
    target = await startFakeTarget({
      estimate: (_request, response) => response.writeHead(503).end(),
    });
    const result = await runLoad({
      ledger: 'none',
      ...short,
      profile: target.profile,
      engine: 'autocannon',
    });
    expect(result.verdict).toBe('fell-short');
    expect(result.achieved.ok).toBe(0);
    expect(result.errors).toEqual({ 'http-503': result.achieved.failed });
    expect(result.statuses).toEqual({ 503: result.achieved.failed });
  });

  it('refuses a rate, since it is closed-loop', async () => {
    target = await startFakeTarget();
    await expect(
      runLoad({
        ledger: 'none',
        ...short,
        profile: target.profile,
        engine: 'autocannon',
        rate: 100,
      }),
    ).rejects.toMatchObject({ code: 'ENGINE_CLOSED_ONLY' });
    expect(target.tokenRequests).toHaveLength(0);
  });

  it('says so when the token is refused or the target is not there', async () => {
    target = await startFakeTarget({ tokenStatus: 403 });
    const { profile } = target;
    await expect(runLoad({ ledger: 'none', ...short, profile })).rejects.toMatchObject({
      code: 'TOKEN_REFUSED',
    });
    await target.close();
    await expect(runLoad({ ledger: 'none', ...short, profile })).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
    });
  });
});

async function loadRaw(
  onRequest: (socket: Socket, count: number) => void,
  options: Partial<LoadOptions & RunContext> = {},
): Promise<LoadResult> {
  await raw?.close();
  raw = await startRawTarget(onRequest);
  const result = await runLoad({
    ledger: 'none',
    ...short,
    warmup: '0',
    profile: rawProfile(raw.url),
    engine: 'autocannon',
    ...options,
  });
  expectConsistent(result);
  return result;
}

describe('limitations of autocannon', () => {
  it('skips interim answers, and counts the answers after them', { tags: ['long'] }, async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    const answers: ((socket: Socket) => void)[] = [
      (socket) => socket.write(interim + ANSWER),
      (socket) => {
        socket.write(interim);
        setTimeout(() => socket.write(ANSWER), 5);
      },
      (socket) => socket.end(interim),
    ];
    const results: LoadResult[] = [];
    for (const answer of answers) results.push(await loadRaw(answer));
    const [whole, apart, cut] = results;
    for (const result of [whole!, apart!]) {
      expect(result.errors).toEqual({});
      expect(result.statuses).toEqual({ 200: result.achieved.ok });
      expect(result.achieved.ok).toBeGreaterThan(0);
    }
    expect(cut!.statuses).toEqual({});
    expect(Object.keys(cut!.errors)).toEqual(['closed-before-answer']);
  });

  it.each(['\t', ' \t', ''])('reads a length after %j', async (blank) => {
    const answer = `HTTP/1.1 200 OK\r\nContent-Length:${blank}2\r\n\r\n[]`;
    const { errors, achieved, series } = await loadRaw((socket) => void socket.write(answer));
    expect(errors).toEqual({});
    expect(achieved.ok).toBeGreaterThan(0);
    // By the second it is not known.
    expect(series[0]).not.toHaveProperty('sent');
  });

  const CUT = 'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n[';
  /** Once the other side has had time to read everything. */
  const resetIn = (socket: Socket): void => {
    socket.write(CUT);
    setTimeout(() => socket.resetAndDestroy(), 10);
  };

  it.each<[string, string, (socket: Socket, count: number) => void]>([
    ['a reset in the body', 'ECONNRESET', (socket) => resetIn(socket)],
    ['a reset before the answer', 'ECONNRESET', (socket) => socket.resetAndDestroy()],
    ['an end in the body', 'closed-mid-answer', (socket) => socket.end(CUT)],
    ['an end before the answer', 'closed-before-answer', (socket) => socket.end()],
    ['no HTTP', 'malformed-answer', (socket) => socket.write('220 smtp.example.test\r\n')],
    [
      'a refusal',
      'http-429',
      (socket) => socket.write('HTTP/1.1 429 No\r\nContent-Length: 0\r\n\r\n'),
    ],
  ])('%s is a failure by its kind, and no success', async (_case, kind, onRequest) => {
    const result = await loadRaw(onRequest);
    expect(result.achieved.ok).toBe(0);
    expect(result.achieved.sent).toBe(result.achieved.planned);
    expect(result.achieved.planned).toBeGreaterThan(1);
    expect(Object.keys(result.errors)).toEqual([kind]);
    expect(result.verdict).not.toBe('held');
  });

  it('reads whole answers after broken ones', async () => {
    const result = await loadRaw((socket, count) => {
      if (count % 2 === 0) socket.write(ANSWER);
      else resetIn(socket);
    });
    expect(result.errors).toEqual({ ECONNRESET: result.achieved.failed });
    expect(Math.abs(result.achieved.ok - result.achieved.failed)).toBeLessThanOrEqual(2);
    expect(result.statuses).toEqual({ 200: result.achieved.ok });
  });

  it('an answer that lasts until the connection ends is whole', async () => {
    const result = await loadRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n[]'));
    expect(result.achieved.failed).toBe(0);
    expect(result.achieved.ok).toBeGreaterThan(2);
    expect(raw?.sockets.size).toBeGreaterThanOrEqual(result.achieved.ok);
  });

  it('so are those with a new connection for each request', async () => {
    const result = await loadRaw((socket) => socket.write(ANSWER), { newConnections: true });
    expect(result.achieved.failed).toBe(0);
    expect(result.achieved.ok).toBeGreaterThan(2);
    expect(raw?.sockets.size).toBeGreaterThanOrEqual(result.achieved.ok);
  });

  it('an extra answer fails its request', async () => {
    const result = await loadRaw((socket) => socket.write(ANSWER + ANSWER));
    expect(result.errors['unexpected-bytes']).toBeGreaterThan(0);
    expect(result.notes?.[0]).toContain('Bytes that belong to no response');
  });

  it('a hung answer is a timeout, with what it cost', { tags: ['long'] }, async () => {
    // The run ends once a connection was given up, whenever the machine let it open.
    const interrupt = new AbortController();
    const result = await loadRaw((socket) => void socket.once('close', () => interrupt.abort()), {
      duration: '60s',
      timeout: '1s',
      clock: systemClock(),
      signal: interrupt.signal,
    });
    const { timeout = 0, unanswered = 0, ...others } = result.errors;
    expect([timeout + unanswered, others]).toEqual([result.achieved.sent, {}]);
    expect(timeout).toBeGreaterThan(0);
    expect(result.latencyUs.all?.max).toBeGreaterThan(900_000);
  });

  it('a refused connection sends nothing', async () => {
    const profile = rawProfile(CLOSED_ADDRESS);
    const result = await runLoad({
      ledger: 'none',
      ...short,
      warmup: '0',
      profile,
      engine: 'autocannon',
    });
    expectConsistent(result);
    expect(Object.keys(result.errors)).toEqual(['ECONNREFUSED']);
    expect(result.achieved.sent).toBe(0);
    expect(result.verdict).not.toBe('held');
  });

  it('a request in flight at an interruption is unanswered', { tags: ['long'] }, async () => {
    const interrupt = new AbortController();
    const result = await loadRaw((_socket, count) => count === 2 && interrupt.abort(), {
      duration: '60s',
      signal: interrupt.signal,
    });
    expect(result).toMatchObject({ interrupted: true, errors: { unanswered: 2 } });
    expect(result.achieved).toMatchObject({ planned: 2, sent: 2, ok: 0 });
  });

  it('an answer within the grace of an interruption counts', async () => {
    const interrupt = new AbortController();
    const result = await loadRaw(
      (socket, count) => {
        if (count === 2) interrupt.abort();
        setTimeout(() => socket.write(ANSWER), 100);
      },
      { duration: '60s', signal: interrupt.signal },
    );
    expect(result.achieved).toMatchObject({ planned: 2, ok: 2 });
    expect(result.errors).toEqual({});
  });
});

describe('an option that autocannon does not support', () => {
  it.each([500, 1500])(
    'is refused before a token is spent: a timeout of %d ms',
    async (timeoutMs) => {
      target = await startFakeTarget();
      const { profile } = target;
      await expect(
        runLoad({
          ledger: 'none',
          ...short,
          profile,
          engine: 'autocannon',
          timeout: `${timeoutMs}ms`,
        }),
      ).rejects.toMatchObject({ name: 'ConfigurationError', code: 'ENGINE_LACKS_OPTION' });
      expect(target.tokenRequests).toHaveLength(0);
    },
  );

  it('is refused with the message of autocannon', async () => {
    const plan: LoadPlan = {
      model: 'closed',
      arrivals: 'constant',
      stages: [],
      warmupMs: 0,
      durationMs: 100,
      connections: 0,
      timeoutMs: 1000,
      stallUs: 10_000,
      newConnections: false,
      validateShare: 0,
      seed: 1,
      address: {
        host: '127.0.0.1',
        port: 1,
        tls: null,
        hostHeader: 'x',
        pathPrefix: '',
        secure: false,
      },
      headers: {},
      generators: 1,
    };
    const clock = systemClock();
    const onUpdate = () => undefined;
    const running = runAutocannon(
      { plan, requests: [], accessToken: 't', clock, onUpdate },
      clock.monotonicNs(),
      new AbortController().signal,
    );
    await expect(running).rejects.toMatchObject({
      name: 'ConfigurationError',
      code: 'ENGINE_REFUSES',
      message: expect.stringContaining('connections can not be less than 1'),
    });
  });
});
