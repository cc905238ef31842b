import { afterEach, describe, expect, it } from 'vitest';
import { engineNamed } from '../../../../src/load/engine/engines.ts';
import {
  type LoadOptions,
  type RunContext,
  runLoad,
  systemClock,
} from '../../../../src/load/index.ts';
import { planLoad } from '../../../../src/load/plan-load.ts';
import { takeTokenFor } from '../../../../src/load/run-load.ts';
import { unhurriedClock } from '../../../support/unhurried-clock.ts';
import { type FakeBehaviour, type FakeTarget, startFakeTarget } from '../../fake-target.ts';

let fake: FakeTarget | undefined;
afterEach(() => fake?.close());

const engine = engineNamed('autocannon');

const optionsFor = (
  target: FakeTarget,
  options: Partial<LoadOptions & RunContext> = {},
): LoadOptions & RunContext => ({
  profile: target.profile,
  clock: unhurriedClock(systemClock()),
  seed: 1,
  engine: 'autocannon',
  as: 'user',
  connections: 2,
  warmup: '0',
  timeout: '1s',
  ...options,
});

const grants = (): (string | undefined)[] | undefined =>
  fake?.tokenRequests.map(({ grant_type }) => grant_type);

describe('the token of a run of an engine that cannot replace it', () => {
  it.each([{ timeout: '5s' }, { timeout: '1s' }])(
    'is refused before the load where it would have to be replaced during it: %j',
    async ({ timeout }) => {
      fake = await startFakeTarget({ expiresInSeconds: 20 });
      const given = { duration: '17s', warmup: '1s', timeout };
      await expect(runLoad(optionsFor(fake, given))).rejects.toMatchObject({
        name: 'ConfigurationError',
        code: 'TOKEN_TOO_SHORT',
        message: expect.stringMatching(
          /live for 20 s, autocannon cannot replace one .*Shorten duration, use engine native, or/,
        ),
      });
      expect(fake.paths).toHaveLength(0);
      expect(grants()).toEqual(['authorization_code']);
    },
  );

  it('serves a run that it outlives, and is not refreshed', async () => {
    fake = await startFakeTarget({ expiresInSeconds: 20 });
    const { achieved, statuses } = await runLoad(optionsFor(fake, { duration: '200ms' }));
    expect(statuses).toEqual({ 200: achieved.ok });
    expect(achieved.failed).toBe(0);
    expect(grants()).toEqual(['authorization_code']);
  });

  /** A token of 20 s that is 10 s old; a run can use it for 16 s in total. */
  async function agedToken(behaviour: FakeBehaviour = {}) {
    fake = await startFakeTarget({ expiresInSeconds: 20, ...behaviour });
    const start = 1_800_000_000_000;
    let nowMs = start;
    const clock = { now: () => nowMs, monotonicNs: () => nowMs * 1e6 };
    const tokens = await takeTokenFor(await planLoad(optionsFor(fake, { clock })));
    nowMs += 10_000;
    return tokens;
  }

  it('is refreshed between two runs, once it is too old for the next', async () => {
    const tokens = await agedToken();
    await tokens.prepare(6000, engine);
    expect(grants()).toEqual(['authorization_code']);
    await tokens.prepare(6001, engine);
    expect(grants()).toEqual(['authorization_code', 'refresh_token']);
    expect(tokens.current.value).toBe('token-2');
    await expect(tokens.prepare(16_001, engine)).rejects.toMatchObject({
      code: 'TOKEN_TOO_SHORT',
    });
    expect(grants()).toHaveLength(2);
  });

  it('ends the load where that refresh is refused, since the old one would not last', async () => {
    const tokens = await agedToken({ refreshStatus: 403 });
    await expect(tokens.prepare(12_000, engine)).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
  });
});
