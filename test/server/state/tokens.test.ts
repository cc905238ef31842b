import { expect, it } from 'vitest';
import { cryptoRandom } from '../../../src/server/random.ts';
import { Partners } from '../../../src/server/state/partners.ts';
import { Tokens } from '../../../src/server/state/tokens.ts';

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
