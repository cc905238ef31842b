import { describe, expect, it } from 'vitest';
import { judgeControlled, judgeMetered, withVerdict } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';

const [plain, strict] = STYLES;
const LIMIT = { timeout: 120_000 };

describe('a service that follows half of a rule', () => {
  it('fails each of them, and nothing else', { ...LIMIT, tags: ['long'] }, async () => {
    const halves = [
      ['half a signature is compared', 'auth/user-signature'],
      ['half a token is compared', 'auth/unknown-token'],
      ['scopes are lost out of order', 'token/scope-echo'],
    ] as const;
    const result = await judgeControlled(
      plain!,
      halves.map(([half]) => half),
    );
    const failed = withVerdict(result, 'fail', 'warn');
    expect(failed.toSorted()).toEqual(halves.map(([, rule]) => rule).toSorted());
    expect(withVerdict(result, 'inconclusive')).toEqual([]);
  });

  it('several scopes, whom they are granted being open, are not judged where they are refused', {
    ...LIMIT,
    tags: ['long'],
  }, async () => {
    const half = 'several scopes are refused';
    const only = ['token/*'];
    const fresh = await judgeControlled(strict!, [half], { only });
    const metered = await judgeMetered(strict!, [half], ['general', 'general'], { only });
    for (const result of [fresh, metered.result]) {
      expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
      expect(withVerdict(result, 'inconclusive')).toEqual(['token/scope-echo']);
    }
    expect(metered.service.bans).toEqual([]);
  });

  it('a refused scope is no violation if a single one is refused too', LIMIT, async () => {
    const result = await judgeControlled(plain!, ['token/grant-client-credentials'], {
      only: ['token/scope-echo'],
    });
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
  });
});
