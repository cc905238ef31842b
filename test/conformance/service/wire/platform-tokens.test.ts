import { describe, expect, it } from 'vitest';
import type { TokenAnswer } from '../../../../src/conformance/service/contract/messages.ts';
import { PlatformTokens } from '../../../../src/conformance/service/wire/platform-tokens.ts';
import { token } from '../rules/seen.ts';

const PLATFORM = { grant_type: 'client_credentials' };

const issued = (name: string, more: Partial<TokenAnswer> = {}): TokenAnswer => ({
  ...token().answer,
  outcome: 'accepted',
  accessToken: name,
  refreshToken: `refresh-${name}`,
  expiresInSeconds: 100,
  answeredAtMs: 0,
  ...more,
});

const noted = (...all: readonly (readonly [Record<string, unknown>, TokenAnswer])[]) => {
  const tokens = new PlatformTokens();
  for (const [fields, answer] of all) tokens.note(fields, answer);
  return tokens;
};

describe('platform tokens of a run', () => {
  it('are young for half of their life, the oldest first', () => {
    const tokens = noted(
      [PLATFORM, issued('a')],
      [PLATFORM, issued('b', { expiresInSeconds: 200 })],
    );
    expect(tokens.youngAt(49_999)).toEqual(['a', 'b']);
    expect(tokens.youngAt(50_000)).toEqual(['b']);
    expect(tokens.youngAt(100_000)).toEqual([]);
  });

  it('leave out those of users, of other scopes, without a life, and refused ones', () => {
    const tokens = noted(
      [{ grant_type: 'authorization_code' }, issued('user')],
      [{ ...PLATFORM, scope: 'profile' }, issued('other')],
      [PLATFORM, issued('lasting', { expiresInSeconds: null })],
      [PLATFORM, issued('refused', { outcome: 'refused' })],
      [{ ...PLATFORM, scope: 'rides.read public' }, issued('public')],
    );
    expect(tokens.youngAt(1)).toEqual(['public']);
  });

  it('leave out a token whose refresh_token was sent, as often as it was issued', () => {
    const tokens = noted(
      [PLATFORM, issued('a')],
      [PLATFORM, issued('a', { refreshToken: 'refresh-again' })],
      [PLATFORM, issued('b')],
      [PLATFORM, issued('c', { refreshToken: null })],
      [{ grant_type: 'refresh_token', refresh_token: 'refresh-a' }, issued('x')],
    );
    expect(tokens.youngAt(1)).toEqual(['b', 'c']);
  });
});
