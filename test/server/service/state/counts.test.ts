import { describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../../../src/interface/default-behaviour.ts';
import { cryptoRandom } from '../../../../src/server/service/random.ts';
import {
  type Account,
  Allowances,
  allowanceRules,
} from '../../../../src/server/service/state/allowances.ts';
import { userOf } from '../../../../src/server/service/state/auth-codes.ts';
import { Partners } from '../../../../src/server/service/state/partners.ts';
import { Tokens } from '../../../../src/server/service/state/tokens.ts';
import { NOON } from '../../caller.ts';
import { refusalOf } from '../../refusal.ts';

const DAY_MS = 86_400_000;
const partners = new Partners();
const accounts = Array.from(
  { length: 3000 },
  (_, n): Account => ({ partner: partners.add(`p${n}`, 'k', false), kind: 'platform', userId: '' }),
);
const one = accounts[0] as Account;

describe('the count of an allowance', () => {
  it('is kept while other partners send requests', () => {
    const allowances = new Allowances(allowanceRules(DEFAULT_BEHAVIOUR));
    for (let sent = 0; sent < 10; sent++) allowances.spend(one, NOON);
    for (const account of accounts.slice(1)) allowances.spend(account, NOON);
    expect(allowances.isUsedUp(one, NOON)).toBe(true);
  });

  it('stays used up, if bans take no time', () => {
    const allowances = new Allowances({ ...allowanceRules(DEFAULT_BEHAVIOUR), banMs: 0 });
    for (let sent = 0; sent < 10; sent++) allowances.spend(one, NOON);
    for (let sent = 0; sent < 2; sent++) {
      expect(refusalOf(() => allowances.spend(one, NOON))?.condition).toBe('quota-exceeded');
    }
  });
});

it('bans are counted while they last, and their refusal names the rule', async () => {
  const allowances = new Allowances(allowanceRules(DEFAULT_BEHAVIOUR));
  expect(await allowances.countBans(NOON)).toBe(0);
  for (const account of accounts.slice(0, 3)) refusalOf(() => allowances.exceed(account, NOON));
  expect(await allowances.countBans(NOON + DAY_MS - 1)).toBe(3);
  expect(await allowances.countBans(NOON + DAY_MS)).toBe(0);
  const refusal = refusalOf(() => allowances.refuseBanned(one, NOON));
  expect(refusal?.detail).toEqual({ rule: 'quota/ban-lasts-24h' });
});

describe('tokens', () => {
  const request = { partner: one.partner, userId: null, scope: 'public', refreshed: null };

  it('are counted while they are valid, those of users apart', async () => {
    const tokens = new Tokens(60_000, cryptoRandom());
    const issue = (userId: string | null, nowMs: number) =>
      tokens.issue({ ...request, userId }, nowMs);
    const first = issue(null, 0);
    issue('u1', 0);
    issue('u1', 0);
    issue('u2', 0);
    issue(null, 1000);
    expect(await tokens.countValid(59_999)).toEqual({ platform: 2, user: 2 });
    expect(await tokens.countValid(60_000)).toEqual({ platform: 1, user: 0 });
    first.grant.family.ended = true;
    expect(await tokens.countValid(0)).toEqual({ platform: 1, user: 2 });
  });

  it('are all counted, however many there are', async () => {
    const tokens = new Tokens(60_000, cryptoRandom());
    for (let index = 0; index < 10_000; index++) tokens.issue(request, 0);
    expect(await tokens.countValid(0)).toEqual({ platform: 10_000, user: 0 });
  });

  it.each([
    [
      'a newer one of its user',
      { refreshEnds: false, isNewestOfPartner: false },
      [true, false, false],
    ],
    [
      'a newer one of its partner',
      { refreshEnds: false, isNewestOfPartner: true },
      [true, true, false],
    ],
  ])('of a user are superseded by %s', (_case, succession, superseded) => {
    const tokens = new Tokens(60_000, cryptoRandom(), succession);
    const grants = ['u1', 'u2', 'u1'].map(
      (userId) => tokens.issue({ ...request, userId }, 0).grant,
    );
    expect(grants.map((grant) => grant.superseded)).toEqual(superseded);
  });

  it.each([true, false])('that are refreshed are superseded: %s', (refreshEnds) => {
    const tokens = new Tokens(60_000, cryptoRandom(), { refreshEnds, isNewestOfPartner: false });
    const { grant } = tokens.issue(request, 0);
    const { grant: next } = tokens.issue({ ...request, refreshed: grant }, 0);
    expect([grant.superseded, next.superseded]).toEqual([refreshEnds, false]);
    expect(next.family).toBe(grant.family);
  });

  it('have the texts that they are given, or 128 random bits', () => {
    const tokens = new Tokens(60_000, cryptoRandom());
    const given = tokens.issue({ ...request, accessToken: 'a', refreshToken: 'r' }, 0);
    expect([given.accessToken, given.refreshToken]).toEqual(['a', 'r']);
    expect(tokens.findAccess('a')).toBe(given.grant);
    expect(tokens.findRefresh('r')).toBe(given.grant);
    expect(tokens.issue(request, 0).accessToken).toMatch(/^[\w-]{22}$/);
  });
});

it('a partner starts with the auth codes of a user of its own', () => {
  expect(userOf(one.partner)).toBe('user-of-p0');
});
