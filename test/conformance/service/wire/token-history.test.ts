import { describe, expect, it } from 'vitest';
import type { TokenAnswer } from '../../../../src/conformance/service/contract/messages.ts';
import { TokenHistory } from '../../../../src/conformance/service/wire/token-history.ts';
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
  const tokens = new TokenHistory();
  for (const [fields, answer] of all) tokens.note(fields, answer);
  return tokens.issued.map(({ accessToken }) => accessToken);
};

describe('platform tokens of a run', () => {
  it('leave out those of users, of other scopes, and refused ones', () => {
    const tokens = noted(
      [{ grant_type: 'authorization_code' }, issued('user')],
      [{ ...PLATFORM, scope: 'profile' }, issued('other')],
      [PLATFORM, issued('refused', { outcome: 'refused' })],
      [{ ...PLATFORM, scope: 'rides.read public' }, issued('public')],
    );
    expect(tokens).toEqual(['public']);
  });

  it('leave out a token whose refresh_token was sent, as often as it was issued', () => {
    const tokens = noted(
      [PLATFORM, issued('a')],
      [PLATFORM, issued('a', { refreshToken: 'refresh-again' })],
      [PLATFORM, issued('b')],
      [PLATFORM, issued('c', { refreshToken: null })],
      [{ grant_type: 'refresh_token', refresh_token: 'refresh-a' }, issued('x')],
    );
    expect(tokens).toEqual(['b', 'c']);
  });
});
