import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type * as Load from '../../../../../src/load/index.ts';
import { compiledPackage } from '../../../../support/compiled.ts';
import { type FakeTarget, startFakeTarget } from '../../../fake-target.ts';

const compiled = compiledPackage();
let load: typeof Load;
let fake: FakeTarget | undefined;

beforeAll(async () => {
  load = await compiled.load<typeof Load>('load/index.js');
});
afterEach(() => fake?.close());

/** Only ends a hang, like the limit of a test. */
const TIMEOUT = '60s';

describe('generators in threads', () => {
  it('share one schedule without overlap, and merge into one record', {
    tags: ['long'],
  }, async () => {
    fake = await startFakeTarget();
    const result = await load.runLoad({
      ledger: 'none',
      profile: fake.profile,
      clock: load.systemClock(),
      seed: 3,
      rate: 600,
      workers: 4,
      connections: 16,
      duration: '500ms',
      warmup: '0',
      timeout: TIMEOUT,
    });
    expect(result.achieved).toMatchObject({ planned: 300, sent: 300, ok: 300 });
    expect(result.latencyUs.response.count).toBe(300);
    expect(result.generator.workers).toBe(4);
    expect(new Set(fake.paths).size).toBe(300);
    expect(result.series.reduce((total, { rate }) => total + rate, 0)).toBeGreaterThan(0);
    expect(fake.tokenRequests).toHaveLength(1);
  });

  it('run the closed model too, and end when they are interrupted', {
    tags: ['long'],
  }, async () => {
    fake = await startFakeTarget();
    const interrupt = new AbortController();
    const target = fake;
    const enough = setInterval(() => target.paths.length > 50 && interrupt.abort(), 20);
    const result = await load.runLoad({
      ledger: 'none',
      profile: fake.profile,
      clock: load.systemClock(),
      seed: 3,
      connections: 3,
      workers: 2,
      duration: '60s',
      warmup: '0',
      timeout: TIMEOUT,
      signal: interrupt.signal,
    });
    clearInterval(enough);
    expect(result.interrupted).toBe(true);
    expect(result.achieved.ok).toBeGreaterThan(0);
    // Requests in flight are waited for, by the machine's clock, for at most a second.
    expect(Object.keys(result.errors).filter((kind) => kind !== 'unanswered')).toEqual([]);
    expect(result.latencyUs.all?.count).toBe(result.achieved.planned);
  });
});
