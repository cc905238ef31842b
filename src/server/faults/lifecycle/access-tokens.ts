import { Refusal } from '../../service/messages.ts';
import type { Partner } from '../../service/state/partners.ts';
import type { Grant, GrantRequest, Tokens } from '../../service/state/tokens.ts';
import { type FaultForms, fault, inPlaceOfSomeRefusals } from '../fault.ts';
import type { Replacement, Replacements } from '../parts.ts';
import type { RequestInHand } from '../request-in-hand.ts';
import { named } from '../tables.ts';
import { withMethods } from '../with-methods.ts';
import { type Condition, HOUR_MS, late, MINUTE_MS, type Rows, since, used } from './condition.ts';

/** Expired access_tokens that pass. */
const LATE: Rows = {
  'a-minute': ['for another minute', (one, now) => late(one.grant, now) < MINUTE_MS],
  'five-minutes': ['for five more minutes', (one, now) => late(one.grant, now) < 5 * MINUTE_MS],
  'an-hour': ['for another hour', (one, now) => late(one.grant, now) < HOUR_MS],
  'after-a-while': ['from a minute after it', (one, now) => late(one.grant, now) > MINUTE_MS],
  sliding: [
    'two hours from its last use',
    (one, now) => one.lastUsedAtMs !== null && now - one.lastUsedAtMs < 2 * HOUR_MS,
  ],
  unused: ['if it was never used', ({ uses }) => uses === 0],
  user: ['if it is a user’s', ({ grant }) => grant.userId !== null],
  platform: ['if it is a platform’s', ({ grant }) => grant.userId === null],
  refreshed: ['if it came with a refresh', ({ generation }) => generation > 0],
  'wide-scope': ['if it has several scopes', ({ grant }) => grant.scope.includes(' ')],
};

/** Valid access_tokens that are refused. */
const EARLY: Rows = {
  'ten-seconds': ['ten seconds early', (one, now) => late(one.grant, now) > -10_000],
  'a-minute': ['a minute early', (one, now) => late(one.grant, now) > -MINUTE_MS],
  'five-minutes': ['five minutes early', (one, now) => late(one.grant, now) > -5 * MINUTE_MS],
  user: [
    'a minute early, if it is a user’s',
    ({ grant }, now) => grant.userId !== null && late(grant, now) > -MINUTE_MS,
  ],
  refreshed: [
    'a minute early, if it came with a refresh',
    (one, now) => one.generation > 0 && late(one.grant, now) > -MINUTE_MS,
  ],
  'wide-scope': [
    'a minute early, if it has several scopes',
    ({ grant }, now) => grant.scope.includes(' ') && late(grant, now) > -MINUTE_MS,
  ],
  idle: [
    'if it was not used for an hour',
    (one, now) => now - (one.lastUsedAtMs ?? one.issuedAtMs) > HOUR_MS,
  ],
};

/** A user's earlier tokens that pass. */
const KEPT: Rows = {
  'by-refresh': ['after a refresh', ({ newer }) => (newer?.generation ?? 0) > 0],
  'by-code': ['after another auth_code', ({ newer }) => newer?.generation === 0],
  'grace-of-30-s': ['for 30 seconds', ({ newer }, now) => since(newer?.issuedAtMs, now) < 30_000],
  'after-a-minute': [
    'after a minute',
    ({ newer }, now) => since(newer?.issuedAtMs, now) > MINUTE_MS,
  ],
  'after-an-hour': ['after an hour', ({ newer }, now) => since(newer?.issuedAtMs, now) > HOUR_MS],
  'until-the-newer-is-used': ['until the newer is used', ({ newer }) => newer?.uses === 0],
  'two-newest': ['if they are the newest but one', ({ newer }) => newer?.newer === null],
  'older-ones': ['if they are older still', ({ newer }) => (newer?.newer ?? null) !== null],
  'other-scope': [
    'if the newer has another scope',
    ({ grant, newer }) => grant.scope !== newer?.grant.scope,
  ],
  used: ['if they were used', ({ uses }) => uses > 0],
  unused: ['if they were never used', ({ uses }) => uses === 0],
};

/** Which earlier platform tokens a new one ends. */
const ENDED: Readonly<
  Record<string, readonly [how: string, (earlier: Grant, rank: number, newer: Grant) => boolean]>
> = {
  'at-most-two': ['Of a partner’s platform tokens two are valid.', (_, rank) => rank >= 2],
  'at-most-three': ['Of a partner’s platform tokens three are valid.', (_, rank) => rank >= 3],
  'at-most-four': ['Of a partner’s platform tokens four are valid.', (_, rank) => rank >= 4],
  'at-most-five': ['Of a partner’s platform tokens five are valid.', (_, rank) => rank >= 5],
  'same-scope': [
    'A new platform token ends those of the same scope.',
    (earlier, _, newer) => earlier.scope === newer.scope,
  ],
  'other-scope': [
    'A new platform token ends those of another scope.',
    (earlier, _, newer) => earlier.scope !== newer.scope,
  ],
};

/** Forms of the rules on the life of access_tokens. */
export const ACCESS_TOKEN_FORMS: FaultForms = {
  ...named('lifecycle/access-token-expires', LATE, ([when, accepts]) =>
    fault(`An expired access_token passes ${when}.`, {
      authorize: (authorize, inHand) =>
        passing('lifecycle/access-token-expires', authorize, inHand, accepts),
    }),
  ),
  ...named('lifecycle/user-token-newest-only', KEPT, ([when, accepts]) =>
    fault(`Earlier tokens of a user pass ${when}.`, {
      authorize: (authorize, inHand) =>
        passing('lifecycle/user-token-newest-only', authorize, inHand, accepts),
    }),
  ),
  'lifecycle/access-token-valid-until-expiry#user-ended-by-a-wrong-signature': fault(
    'A token request with a wrong signature ends the newest token of a user.',
    endingNewest(({ userId }) => userId !== null),
  ),
  'lifecycle/access-token-valid-until-expiry#platform-ended-by-a-wrong-signature': fault(
    'A token request with a wrong signature ends the newest platform token.',
    endingNewest(({ userId }) => userId === null),
  ),
  ...named('lifecycle/access-token-valid-until-expiry', EARLY, ([when, refuses]) =>
    fault(`An access_token is refused ${when}.`, {
      authorize:
        (authorize, inHand) =>
        (...request) => {
          const partner = authorize(...request);
          const { life } = inHand;
          const nowMs = request[2];
          if (life === undefined || !refuses(life, nowMs, inHand))
            return used(life, nowMs, partner);
          throw new Refusal('access-token-expired', 'The access_token has expired.');
        },
    }),
  ),
  ...named('lifecycle/platform-tokens-coexist', ENDED, ([how, ends]) =>
    fault(how, { tokens: endingPlatform(ends) }),
  ),
  'lifecycle/platform-tokens-coexist#ended-by-refresh': fault(
    'A refresh of a platform token ends the other platform tokens.',
    {
      tokens: endingPlatform(
        () => true,
        ({ refreshed }) => refreshed !== null,
      ),
    },
  ),
};

type Authorize = Parameters<Replacement<'authorize'>>[0];

function passing(
  rule: 'lifecycle/access-token-expires' | 'lifecycle/user-token-newest-only',
  authorize: Authorize,
  inHand: RequestInHand,
  accepts: Condition,
): Authorize {
  const lenient: Authorize = inPlaceOfSomeRefusals(
    rule,
    authorize,
    (authorization, state, nowMs) => {
      const { life } = inHand;
      if (life === undefined || !accepts(life, nowMs, inHand)) return null;
      return state.partners.find(authorization.partnerId) ?? null;
    },
  );
  return (...request) => used(inHand.life, request[2], lenient(...request));
}

/** Ends earlier platform tokens of a partner; `rank` is 1 for the one before the new one. */
function endingPlatform(
  ends: (earlier: Grant, rank: number, newer: Grant) => boolean,
  isMeant: (request: Parameters<Tokens['issue']>[0]) => boolean = () => true,
): Replacement<'tokens'> {
  return (tokens) => {
    const issuedTo = new Map<string, Grant[]>();
    return withMethods(tokens, {
      issue: (request, nowMs) => {
        const issued = tokens.issue(request, nowMs);
        if (request.userId !== null) return issued;
        const earlier = issuedTo.get(request.partner.id) ?? [];
        issuedTo.set(request.partner.id, [issued.grant, ...earlier]);
        for (const [index, grant] of earlier.entries()) {
          if (
            isMeant(request) &&
            grant !== request.refreshed &&
            ends(grant, index + 1, issued.grant)
          )
            grant.superseded = true;
        }
        return issued;
      },
    });
  };
}

/** Ends a partner's newest token of some when a token request of it has a wrong signature. */
function endingNewest(isMeant: (request: GrantRequest) => boolean): Replacements {
  const endOf = new WeakMap<Partner, () => void>();
  return {
    tokens: (tokens) =>
      withMethods(tokens, {
        issue: (request, nowMs) => {
          const issued = tokens.issue(request, nowMs);
          if (isMeant(request))
            endOf.set(request.partner, () => tokens.supersede(issued.accessToken));
          return issued;
        },
      }),
    signatures: (check) =>
      withMethods(check, {
        isTokenSigned: (partner, fields, signature) => {
          const isSigned = check.isTokenSigned(partner, fields, signature);
          if (!isSigned) endOf.get(partner)?.();
          return isSigned;
        },
      }),
  };
}
