import { describe, expect, it } from 'vitest';
import { cryptoRandom } from '../../../../src/server/service/random.ts';
import { Partners } from '../../../../src/server/service/state/partners.ts';
import { Tokens } from '../../../../src/server/service/state/tokens.ts';

const LIFETIME_MS = 60_000;
const partner = new Partners().add('p', 'k', false);
const request = { partner, userId: null, scope: 'public', refreshed: null };

it('an expired token is known for ten minutes more, so that its refusal can say so', () => {
  const tokens = new Tokens(LIFETIME_MS, cryptoRandom());
  const { grant } = tokens.issue(request, 0);
  for (let count = 0; count < 2000; count++) tokens.issue(request, LIFETIME_MS + 9 * 60_000);
  expect(tokens.findAccess(grant.accessToken)).toBe(grant);
  for (let count = 0; count < 2000; count++) tokens.issue(request, LIFETIME_MS + 10 * 60_000);
  expect(tokens.findAccess(grant.accessToken)).toBeUndefined();
});

it('a platform token outlives its refresh, unless told otherwise', () => {
  const tokens = new Tokens(LIFETIME_MS, cryptoRandom());
  const { grant } = tokens.issue(request, 0);
  tokens.issue({ ...request, refreshed: grant }, 0);
  expect(grant.superseded).toBe(false);
});

it('an unknown refresh_token is not remembered as used', () => {
  const tokens = new Tokens(LIFETIME_MS, cryptoRandom());
  tokens.useRefresh('unknown');
  expect(tokens.sizes).toEqual({ access: 0, refresh: 0, usedRefresh: 0 });
});

describe('access tokens of another process', () => {
  const record = {
    partnerIndex: 0,
    userId: 'u',
    scope: 'rides.read public',
    accessToken: 'copied',
    accessExpiresAtMs: 5000,
  };

  it('are copied with their rights and their expiry, and without a refresh_token', () => {
    const tokens = new Tokens(LIFETIME_MS, cryptoRandom());
    tokens.copy(record, partner, 1000);
    expect(tokens.findAccess('copied')).toMatchObject({
      partner,
      userId: 'u',
      scope: 'rides.read public',
      isPublic: true,
      accessExpiresAtMs: 5000,
      superseded: false,
    });
    expect(tokens.sizes).toEqual({ access: 1, refresh: 0, usedRefresh: 0 });
  });

  it('are replaced when told, one that is not here without a trace', () => {
    const tokens = new Tokens(LIFETIME_MS, cryptoRandom());
    tokens.copy(record, partner, 1000);
    tokens.supersede('another');
    expect(tokens.findAccess('copied')?.superseded).toBe(false);
    tokens.supersede('copied');
    expect(tokens.findAccess('copied')?.superseded).toBe(true);
    expect(tokens.sizes.access).toBe(1);
  });

  it('are those to copy that are valid at that time', () => {
    const tokens = new Tokens(LIFETIME_MS, cryptoRandom());
    tokens.issue({ ...request, accessToken: 'first' }, 0);
    tokens.issue({ ...request, accessToken: 'second' }, 1000);
    for (const accessToken of ['old', 'new']) {
      tokens.issue({ ...request, userId: 'u', accessToken }, 2000);
    }
    const validAt = (nowMs: number): string[] =>
      [...tokens.valid(nowMs)].map(({ accessToken }) => accessToken).sort();
    expect(validAt(LIFETIME_MS - 1)).toEqual(['first', 'new', 'second']);
    expect(validAt(LIFETIME_MS)).toEqual(['new', 'second']);
    expect(validAt(LIFETIME_MS + 2000)).toEqual([]);
  });
});

it('an observer sees each token that begins, and each that a newer one replaces', () => {
  const succession = { refreshEnds: true, isNewestOfPartner: false };
  const tokens = new Tokens(LIFETIME_MS, cryptoRandom(), succession);
  const seen: string[] = [];
  tokens.observer = {
    admitted: ({ accessToken }) => seen.push(`${accessToken} begins`),
    superseded: ({ accessToken }) => seen.push(`${accessToken} is replaced`),
  };
  tokens.issue({ ...request, userId: 'u', accessToken: 'a' }, 0);
  tokens.issue({ ...request, userId: 'u', accessToken: 'b' }, 0);
  const { grant } = tokens.issue({ ...request, accessToken: 'c' }, 0);
  tokens.issue({ ...request, refreshed: grant, accessToken: 'd' }, 0);
  expect(seen).toEqual([
    'a begins',
    'b begins',
    'a is replaced',
    'c begins',
    'd begins',
    'c is replaced',
  ]);
});
