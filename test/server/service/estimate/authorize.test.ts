import { describe, expect, it } from 'vitest';
import { authorize } from '../../../../src/server/service/estimate/authorize.ts';
import { cryptoRandom } from '../../../../src/server/service/random.ts';
import { Partners } from '../../../../src/server/service/state/partners.ts';
import { Tokens } from '../../../../src/server/service/state/tokens.ts';
import { refusalOf } from '../../refusal.ts';

const partners = new Partners();
const partner = partners.add('p', 'k', false);
const tokens = new Tokens(60_000, cryptoRandom());
const accessToken = tokens.issue({ partner, userId: null, scope: 'public', refreshed: null }, 0)
  .grant.accessToken;

const use = (over: object, nowMs = 1000) =>
  authorize(
    { partnerId: 'p', signature: null, accessToken, ...over },
    { partners, tokens },
    true,
    nowMs,
  );

describe('an estimate request', () => {
  it('is of the partner that it names', () => {
    expect(use({})).toBe(partner);
  });

  it.each([
    ['an unknown partner', { partnerId: 'q' }, 'partner-unknown', undefined],
    ['an unknown token', { accessToken: 'x' }, 'access-token-invalid', 'auth/unknown-token'],
    [
      "a platform's token in the user's header",
      { signature: '0' },
      'access-token-invalid',
      'estimate/user',
    ],
  ])('of %s is refused, and the header named', (_case, over, condition, rule) => {
    const refusal = refusalOf(() => use(over));
    expect(refusal?.condition).toBe(condition);
    expect(refusal?.detail).toEqual({ field: 'Authorization', ...(rule && { rule }) });
  });

  it('of an expired token is told so', () => {
    const refusal = refusalOf(() => use({}, 60_000));
    expect(refusal).toMatchObject({
      condition: 'access-token-expired',
      detail: { rule: 'lifecycle/access-token-expires' },
    });
  });
});
