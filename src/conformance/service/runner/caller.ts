import type { AllowanceKind } from '../../../interface/limits.ts';
import type { BaseRequest } from '../contract/base-request.ts';
import type { Caller } from '../contract/context.ts';
import { Inconclusive } from '../contract/undecided.ts';
import type { Session } from '../target/session.ts';
import type { CheckRequests } from './check-requests.ts';
import type { RunContext } from './run-context.ts';

/**
 * Makes the caller by which a check sends requests as one partner.
 *
 * @param declared what the check may still send as this partner; null for no limit
 */
export function callerOf(
  session: Session,
  requests: CheckRequests,
  baseRequest: BaseRequest,
  declared: Record<AllowanceKind, number> | null,
  { takeCode }: Pick<RunContext, 'takeCode'>,
): Caller {
  const { partner, signer } = session;
  const kind = baseRequest === 'user-estimate' ? { as: 'user' as const } : {};
  return {
    id: partner.id,
    signingKey: partner.signingKey,
    platform: (changes) => session.tokenFields({ grant_type: 'client_credentials' }, changes),
    refresh: (refreshToken, changes) =>
      session.tokenFields({ grant_type: 'refresh_token', refresh_token: refreshToken }, changes),
    exchange: (authCode, changes) =>
      session.tokenFields({ grant_type: 'authorization_code', auth_code: authCode }, changes),
    signedPairs: (fields) => signer.signedPairs(fields),
    sign: (fields) => signer.sign(fields),
    signEstimate: (query) => signer.signEstimate(query),
    token: (attempt) => requests.send((key) => session.token(attempt, key, declared)),
    estimate: (attempt) => {
      const accessToken = attempt.accessToken ?? accessTokenOf(session, baseRequest);
      return requests.send((key) => session.estimate({ ...kind, ...attempt, accessToken }, key));
    },
    authCode: async (user = 'user-1') => {
      const code = await takeCode(session, user);
      if (code === null) throw new Inconclusive('the profile has no unused auth code left');
      return code;
    },
  };
}

/** Access token of a base request; empty where there is none. */
export function accessTokenOf(session: Session, baseRequest: BaseRequest): string {
  return (baseRequest === 'user-estimate' ? session.userToken : session.platformToken) ?? '';
}
