import { describe, expect, it } from 'vitest';
import { cryptoRandom } from '../../../../src/server/service/random.ts';
import { ExpiringMap } from '../../../../src/server/service/state/maps.ts';
import { Partners } from '../../../../src/server/service/state/partners.ts';
import { Tokens } from '../../../../src/server/service/state/tokens.ts';

const LIFETIME_MS = 60_000;

describe('an expiring map', () => {
  it('stays close to the number of live entries', () => {
    const map = new ExpiringMap<{ expiresAtMs: number }>();
    let largest = 0;
    for (let nowMs = 0; nowMs < 100_000; nowMs++) {
      map.set(`key ${nowMs}`, { expiresAtMs: nowMs + 1_000 }, nowMs);
      largest = Math.max(largest, map.size);
    }
    expect(largest).toBeLessThan(4_000);
    expect(map.get('key 99999')).toBeDefined();
    expect(map.get('key 0')).toBeUndefined();
  });

  it('keeps every live entry', () => {
    const map = new ExpiringMap<{ expiresAtMs: number }>();
    for (let index = 0; index < 10_000; index++) {
      map.set(`key ${index}`, { expiresAtMs: index % 2 ? 1e9 : 0 }, index);
    }
    for (let index = 1; index < 10_000; index += 2) {
      expect(map.get(`key ${index}`)).toBeDefined();
    }
  });
});

describe('tokens', () => {
  const partner = new Partners().add('p', 'k', false);
  const request = { partner, userId: null, scope: 'public', refreshed: null };

  it('that expired long ago are forgotten, refresh tokens are not', () => {
    const tokens = new Tokens(LIFETIME_MS, cryptoRandom());
    const first = tokens.issue(request, 0);
    for (let index = 1; index <= 10_000; index++) tokens.issue(request, index * 1_000);
    expect(tokens.sizes.access).toBeLessThan(3_000);
    expect(tokens.findAccess(first.accessToken)).toBeUndefined();
    expect(tokens.findRefresh(first.refreshToken)).toBe(first.grant);
  });

  it.each([
    ['public', true],
    ['profile public', true],
    ['public profile', true],
    ['publicity', false],
    ['non-public profile', false],
    ['', false],
  ])('of the scope %j are public: %s', (scope, isPublic) => {
    const { grant } = new Tokens(LIFETIME_MS, cryptoRandom()).issue({ ...request, scope }, 0);
    expect(grant.isPublic).toBe(isPublic);
  });

  it('used refresh tokens are remembered up to a bound', () => {
    const tokens = new Tokens(LIFETIME_MS, cryptoRandom());
    const first = tokens.issue(request, 0);
    tokens.useRefresh(first.refreshToken);
    expect(tokens.findUsedRefresh(first.refreshToken)).toBe(first.grant);
    for (let index = 0; index < 10_001; index++) {
      tokens.useRefresh(tokens.issue(request, 0).refreshToken);
    }
    expect(tokens.sizes).toMatchObject({ refresh: 0, usedRefresh: 10_000 });
    expect(tokens.findRefresh(first.refreshToken)).toBeUndefined();
  });
});
