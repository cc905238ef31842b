import type { Partner } from '../service/state/partners.ts';
import type { Grant, Tokens } from '../service/state/tokens.ts';
import { refreshTokenInvalid } from '../service/token/entitlement.ts';
import { issuing } from './broken-token-steps.ts';
import { because, type FaultsOf, fault } from './fault.ts';
import type { RequestInHand } from './request-in-hand.ts';
import { withMethods } from './with-methods.ts';

const HOUR_MS = 3_600_000;
/** Milliseconds between a check and its mark, one timer each: a stalled process still lets others run. */
const RACE_STEPS = 25;

/** Faults of the rules on the life of tokens. */
export const LIFECYCLE_FAULTS: FaultsOf<'lifecycle'> = {
  'lifecycle/refresh-rotates': fault(
    'A refresh gives the old access_token again, with a new life.',
    {
      tokens: issuing(({ refreshed }) => (refreshed ? { accessToken: refreshed.accessToken } : {})),
    },
  ),
  'lifecycle/refresh-single-use': fault(
    'A used refresh_token stays valid.',
    { tokens: (tokens) => withMethods(tokens, { useRefresh: () => {} }) },
    because(
      'refreshes sent at once with it succeed as well',
      'lifecycle/refresh-single-use-concurrent',
    ),
  ),
  'lifecycle/refresh-single-use-concurrent': fault(
    'A refresh_token is marked as used 25 ms after it was checked.',
    {
      tokens: markingLate,
      answerToken: (answer) => async (request) => {
        const answered = answer(request);
        await lateMark;
        return answered;
      },
    },
  ),
  'lifecycle/refresh-never-expires': fault('A refresh_token dies an hour after its access_token.', {
    entitle: (entitle) => (partner, grant, state, nowMs) => {
      const entitlement = entitle(partner, grant, state, nowMs);
      const diesAtMs = (entitlement.refreshed?.accessExpiresAtMs ?? nowMs) + HOUR_MS;
      if (nowMs >= diesAtMs) throw refreshTokenInvalid();
      return entitlement;
    },
  }),
  'lifecycle/platform-tokens-coexist': fault('A new platform token ends the one before it.', {
    tokens: supersedingPlatformTokens,
  }),
  'lifecycle/user-token-newest-only': fault('Earlier tokens of a user stay valid.', {
    tokens: (tokens) =>
      withMethods(tokens, {
        findAccess: (accessToken) => {
          const grant = tokens.findAccess(accessToken);
          return grant && { ...grant, superseded: false };
        },
      }),
  }),
  'lifecycle/access-token-valid-until-expiry': fault(
    'An access_token dies after half of expires_in_second.',
    { accessTokenLifetimeMs: (lifetimeMs) => lifetimeMs / 2 },
  ),
  'lifecycle/access-token-expires': fault('An access_token never expires.', {
    accessTokenLifetimeMs: () => Number.MAX_SAFE_INTEGER / 2,
  }),
  'lifecycle/expired-replaced-by-refresh': fault('What replaces an expired token does not work.', {
    tokens: (tokens) =>
      withMethods(tokens, {
        issue: (request, nowMs) => {
          const issued = tokens.issue(request, nowMs);
          const expiredAtMs = request.refreshed?.accessExpiresAtMs;
          if (expiredAtMs !== undefined && nowMs >= expiredAtMs) issued.grant.superseded = true;
          return issued;
        },
      }),
  }),
};

/** The last mark that was put off. It is set and read within one synchronous answer. */
let lateMark: Promise<void> = Promise.resolve();

function markingLate(tokens: Tokens, inHand: RequestInHand): Tokens {
  const mark = async (refreshToken: string): Promise<void> => {
    for (let step = 0; step < RACE_STEPS; step++) await inHand.sleep(1);
    tokens.useRefresh(refreshToken);
  };
  return withMethods(tokens, {
    useRefresh: (refreshToken) => {
      lateMark = mark(refreshToken);
    },
  });
}

function supersedingPlatformTokens(tokens: Tokens): Tokens {
  const newest = new Map<Partner, Grant>();
  return withMethods(tokens, {
    issue: (request, nowMs) => {
      const issued = tokens.issue(request, nowMs);
      if (request.userId !== null || request.refreshed !== null) return issued;
      const earlier = newest.get(request.partner);
      if (earlier !== undefined) earlier.superseded = true;
      newest.set(request.partner, issued.grant);
      return issued;
    },
  });
}
