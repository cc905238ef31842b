import { afterEach, describe, expect, it } from 'vitest';
import { ConfigurationError, sign } from '../../src/interface/index.ts';
import { type LoadOptions, runLoad, systemClock } from '../../src/load/index.ts';
import {
  ESTIMATE_BODY,
  type FakeBehaviour,
  type FakeTarget,
  startFakeTarget,
} from './fake-target.ts';

let fake: FakeTarget | undefined;
afterEach(() => fake?.close());

/** Refuses every estimate that does not carry the token issued last. */
function onlyNewest(): FakeBehaviour {
  return {
    expiresInSeconds: 1,
    estimate: (request, response) => {
      const newest = `token-${fake?.tokenRequests.length}`;
      setTimeout(() => {
        if (request.headers.authorization?.endsWith(`|${newest}`)) response.end(ESTIMATE_BODY);
        else response.writeHead(401).end();
      }, 5);
    },
  };
}

const run = (target: FakeTarget, options: Partial<LoadOptions> = {}) =>
  runLoad({
    profile: target.profile,
    clock: systemClock(),
    seed: 1,
    placement: 'inline',
    warmupMs: 0,
    durationMs: 300,
    timeoutMs: 1000,
    ...options,
  });

const grants = (target: FakeTarget): string[] =>
  target.tokenRequests.map(({ grant_type }) => grant_type ?? '');

describe('the token of a run', { timeout: 20_000 }, () => {
  it('is taken once, signed, and refreshed in time by its refresh_token, each sent once', async () => {
    fake = await startFakeTarget({ expiresInSeconds: 1 });
    const result = await run(fake, { rate: 100, durationMs: 1800 });
    expect(result.achieved).toMatchObject({ planned: 180, ok: 180 });
    expect(grants(fake)).toEqual(['client_credentials', 'refresh_token', 'refresh_token']);
    expect(fake.tokenRequests.slice(1).map(({ refresh_token }) => refresh_token)).toEqual([
      'refresh-1',
      'refresh-2',
    ]);
    expect(new Set(fake.authorizations)).toEqual(
      new Set(['Bearer p-100|token-1', 'Bearer p-100|token-2', 'Bearer p-100|token-3']),
    );
  });

  it.each([{ rate: 200 }, { connections: 4 }])(
    'of a user is replaced with nothing in flight, since only the newest is valid: %j',
    async (model) => {
      fake = await startFakeTarget(onlyNewest());
      const result = await run(fake, { ...model, identity: 'user', durationMs: 1200 });
      expect(grants(fake)).toEqual(['authorization_code', 'refresh_token']);
      expect(result.achieved.failed).toBe(0);
      expect(result.statuses).toEqual({ 200: result.achieved.planned });
      const bySecond = fake.authorizations.filter((value) => value.endsWith('|token-2'));
      expect(bySecond.length).toBeGreaterThan(10);
    },
  );

  it('of a user comes with a signature over the query', async () => {
    fake = await startFakeTarget();
    await run(fake, { identity: 'user', rate: 20 });
    expect(fake.paths.length).toBeGreaterThan(0);
    for (const [index, path] of fake.paths.entries()) {
      const pairs = Object.fromEntries(new URL(path, 'http://x').searchParams);
      expect(fake.authorizations[index]).toBe(`Bearer p-100|${sign(pairs, 'key')} openid|token-1`);
    }
  });

  it('is the profile’s own where it has one, and none is requested', async () => {
    fake = await startFakeTarget();
    const partners = fake.profile.partners.map((partner) => ({ ...partner, accessToken: 'own' }));
    const target = { ...fake, profile: { ...fake.profile, partners } };
    const result = await run(target, { rate: 50 });
    expect(result.achieved.failed).toBe(0);
    expect(fake.tokenRequests).toHaveLength(0);
    expect(new Set(fake.authorizations)).toEqual(new Set(['Bearer p-100|own']));
  });

  it('is not taken at all for a run that would need more refreshes than a day allows', async () => {
    fake = await startFakeTarget({ expiresInSeconds: 1 });
    const started = run(fake, { rate: 100, durationMs: 60_000 });
    await expect(started).rejects.toBeInstanceOf(ConfigurationError);
    await expect(started).rejects.toMatchObject({ code: 'TOKEN_TOO_SHORT' });
    expect(fake.paths).toHaveLength(0);
  });

  it('that cannot be refreshed is noted, and its refresh_token is not sent again', async () => {
    fake = await startFakeTarget({ expiresInSeconds: 1, refreshStatus: 403 });
    const result = await run(fake, { rate: 100, durationMs: 1800 });
    expect(grants(fake)).toEqual(['client_credentials', 'refresh_token']);
    expect(result.notes?.join(' ')).toContain('could not be refreshed');
    expect(result.notes?.join(' ')).not.toContain('refresh-1');
  });
});
