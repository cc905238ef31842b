import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/load/engine/engine.ts';
import { resolveTarget } from '../../../src/load/target-address.ts';
import { TokenKeeper } from '../../../src/load/tokens/keeper.ts';
import { type FakeTarget, startFakeTarget } from '../fake-target.ts';

let fake: FakeTarget | undefined;
afterEach(() => fake?.close());

const engine = (replacesTokens: boolean): Engine =>
  ({ name: 'an engine', can: { replacesTokens } }) as unknown as Engine;

/** Takes a token that lives as long as given, by a clock that is moved. */
async function keeperOf(expiresInSeconds: number) {
  fake = await startFakeTarget({ expiresInSeconds });
  const { profile, tokenRequests } = fake;
  const clock = { nowMs: 1_700_000_000_000, now: () => clock.nowMs, monotonicNs: () => 0 };
  const keeper = await TokenKeeper.take({
    profile,
    address: resolveTarget(profile),
    partners: profile.partners,
    identity: 'platform',
    clock,
    seed: 1,
    allowance: null,
  });
  return { keeper, clock, grants: () => tokenRequests.map(({ grant_type }) => grant_type) };
}

describe('a token', () => {
  it.each([
    // A fifth of the life.
    [100, 80],
    // A minute, where that is less.
    [1000, 940],
  ])('that lives for %i s outlasts a run of %i s, and no longer one', async (lifeS, usableS) => {
    const { keeper, grants } = await keeperOf(lifeS);
    await keeper.prepare(usableS * 1000, engine(false));
    expect(grants()).toEqual(['client_credentials']);
    await expect(keeper.prepare(usableS * 1000 + 1, engine(false))).rejects.toMatchObject({
      code: 'TOKEN_TOO_SHORT',
    });
  });

  it('is replaced before a run once its margin is reached, and not before', async () => {
    const { keeper, clock, grants } = await keeperOf(100);
    clock.nowMs += 79_999;
    await keeper.prepare(10_000, engine(true));
    expect(grants()).toEqual(['client_credentials']);
    clock.nowMs += 1;
    await keeper.prepare(10_000, engine(true));
    expect(grants()).toEqual(['client_credentials', 'refresh_token']);
    expect(keeper.current.value).toBe('token-2');
  });
});
