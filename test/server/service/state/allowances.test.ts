import { describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../../../src/interface/default-behaviour.ts';
import type { Behaviour } from '../../../../src/interface/index.ts';
import {
  type Account,
  Allowances,
  allowanceRules,
} from '../../../../src/server/service/state/allowances.ts';
import { Partners } from '../../../../src/server/service/state/partners.ts';
import { NOON } from '../../caller.ts';
import { refusalOf } from '../../refusal.ts';

const partners = new Partners();
const [one, other] = [partners.add('one', 'k', false), partners.add('other', 'k', false)];
const PLATFORM: Account = { partner: one, kind: 'platform', userId: '' };
const USER: Account = { partner: one, kind: 'user', userId: '' };
const REFRESH: Account = { partner: one, kind: 'refresh', userId: '' };
const DAY_MS = 86_400_000;

const allowances = (behaviour: Partial<Behaviour> = {}): Allowances =>
  new Allowances(allowanceRules({ ...DEFAULT_BEHAVIOUR, ...behaviour }));

/** Condition of the refusal of a request; null for none. */
function ask(of: Allowances, account: Account, nowMs: number): string | null {
  const refusal = refusalOf(() => {
    of.refuseBanned(account, nowMs);
    of.spend(account, nowMs);
  });
  return refusal?.condition ?? null;
}

/** Number of requests that are served before one is refused; that one starts a ban. */
function served(of: Allowances, account: Account, nowMs: number): number {
  let count = 0;
  while (ask(of, account, nowMs) === null) count++;
  return count;
}

describe('an allowance', () => {
  it('is ten platform tokens, five user tokens and ten refreshes a day', () => {
    const own = allowances({ 'ban-reach': 'kind' });
    expect([PLATFORM, USER, REFRESH].map((account) => served(own, account, NOON))).toEqual([
      10, 5, 10,
    ]);
    expect(served(own, { ...PLATFORM, partner: other }, NOON)).toBe(10);
    expect(served(own, { ...USER, userId: 'u1' }, NOON)).toBe(5);
  });

  it('names the rule that its refusal follows', () => {
    const ruleOf = (account: Account) => {
      const own = allowances();
      return refusalOf(() => {
        for (;;) own.spend(account, NOON);
      });
    };
    expect(ruleOf(PLATFORM)).toMatchObject({
      condition: 'quota-exceeded',
      detail: { rule: 'quota/platform-refuses-11th' },
    });
    expect(ruleOf(USER)?.detail.rule).toBe('quota/user-refuses-6th');
    expect(ruleOf(REFRESH)?.detail.rule).toBe('quota/refresh-refuses-11th');
  });

  it('of a sliding day counts the requests of the last 24 hours', () => {
    const own = allowances({ 'day-boundary': 'rolling' });
    for (let count = 0; count < 10; count++) own.spend(PLATFORM, NOON);
    expect(own.isUsedUp(PLATFORM, NOON + DAY_MS - 1)).toBe(true);
    expect(own.isUsedUp(PLATFORM, NOON + DAY_MS)).toBe(false);
  });

  it('of a calendar day is whole at midnight', () => {
    const own = allowances({ 'day-boundary': 'calendar-utc' });
    for (let count = 0; count < 10; count++) own.spend(PLATFORM, NOON);
    expect(own.isUsedUp(PLATFORM, NOON + DAY_MS / 2 - 1)).toBe(true);
    expect(own.isUsedUp(PLATFORM, NOON + DAY_MS / 2)).toBe(false);
  });
});

describe('a ban', () => {
  it('lasts 24 hours, and leaves the allowance whole', () => {
    const own = allowances();
    served(own, PLATFORM, NOON);
    expect(ask(own, PLATFORM, NOON)).toBe('banned');
    expect(ask(own, PLATFORM, NOON + DAY_MS - 1)).toBe('banned');
    expect(served(own, PLATFORM, NOON + DAY_MS)).toBe(10);
  });

  it('leaves it whole even if it is shorter than a day', () => {
    const own = new Allowances({ ...allowanceRules(DEFAULT_BEHAVIOUR), banMs: 1000 });
    served(own, PLATFORM, NOON);
    expect(ask(own, PLATFORM, NOON + 999)).toBe('banned');
    expect(served(own, PLATFORM, NOON + 1000)).toBe(10);
  });

  it('starts again by a refused request only where the gap says so', () => {
    for (const extends_ of ['yes', 'no'] as const) {
      const own = allowances({ 'refused-request-extends-ban': extends_ });
      served(own, PLATFORM, NOON);
      ask(own, PLATFORM, NOON + DAY_MS / 2);
      expect(ask(own, PLATFORM, NOON + DAY_MS)).toBe(extends_ === 'yes' ? 'banned' : null);
    }
  });

  it.each([
    ['kind', [null, null, null]],
    ['tokens', ['banned', null, null]],
    ['everything', ['banned', null, 'banned']],
  ] as const)('reaches as far as the gap says: %s', (reach, outcomes) => {
    const own = allowances({ 'ban-reach': reach });
    served(own, PLATFORM, NOON);
    const estimate = refusalOf(() => own.refuseBannedEstimate(one, NOON));
    expect([
      ask(own, REFRESH, NOON),
      ask(own, { ...PLATFORM, partner: other }, NOON),
      estimate?.condition ?? null,
    ]).toEqual(outcomes);
    expect(refusalOf(() => own.refuseBannedEstimate(other, NOON))).toBeNull();
    expect(refusalOf(() => own.refuseBannedEstimate(one, NOON + DAY_MS))).toBeNull();
  });
});
