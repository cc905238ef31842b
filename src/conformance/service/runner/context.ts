import type { AllowanceKind } from '../../../interface/limits.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import type { Answer, EstimateAnswer, TokenAnswer } from '../contract/answer.ts';
import type { BaseRequest } from '../contract/base-request.ts';
import type { Caller, CheckContext } from '../contract/context.ts';
import type { Fields } from '../contract/request.ts';
import { estimateQuery } from '../target/estimate-query.ts';
import { isoTimestamp, tokenFields } from '../target/request-fields.ts';
import type { Session } from '../target/session.ts';

/** What a context needs from the run that it belongs to. */
export interface Surroundings {
  readonly random: SeededRandom;
  readonly baseRequest: BaseRequest;
  readonly opening: TokenAnswer | EstimateAnswer | null;
  /** An auth code that the closing control will use, so that negatives may carry it. */
  readonly heldCode: string | null;
  /** What the check may still send as its own partner, by allowance; null for no bound. */
  readonly allowed: Record<AllowanceKind, number> | null;
  readonly reach: (atMs: number) => Promise<number>;
  readonly freshSession: (longLock: boolean) => Promise<Session>;
  readonly otherSession: () => Promise<Session | null>;
  readonly newCode: (session: Session, user: string) => Promise<string>;
}

/** A context, and what was sent through it. */
export interface Recording {
  readonly context: CheckContext;
  /** Ids of the exchanges answered so far, in order of sending. */
  readonly sent: readonly string[];
}

/** Makes the context that one check runs in; its requests are keyed `<key>#1`, `<key>#2` … */
export function makeContext(session: Session, key: string, around: Surroundings): Recording {
  const sent: string[] = [];
  /** The ordinals of these: of requests that are sent at once, any may be answered first. */
  const ordinals: number[] = [];
  let ordinal = 0;
  /** The target's time as far as what was sent before tells it. */
  let knownMs: number | null = null;
  /** Whether that lies in an earlier part of the run, and the check has not gone on from there. */
  let isBehind = false;
  const keep = async <A extends Pick<Answer, 'exchange' | 'answeredAtMs'>>(
    send: (key: string) => Promise<A>,
  ): Promise<A> => {
    const mine = ++ordinal;
    const own = `${key}#${mine}`;
    isBehind = client.isPast(own);
    const answer = await send(own);
    const place = ordinals.findLastIndex((one) => one < mine) + 1;
    ordinals.splice(place, 0, mine);
    sent.splice(place, 0, answer.exchange);
    knownMs = answer.answeredAtMs;
    return answer;
  };
  const { client } = session;
  const { clock } = client;
  /** Where an earlier part of the run sent the next request, its time is the time of the check. */
  const pastMs = (): number | null => client.sentAt(`${key}#${ordinal + 1}`);

  const callerOf = (speaking: Session): Caller => ({
    id: speaking.partner.id,
    signingKey: speaking.partner.signingKey,
    platform: (changes) =>
      tokenFields({ grant_type: 'client_credentials' }, changes, client, around.random),
    refresh: (refreshToken, changes) =>
      tokenFields(
        { grant_type: 'refresh_token', refresh_token: refreshToken },
        changes,
        client,
        around.random,
      ),
    exchange: (authCode, changes) =>
      tokenFields(
        { grant_type: 'authorization_code', auth_code: authCode },
        changes,
        client,
        around.random,
      ),
    signedPairs: (fields) => speaking.signedPairs(fields),
    sign: (fields) => speaking.sign(fields),
    signEstimate: (query) => speaking.signEstimate(query),
    token: (attempt) =>
      keep((as) => speaking.token(attempt, as, speaking === session ? around.allowed : null)),
    estimate: (attempt) =>
      keep((as) =>
        speaking.estimate(
          {
            ...userWhere(around.baseRequest),
            ...attempt,
            accessToken: attempt.accessToken ?? tokenOf(speaking, around.baseRequest) ?? '',
          },
          as,
        ),
      ),
    authCode: (user = 'user-1') => around.newCode(speaking, user),
  });

  const own = callerOf(session);
  const base = (changes: Fields = {}): Fields => {
    if (around.baseRequest === 'refresh') return own.refresh(session.refreshToken ?? '', changes);
    if (around.baseRequest === 'user') return own.exchange(around.heldCode ?? '', changes);
    return own.platform(changes);
  };
  const context: CheckContext = {
    ...own,
    facts: client.facts,
    random: around.random,
    base,
    query: (changes = {}, shape) => estimateQuery(client, changes, shape ?? session.shape),
    get accessToken() {
      return tokenOf(session, around.baseRequest) ?? '';
    },
    opening: around.opening,
    now: () => {
      const past = pastMs();
      if (past !== null) return knownMs ?? past;
      return isBehind && knownMs !== null ? knownMs : clock.now();
    },
    timestamp: (secondsAgo = 0) => isoTimestamp(clock.now() - secondsAgo * 1000),
    reach: async (atMs) => {
      const past = pastMs();
      if (past !== null) {
        knownMs = past;
        return past;
      }
      const nowMs = await around.reach(atMs);
      isBehind = false;
      return nowMs;
    },
    freshPartner: async (options) =>
      callerOf(await around.freshSession(options?.longLock ?? false)),
    otherPartner: async () => {
      const other = await around.otherSession();
      return other && callerOf(other);
    },
    readLock: async (estimateId) => {
      const { partner } = session;
      const { lock, answeredAtMs } = await keep((as) =>
        client.readLock(estimateId, partner.id, as),
      );
      return lock && { ...lock, readAtMs: answeredAtMs };
    },
  };
  return { context, sent };
}

function tokenOf(session: Session, baseRequest: BaseRequest): string | null {
  return baseRequest === 'user-estimate' ? session.userToken : session.platformToken;
}

function userWhere(baseRequest: BaseRequest): { as?: 'user' } {
  return baseRequest === 'user-estimate' ? { as: 'user' } : {};
}
