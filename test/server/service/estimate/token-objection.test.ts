import { describe, expect, it } from 'vitest';
import {
  objectionTo,
  type TokenObjection,
} from '../../../../src/server/service/estimate/authorize.ts';
import { cryptoRandom } from '../../../../src/server/service/random.ts';
import { Partners } from '../../../../src/server/service/state/partners.ts';
import { type Grant, Tokens } from '../../../../src/server/service/state/tokens.ts';

const LIFETIME_MS = 60_000;
const partners = new Partners();
const partner = partners.add('p', 'k', false);
const other = partners.add('q', 'k', false);
const tokens = new Tokens(LIFETIME_MS, cryptoRandom());

function grantOf(changes: Partial<Grant> = {}, userId: string | null = null): Grant {
  const request = { partner, userId, scope: 'public', refreshed: null };
  return { ...tokens.issue(request, 0).grant, ...changes };
}

const platform = { partner, isSigned: false };
const signed = { partner, isSigned: true };

describe('the objection to an access token', () => {
  it.each<[TokenObjection | null, Grant | undefined, typeof platform, boolean]>([
    ['unknown', undefined, platform, true],
    ['other-partner', grantOf(), { partner: other, isSigned: false }, true],
    ['expired', grantOf({ accessExpiresAtMs: 1_000 }), platform, true],
    ['superseded', grantOf({ superseded: true }, 'u'), signed, true],
    ['ended', grantOf({ family: { ended: true } }), platform, true],
    ['platform-token-signed', grantOf(), signed, true],
    ['user-token-unsigned', grantOf({}, 'u'), platform, false],
    ['not-public', grantOf({ isPublic: false }), platform, true],
    [null, grantOf({}, 'u'), platform, true],
    [null, grantOf({}, 'u'), signed, false],
    [null, grantOf({ accessExpiresAtMs: 1_001 }), platform, false],
  ])('is %s', (objection, grant, use, allowsUnsigned) => {
    expect(objectionTo(grant, use, allowsUnsigned, 1_000)).toBe(objection);
  });
});
