import { describe, expect, it } from 'vitest';
import type { TokenAnswer } from '../../../../src/conformance/service/contract/messages.ts';
import { UserLineage } from '../../../../src/conformance/service/wire/user-lineage.ts';
import { token } from '../rules/seen.ts';

const EXCHANGE = { grant_type: 'authorization_code', auth_code: 'c' };

const answer = (name: string, more: Partial<TokenAnswer> = {}): TokenAnswer => ({
  ...token().answer,
  outcome: 'accepted',
  accessToken: name,
  refreshToken: `refresh-${name}`,
  ...more,
});

const refresh = (name: string): Record<string, string> => ({
  grant_type: 'refresh_token',
  refresh_token: `refresh-${name}`,
});

describe("a user's newest token", () => {
  it('comes from an exchange, and from the refresh of the newest', () => {
    const lineage = new UserLineage();
    expect(lineage.newestAfter(EXCHANGE, answer('a'))).toBe('a');
    expect(lineage.newestAfter(refresh('a'), answer('b'))).toBe('b');
    expect(lineage.newestAfter(refresh('b'), answer('c'))).toBe('c');
    expect(lineage.newestAfter(EXCHANGE, answer('d'))).toBe('d');
  });

  it('is not replaced by a platform token, its refresh, or a refusal', () => {
    const lineage = new UserLineage();
    lineage.newestAfter(EXCHANGE, answer('a'));
    expect(lineage.newestAfter({ grant_type: 'client_credentials' }, answer('p'))).toBeNull();
    expect(lineage.newestAfter(refresh('p'), answer('q'))).toBeNull();
    expect(lineage.newestAfter(refresh('a'), answer('x', { outcome: 'refused' }))).toBeNull();
    expect(lineage.newestAfter(refresh('a'), answer('b'))).toBe('b');
  });

  it('serves estimates with the scope public only', () => {
    const lineage = new UserLineage();
    expect(lineage.newestAfter({ ...EXCHANGE, scope: 'profile' }, answer('a'))).toBeNull();
    expect(lineage.newestAfter({ ...EXCHANGE, scope: 'rides.read public' }, answer('b'))).toBe('b');
  });
});
