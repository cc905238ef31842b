import { describe, expect, it } from 'vitest';
import { FULL_SUITE } from '../../../../src/conformance/index.ts';
import { judgeMetered, withVerdict } from '../../../independent-service/judge.ts';
import { ruleOf } from '../../../independent-service/metered-run.ts';
import { STYLES } from '../../../independent-service/style.ts';

const [plain, strict] = STYLES;

describe('metered partners', () => {
  it('none exceeds its allowance, whatever the service counts', {
    timeout: 120_000,
  }, async () => {
    const { result, service } = await judgeMetered(strict!, [], ['general', 'general', 'witness']);
    expect(service.bans).toEqual([]);
    for (const { platform, user, refresh } of Object.values(result.spend)) {
      expect(platform).toBeLessThanOrEqual(10);
      expect(user).toBeLessThanOrEqual(5);
      expect(refresh).toBeLessThanOrEqual(10);
    }
    expect(withVerdict(result, 'fail', 'warn', 'inconclusive')).toEqual([]);
  });

  it('a suite with a limit says what its token requests went to', async () => {
    const suite = { ...FULL_SUITE, tokenRequests: { most: 3 } };
    const { result } = await judgeMetered(plain!, [], ['general'], { suite });
    expect(result.spend['partner-0']).toMatchObject({ platform: 3 });
    expect(ruleOf(result, 'token/nostr-length').reason).toBe(
      'the suite allows 3 token requests, which went to 2 well-formed requests and signature/invalid-refused',
    );
    expect(withVerdict(result, 'pass').length).toBeGreaterThan(40);
  });

  for (const [at, style] of STYLES.entries()) {
    it(`with leave and spendable partners the quotas are judged too, last (${style.name})`, {
      tags: at === 0 ? [] : ['long'],
      timeout: 120_000,
    }, async () => {
      const uses = [
        'general',
        'general',
        'witness',
        'spendable',
        'spendable',
        'spendable',
      ] as const;
      const { result, service } = await judgeMetered(style, [], uses, { allowBan: true });
      expect(withVerdict(result, 'fail', 'warn', 'inconclusive')).toEqual([]);
      // Where refused requests count, the partner that showed it is banned for a day.
      const ofUser = ['quota/user-allows-5', 'quota/user-refuses-6th'];
      const pending = result.rules.filter(({ pendingUntil }) => pendingUntil !== undefined);
      const ids = style.failedCount ? pending.map(({ id }) => id) : withVerdict(result, 'pass');
      expect(ids).toEqual(expect.arrayContaining(ofUser));
      expect(withVerdict(result, 'pass')).toEqual(
        expect.arrayContaining([
          'quota/platform-allows-10',
          'quota/platform-refuses-11th',
          'quota/refresh-allows-10',
          'quota/refresh-refuses-11th',
          'quota/per-partner',
        ]),
      );
      expect(new Set(service.bans)).toEqual(new Set(['partner-3', 'partner-4', 'partner-5']));
    });
  }

  it.each([
    ['at once', [], true],
    ['one by one, where the target refused one that was right', ['estimate/user'], false],
  ])('checks of estimates run %s', { timeout: 120_000 }, async (_, broken, areMixed) => {
    const { result } = await judgeMetered(plain!, broken, ['general', 'general', 'witness']);
    const senders = result.exchanges
      .filter(({ part }) => part?.check && part.batch?.baseRequest.endsWith('estimate'))
      .map(({ part }) => `${part?.batch?.id} ${part?.check} ${part?.attempt}`);
    const turns = senders.filter((one, at) => one !== senders[at - 1]);
    expect(turns.length > new Set(turns).size).toBe(areMixed);
  });

  it('nothing that ends in a ban is sent without permission', async () => {
    const { result, service } = await judgeMetered(plain!, [], ['spendable', 'spendable']);
    expect(service.bans).toEqual([]);
    const rule = result.rules.find(({ id }) => id === 'quota/platform-refuses-11th');
    expect(rule).toMatchObject({ verdict: 'untestable', remedy: 'run with bans allowed' });
  });

  it('a run of one rule sends its other variants too, on other carriers, within the allowances', {
    timeout: 120_000,
  }, async () => {
    const { result, service } = await judgeMetered(plain!, [], ['general', 'general'], {
      only: ['token/nostr-length'],
    });
    expect(withVerdict(result, 'pass')).toEqual(['token/nostr-length']);
    expect(service.bans).toEqual([]);
    const wrong = result.exchanges.filter(({ purpose }) => purpose.startsWith('negative: '));
    expect(new Set(wrong.map(({ purpose }) => purpose)).size).toBeGreaterThan(3);
    const grants = wrong.map(({ request }) => /"grant_type":"(\w+)"/.exec(request.body ?? '')?.[1]);
    expect(new Set(grants)).toEqual(
      new Set(['authorization_code', 'client_credentials', 'refresh_token']),
    );
  });
});
