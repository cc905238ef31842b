import { afterEach, expect, it } from 'vitest';
import { resolveTarget } from '../../../src/load/target-address.ts';
import { firstToken } from '../../../src/load/tokens/access-token.ts';
import type { Allowance } from '../../../src/spending/index.ts';
import { type FakeTarget, startFakeTarget } from '../fake-target.ts';

let fake: FakeTarget | undefined;
afterEach(() => fake?.close());

/** Message of a refused token request to a target of which earlier runs may have used the allowances up. */
async function refusedWith(body: string, aheadMs = 0): Promise<string> {
  fake = await startFakeTarget({ tokenStatus: 401, tokenText: () => body });
  const { profile } = fake;
  const allowance: Allowance = {
    left: async () => 1,
    spend: async () => undefined,
    spendCode: async () => 'code',
    accepted: async () => undefined,
    refused: async () => true,
  };
  const source = {
    profile,
    address: resolveTarget(profile),
    partner: profile.partners[0]!,
    clock: { now: () => Date.now() + aheadMs, monotonicNs: () => 0 },
    seed: 1,
    allowance,
  };
  const error: unknown = await firstToken(source, 'platform').catch((one: unknown) => one);
  return (error as Error).message;
}

it('a refused token request never contradicts the answer that it quotes', async () => {
  const ofKey = await refusedWith('{"message":"the signature is wrong"}');
  expect(ofKey).toContain('the signature is wrong');
  expect(ofKey).toContain('Check partner id, signingKey');
  expect(ofKey).not.toContain('used up');
  await fake?.close();
  expect(await refusedWith('the quota is exceeded')).toContain('its allowances are used up');
});

it('a clock that is far off is named', async () => {
  const message = await refusedWith('no', 15 * 60_000);
  expect(message).toMatch(/15 minutes behind this machine's.* Set the clock that is wrong\.$/);
});
