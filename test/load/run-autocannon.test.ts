import { afterEach, describe, expect, it } from 'vitest';
import { parseThreshold, runLoad, systemClock } from '../../src/load/index.ts';
import { type FakeTarget, startFakeTarget } from './fake-target.ts';
import { unhurriedClock } from './unhurried-clock.ts';

let target: FakeTarget | undefined;
afterEach(() => target?.close());

/** The timeout, and the limit of a test, end a hang; nothing is measured by them. */
const short = {
  clock: unhurriedClock(systemClock()),
  seed: 1,
  durationMs: 300,
  warmupMs: 100,
  timeoutMs: 60_000,
  connections: 2,
};

describe('runLoad with autocannon', { timeout: 120_000 }, () => {
  it('measures a closed run in microseconds, with one token', async () => {
    target = await startFakeTarget();
    const result = await runLoad({
      ...short,
      profile: target.profile,
      engine: 'autocannon',
      thresholds: [parseThreshold('p99<60s'), parseThreshold('errors<1%')],
    });
    expect(result).toMatchObject({ kind: 'load', model: 'closed', engine: 'autocannon' });
    expect(result.verdict).toBe('held');
    expect(result.achieved.ok).toBeGreaterThan(0);
    expect(result.achieved.failed).toBe(0);
    expect(result.statuses).toEqual({ 200: result.achieved.ok });
    expect(result.latencyUs.response.min).toBeGreaterThan(0);
    expect(result.latencyUs.response.min % 1000).not.toBe(0);
    expect(result.latencyUs.response.count).toBe(result.achieved.planned);
    expect(result.series.length).toBeGreaterThan(0);
    expect(target.tokenRequests).toHaveLength(1);
    expect(new Set(target.authorizations)).toEqual(new Set(['Bearer p-100|token-1']));
  });

  it('falls short where a threshold does not hold, and where nothing succeeds', async () => {
    target = await startFakeTarget({
      estimate: (_request, response) => response.writeHead(503).end(),
    });
    const result = await runLoad({ ...short, profile: target.profile, engine: 'autocannon' });
    expect(result.verdict).toBe('fell-short');
    expect(result.achieved.ok).toBe(0);
    expect(result.errors).toEqual({ 'http-503': result.achieved.failed });
    expect(result.statuses).toEqual({ 503: result.achieved.failed });
  });

  it('refuses a rate, since it is closed-loop', async () => {
    target = await startFakeTarget();
    await expect(
      runLoad({ ...short, profile: target.profile, engine: 'autocannon', rate: 100 }),
    ).rejects.toMatchObject({ code: 'ENGINE_CLOSED_ONLY' });
    expect(target.tokenRequests).toHaveLength(0);
  });

  it('says so when the token is refused or the target is not there', async () => {
    target = await startFakeTarget({ tokenStatus: 403 });
    const { profile } = target;
    await expect(runLoad({ ...short, profile })).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
    await target.close();
    await expect(runLoad({ ...short, profile })).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
    });
  });
});
