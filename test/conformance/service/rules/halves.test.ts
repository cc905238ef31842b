import { describe, expect, it } from 'vitest';
import { judgeControlled, judgeMetered, withVerdict } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';

const [plain, strict, odd] = STYLES;
const LIMIT = { timeout: 120_000 };

describe('a service that follows half of a rule', () => {
  it.each([
    ['half a signature is compared', 'auth/user-signature', plain!],
    ['half a token is compared', 'auth/unknown-token', odd!],
    ['scopes are lost out of order', 'token/scope-echo', plain!],
  ])('%s: %s fails, and nothing else', LIMIT, async (half, rule, style) => {
    const result = await judgeControlled(style, [half]);
    expect(withVerdict(result, 'fail', 'warn')).toEqual([rule]);
    expect(withVerdict(result, 'inconclusive')).toEqual([]);
  });

  it(
    'several scopes, whom they are granted being open, are not judged where they are refused',
    LIMIT,
    async () => {
      const half = 'several scopes are refused';
      const fresh = await judgeControlled(strict!, [half]);
      expect(withVerdict(fresh, 'fail', 'warn')).toEqual([]);
      expect(withVerdict(fresh, 'inconclusive')).toEqual(['token/scope-echo']);
      const { result, service } = await judgeMetered(strict!, [half], ['general', 'general'], {
        only: ['token/*'],
      });
      expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
      expect(withVerdict(result, 'inconclusive')).toEqual(['token/scope-echo']);
      expect(service.bans).toEqual([]);
    },
  );

  it('a refused scope is no violation if a single one is refused too', LIMIT, async () => {
    const result = await judgeControlled(plain!, ['token/grant-client-credentials'], {
      only: ['token/scope-echo'],
    });
    expect(withVerdict(result, 'inconclusive')).toEqual(['token/scope-echo']);
  });
});
