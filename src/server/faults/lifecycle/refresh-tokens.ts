import type { Grant } from '../../service/state/tokens.ts';
import { refreshTokenInvalid } from '../../service/token/entitlement.ts';
import {
  type Broken,
  because,
  type FaultDefinition,
  type FaultForms,
  fault,
  inPlaceOfSomeRefusals,
} from '../fault.ts';
import type { Replacement } from '../parts.ts';
import { named } from '../tables.ts';
import { withMethods } from '../with-methods.ts';
import {
  type Condition,
  DAY_MS,
  HOUR_MS,
  late,
  MINUTE_MS,
  type Rows,
  since,
  used,
} from './condition.ts';

const AT_ONCE = because(
  'refreshes sent at once with it succeed as well',
  'lifecycle/refresh-single-use-concurrent',
);

/** Used refresh_tokens that pass again. */
const REPLAYED: Rows = {
  'at-once': ['within ten seconds', (one, now) => since(one.refreshedAtMs, now) < 10_000, AT_ONCE],
  'after-a-minute': ['after a minute', (one, now) => since(one.refreshedAtMs, now) > MINUTE_MS],
  'after-an-hour': ['after an hour', (one, now) => since(one.refreshedAtMs, now) > HOUR_MS],
  'after-a-day': ['after a day', (one, now) => since(one.refreshedAtMs, now) > DAY_MS],
  'after-expiry': [
    'once its access_token expired',
    ({ grant }, now) => now >= grant.accessExpiresAtMs,
  ],
  'until-the-successor-is-used': [
    'until its successor is used',
    ({ successor }) => successor?.refreshedAtMs === null,
    AT_ONCE,
  ],
  'after-the-successor-is-used': [
    'once its successor is used',
    ({ successor }) => (successor?.refreshedAtMs ?? null) !== null,
  ],
  twice: ['one more time', ({ replays }) => replays === 0, AT_ONCE],
  'with-scope': ['where a scope is requested', (_life, _now, one) => one.text('scope') !== ''],
  'first-token': ['if it came with a first token', ({ generation }) => generation === 0, AT_ONCE],
};

/** Unused refresh_tokens that are refused. */
const DYING: Rows = {
  'an-hour-after-issue': [
    'an hour after its issue',
    (one, now) => now - one.issuedAtMs > HOUR_MS,
    because('it is dead when its access_token expires', 'lifecycle/expired-replaced-by-refresh'),
  ],
  'a-day': ['after a day', (one, now) => now - one.issuedAtMs > DAY_MS],
  'a-week': ['after a week', (one, now) => now - one.issuedAtMs > 7 * DAY_MS],
  'thirty-days': ['after 30 days', (one, now) => now - one.issuedAtMs > 30 * DAY_MS],
  'ninety-days': ['after 90 days', (one, now) => now - one.issuedAtMs > 90 * DAY_MS],
  'a-year': ['after a year', (one, now) => now - one.issuedAtMs > 366 * DAY_MS],
  'refreshed-a-day': [
    'after a day, if it came with a refresh',
    (one, now) => one.generation > 0 && now - one.issuedAtMs > DAY_MS,
  ],
  'unused-access-token': [
    'with its access_token, if that was never used',
    (one, now) => one.uses === 0 && now >= one.grant.accessExpiresAtMs + DAY_MS,
  ],
};

/** Forms of the rules on refresh_tokens. */
export const REFRESH_TOKEN_FORMS: FaultForms = {
  ...named('lifecycle/refresh-single-use', REPLAYED, ([when, accepts, breaks]) =>
    fault(`A used refresh_token passes ${when}.`, { entitle: replaying(accepts) }, breaks),
  ),
  ...named('lifecycle/refresh-never-expires', DYING, ([when, refuses, breaks]) =>
    refusingRefresh(`A refresh_token dies ${when}.`, refuses, breaks),
  ),
  'lifecycle/expired-replaced-by-refresh#from-expiry-on': refusingRefresh(
    'A refresh_token dies with its access_token.',
    (one, now) => now >= one.grant.accessExpiresAtMs,
    because('it does not outlive its access_token', 'lifecycle/refresh-never-expires'),
  ),
  'lifecycle/expired-replaced-by-refresh#until-an-hour-later': refusingRefresh(
    'A refresh_token is refused for an hour after its access_token expired.',
    ({ grant }, now) => late(grant, now) >= 0 && late(grant, now) < HOUR_MS,
  ),
  'lifecycle/refresh-rotates#refresh-token': fault(
    'A refresh gives the old refresh_token again.',
    {
      tokens: (tokens, inHand) =>
        withMethods(tokens, {
          issue: (request, nowMs) => {
            const refreshToken = request.refreshed ? inHand.text('refresh_token') : undefined;
            return tokens.issue({ ...request, refreshToken }, nowMs);
          },
        }),
    },
    because('the refresh_token that was used is valid again', 'lifecycle/refresh-single-use'),
  ),
  'lifecycle/refresh-rotates#while-valid': keepingAccess(
    'until it expires',
    (refreshed, now) => now < refreshed.accessExpiresAtMs,
  ),
  'lifecycle/refresh-rotates#once-expired': keepingAccess(
    'once it has expired',
    (refreshed, now) => now >= refreshed.accessExpiresAtMs,
  ),
};

function replaying(accepts: Condition): Replacement<'entitle'> {
  return (entitle, inHand) =>
    inPlaceOfSomeRefusals(
      'lifecycle/refresh-single-use',
      entitle,
      (_partner, _grant, _state, nowMs) => {
        const { life } = inHand;
        if (life === undefined || !accepts(life, nowMs, inHand)) return null;
        const { userId, scope } = life.grant;
        return { userId, defaultScope: scope, refreshed: life.grant, markUsed: () => {} };
      },
    );
}

function refusingRefresh(
  how: string,
  refuses: Condition,
  breaks?: readonly Broken[],
): FaultDefinition {
  return fault(
    how,
    {
      entitle:
        (entitle, inHand) =>
        (...request) => {
          const entitlement = entitle(...request);
          const life = inHand.lives.of(entitlement.refreshed ?? undefined);
          if (life && refuses(life, request[3], inHand)) throw refreshTokenInvalid();
          return entitlement;
        },
      authorize:
        (authorize, inHand) =>
        (...request) =>
          used(inHand.life, request[2], authorize(...request)),
    },
    breaks,
  );
}

function keepingAccess(
  when: string,
  keeps: (refreshed: Grant, nowMs: number) => boolean,
): FaultDefinition {
  return fault(`A refresh gives the old access_token again ${when}.`, {
    tokens: (tokens) =>
      withMethods(tokens, {
        issue: (request, nowMs) => {
          const { refreshed } = request;
          const isKept = refreshed !== null && keeps(refreshed, nowMs);
          return tokens.issue(
            isKept ? { ...request, accessToken: refreshed.accessToken } : request,
            nowMs,
          );
        },
      }),
  });
}
