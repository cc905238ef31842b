import type { AllowanceKind } from '../../../interface/limits.ts';
import {
  type BaseRequest,
  type Caller,
  type Check,
  type CheckContext,
  priceOf,
} from '../contract/check.ts';
import { Inconclusive } from '../contract/judge.ts';
import { describeAnswer, type Fields, type TokenAttempt } from '../contract/messages.ts';
import type { Facts } from '../contract/target.ts';
import type { Session } from '../wire/session.ts';
import type { OpenBaseline } from './baseline.ts';
import type { CheckRequests } from './check-requests.ts';
import type { RunContext } from './run-context.ts';

/** Makes the context that one check runs in. */
export function checkContext(
  check: Check,
  session: Session,
  requests: CheckRequests,
  baseRequest: BaseRequest,
  { opening, codes }: OpenBaseline,
  run: RunContext,
): CheckContext {
  const { client } = session;
  const { facts } = client;
  const declared = facts.metered ? declaredBy(check, facts, baseRequest) : null;
  const own = callerOf(session, requests, baseRequest, declared, run);
  const usedUp = (): Inconclusive =>
    new Inconclusive(
      `its auth codes are used up (${session.sentCodes.size} sent); add authCodes to the profile`,
    );
  const unsentCode = (): string => {
    const unsent = codes.find((code) => !session.sentCodes.has(code));
    if (unsent === undefined) throw usedUp();
    return unsent;
  };
  const otherCaller = (other: Session): Caller => callerOf(other, requests, baseRequest, null, run);
  return {
    ...own,
    token: async (attempt) => {
      const code = attempt.fields['auth_code'];
      if (code !== undefined && code === codes.at(-1)) throw usedUp();
      return own.token(attempt);
    },
    facts,
    random: client.random,
    base: (changes?: Fields) => {
      if (baseRequest === 'refresh') return own.refresh(session.refreshToken ?? '', changes);
      if (baseRequest === 'user') return own.exchange(unsentCode(), changes);
      return own.platform(
        check.places[0].setting.withScope ? { scope: 'public', ...changes } : changes,
      );
    },
    query: (changes, shape) => session.estimateQuery(changes, shape),
    get accessToken() {
      return accessTokenOf(session, baseRequest);
    },
    get platformToken() {
      return session.platformToken ?? '';
    },
    get earlierPlatformTokens() {
      return session.tokenHistory.issued;
    },
    get earlierAnswers() {
      return session.tokenHistory.answers;
    },
    get refreshToken() {
      return session.refreshToken ?? '';
    },
    opening,
    rests: client.rests,
    alone: (task) => client.alone(task),
    log: () => client.log(requests.lastSent),
    now: () => requests.now(),
    timestamp: (secondsAgo = 0, form) => {
      requests.isTimed ||= secondsAgo !== 0;
      return client.stamp.textOf(client.clock.now() - secondsAgo * 1000, form);
    },
    reach: (atMs) => requests.reach(atMs, (untilMs) => run.reach(untilMs, check.rules)),
    reserve: () => {
      if (requests.isNextNew) run.reserve(session);
    },
    freshPartner: async (options) => otherCaller(await run.freshSession(options?.longLock)),
    otherPartner: async () => {
      const other = await run.otherSession();
      return other && otherCaller(other);
    },
    readLock: async (estimateId) => {
      requests.isTimed = true;
      const { lock, answeredAtMs } = await requests.send((part) =>
        client.readLock(estimateId, session.partner.id, part),
      );
      return lock && { ...lock, readAtMs: answeredAtMs };
    },
  };
}

/** Most requests that a check may send as its own partner, by allowance. */
function declaredBy(
  check: Check,
  facts: Facts,
  baseRequest: BaseRequest,
): Record<AllowanceKind, number> {
  const { later = {}, ...now } = priceOf(check, facts, baseRequest);
  const sum = (kind: AllowanceKind): number => (now[kind] ?? 0) + (later[kind] ?? 0);
  return { platform: sum('platform'), user: sum('user'), refresh: sum('refresh') };
}

/**
 * A refresh without a refresh_token is not well-formed: its refusal would be no fault of the target.
 *
 * @throws Inconclusive if the target gave none
 */
function requireRefreshToken({ purpose, fields, wellFormed }: TokenAttempt): void {
  if (wellFormed && fields['grant_type'] === 'refresh_token' && !fields['refresh_token'])
    throw new Inconclusive(`no refresh_token came that could be sent (${purpose})`);
}

/**
 * Makes the caller by which a check sends requests as one partner.
 *
 * @param declared token requests left to send as this partner; null for no limit
 */
function callerOf(
  session: Session,
  requests: CheckRequests,
  baseRequest: BaseRequest,
  declared: Record<AllowanceKind, number> | null,
  { takeCode }: Pick<RunContext, 'takeCode'>,
): Caller {
  const { partner, signer } = session;
  const platform: Caller['platform'] = (changes) =>
    session.tokenFields({ grant_type: 'client_credentials' }, changes);
  const refresh: Caller['refresh'] = (refreshToken, changes) =>
    session.tokenFields({ grant_type: 'refresh_token', refresh_token: refreshToken }, changes);
  const token: Caller['token'] = async (attempt) => {
    requireRefreshToken(attempt);
    return requests.send((part) => session.token(attempt, part, declared));
  };
  const sendPlatform: Caller['sendPlatform'] = (purpose) =>
    token({ purpose, fields: platform(), wellFormed: true });
  const estimate: Caller['estimate'] = (attempt) => {
    const accessToken = attempt.accessToken ?? accessTokenOf(session, baseRequest);
    const as = attempt.as ?? (baseRequest === 'user-estimate' ? 'user' : undefined);
    return requests.send((part) => session.estimate({ ...attempt, as, accessToken }, part));
  };
  return {
    id: partner.id,
    signingKey: partner.signingKey,
    platform,
    refresh,
    exchange: (authCode, changes) =>
      session.tokenFields({ grant_type: 'authorization_code', auth_code: authCode }, changes),
    signedPairs: (fields) => signer.signedPairs(fields),
    sign: (fields) => signer.sign(fields),
    signEstimate: (query) => signer.signEstimate(query),
    token,
    estimate,
    sendPlatform,
    pause: (forMs) => session.client.pause(forMs),
    issued: async (purpose) => {
      const answer = await sendPlatform(purpose);
      const { accessToken } = answer;
      if (accessToken !== null) return { ...answer, accessToken };
      throw new Inconclusive(`no token could be had (${describeAnswer(answer)})`);
    },
    refreshable: async (purpose) => {
      const answer = await sendPlatform(purpose);
      const { refreshToken } = answer;
      if (refreshToken !== null) return { ...answer, refreshToken };
      throw new Inconclusive(`no refresh_token could be had (${describeAnswer(answer)})`);
    },
    sendRefresh: (refreshToken, purpose) =>
      token({ purpose, fields: refresh(refreshToken), wellFormed: true }),
    sendEstimate: (accessToken, purpose, as) =>
      estimate({ purpose, query: session.estimateQuery(), accessToken, as, wellFormed: true }),
    authCode: async (user = 'user-1') => {
      const code = await takeCode(session, user);
      if (code === null) throw new Inconclusive('the profile has no unused auth code left');
      return code;
    },
  };
}

/** Access token of a base request; empty if there is none. */
function accessTokenOf(session: Session, baseRequest: BaseRequest): string {
  return (baseRequest === 'user-estimate' ? session.userToken : session.platformToken) ?? '';
}
