import { describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../../../src/interface/default-behaviour.ts';
import type { Behaviour } from '../../../../src/interface/index.ts';
import { cryptoRandom } from '../../../../src/server/service/random.ts';
import type { ServiceState } from '../../../../src/server/service/service-state.ts';
import { AuthCodes } from '../../../../src/server/service/state/auth-codes.ts';
import { Partners } from '../../../../src/server/service/state/partners.ts';
import { Tokens } from '../../../../src/server/service/state/tokens.ts';
import { entitle } from '../../../../src/server/service/token/entitlement.ts';
import type { TokenGrant } from '../../../../src/server/service/token/token-fields.ts';
import { refusalOf } from '../../refusal.ts';

function world(behaviour: Partial<Behaviour> = {}) {
  const partners = new Partners();
  const [one, other] = [partners.add('one', 'k', false), partners.add('other', 'k', false)];
  const tokens = new Tokens(60_000, cryptoRandom());
  const authCodes = new AuthCodes();
  authCodes.add(one, 'code', 'u1');
  const state = { partners, tokens, authCodes } as unknown as ServiceState;
  const ask = (changes: Partial<TokenGrant>, partner = one) =>
    entitle(partner, { refreshToken: '', authCode: '', ...changes } as TokenGrant, state, {
      ...DEFAULT_BEHAVIOUR,
      ...behaviour,
    });
  const scope = 'public profile';
  const issued = tokens.issue({ partner: one, userId: 'u1', scope, refreshed: null }, 0);
  const refresh = { grantType: 'refresh_token', refreshToken: issued.refreshToken } as const;
  return { one, other, tokens, issued, ask, refresh };
}

it('a platform request is entitled as it is', () => {
  const { ask } = world();
  const entitlement = ask({ grantType: 'client_credentials' });
  entitlement.markUsed();
  expect(entitlement).toMatchObject({ userId: null, defaultScope: 'public', refreshed: null });
});

describe('a refresh', () => {
  it('is entitled by an unused token of the partner, and uses it up once marked', () => {
    const { ask, refresh, issued, tokens } = world();
    ask(refresh);
    const entitlement = ask(refresh);
    expect(entitlement).toMatchObject({ userId: 'u1', refreshed: issued.grant });
    entitlement.markUsed();
    expect(tokens.findRefresh(issued.refreshToken)).toBeUndefined();
    expect(refusalOf(() => ask(refresh))).toMatchObject({
      condition: 'refresh-token-invalid',
      detail: { field: 'refresh_token', rule: 'lifecycle/refresh-single-use' },
    });
    expect(issued.grant.family.ended).toBe(false);
  });

  it('keeps the scope that it does not name, or falls back to public, as the gap says', () => {
    const scopeWith = (unnamed: 'kept' | 'public'): string => {
      const { ask, refresh } = world({
        'refresh-scope': { ...DEFAULT_BEHAVIOUR['refresh-scope'], unnamed },
      });
      return ask(refresh).defaultScope;
    };
    expect(scopeWith('kept')).toBe('public profile');
    expect(scopeWith('public')).toBe('public');
  });

  it('is refused to another partner, and of an unknown token', () => {
    const { ask, refresh, other } = world();
    const unknown = {
      condition: 'refresh-token-invalid',
      detail: { rule: 'token/refresh-token-unknown' },
    };
    expect(refusalOf(() => ask(refresh, other))).toMatchObject(unknown);
    expect(refusalOf(() => ask({ ...refresh, refreshToken: 'x' }))).toMatchObject(unknown);
    expect(refusalOf(() => ask(refresh))).toBeNull();
  });

  it('ends the family by a replay where the gap says so, and only by one of the partner', () => {
    const { ask, refresh, issued, other } = world({ 'refresh-replay-consequence': 'family-ended' });
    ask(refresh).markUsed();
    expect(refusalOf(() => ask(refresh, other))?.detail.rule).toBe('token/refresh-token-unknown');
    expect(issued.grant.family.ended).toBe(false);
    expect(refusalOf(() => ask(refresh))?.detail.rule).toBe('lifecycle/refresh-single-use');
    expect(issued.grant.family.ended).toBe(true);
  });

  it('is refused in a family that was ended', () => {
    const { ask, refresh, issued } = world();
    issued.grant.family.ended = true;
    expect(refusalOf(() => ask(refresh))?.condition).toBe('refresh-token-invalid');
  });
});

describe('an exchange', () => {
  const EXCHANGE = { grantType: 'authorization_code', authCode: 'code' } as const;

  it('is entitled by a code of the partner, which is good once', () => {
    const { ask } = world();
    ask(EXCHANGE);
    const entitlement = ask(EXCHANGE);
    expect(entitlement).toMatchObject({ userId: 'u1', defaultScope: 'public', refreshed: null });
    entitlement.markUsed();
    expect(refusalOf(() => ask(EXCHANGE))).toMatchObject({
      condition: 'auth-code-invalid',
      message: expect.stringContaining('used before'),
      detail: { field: 'auth_code', rule: 'token/auth-code-unknown' },
    });
  });

  it('may be repeated where the gap says so', () => {
    const { ask } = world({ 'auth-code-reuse': 'accepted' });
    ask(EXCHANGE).markUsed();
    expect(ask(EXCHANGE).userId).toBe('u1');
  });

  it('is refused with a code of another partner, or of none', () => {
    const { ask, other } = world();
    expect(refusalOf(() => ask(EXCHANGE, other))?.message).toContain('not known');
    expect(refusalOf(() => ask({ ...EXCHANGE, authCode: 'x' }))?.message).toContain('not known');
  });
});
