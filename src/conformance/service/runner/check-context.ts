import type { AllowanceKind } from '../../../interface/limits.ts';
import type { BaseRequest, Caller, Check, CheckContext } from '../contract/check.ts';
import type { Fields } from '../contract/messages.ts';
import type { Facts } from '../contract/target.ts';
import { isoTimestamp } from '../target/request-fields.ts';
import type { Session } from '../target/session.ts';
import type { OpenBaseline } from './baseline.ts';
import { accessTokenOf, callerOf } from './caller.ts';
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
  const unused = [...codes];
  const otherCaller = (other: Session): Caller => callerOf(other, requests, baseRequest, null, run);
  return {
    ...own,
    facts,
    random: client.random,
    base: (changes?: Fields) => {
      if (baseRequest === 'refresh') return own.refresh(session.refreshToken ?? '', changes);
      if (baseRequest === 'user')
        return own.exchange(unused.shift() ?? codes.at(-1) ?? '', changes);
      return own.platform(changes);
    },
    query: (changes, shape) => session.estimateQuery(changes, shape),
    get accessToken() {
      return accessTokenOf(session, baseRequest);
    },
    opening,
    now: () => requests.now(),
    timestamp: (secondsAgo = 0) => isoTimestamp(client.clock.now() - secondsAgo * 1000),
    reach: (atMs) => requests.reach(atMs, run.reach),
    freshPartner: async (options) => otherCaller(await run.freshSession(options?.longLock)),
    otherPartner: async () => {
      const other = await run.otherSession();
      return other && otherCaller(other);
    },
    readLock: async (estimateId) => {
      const { lock, answeredAtMs } = await requests.send((key) =>
        client.readLock(estimateId, session.partner.id, key),
      );
      return lock && { ...lock, readAtMs: answeredAtMs };
    },
  };
}

/** Most requests that a check may send as its own partner, by allowance. */
function declaredBy(
  { spends, spendsLater = {} }: Check,
  facts: Facts,
  baseRequest: BaseRequest,
): Record<AllowanceKind, number> {
  const now = spends(facts, baseRequest);
  const sum = (kind: AllowanceKind): number => (now[kind] ?? 0) + (spendsLater[kind] ?? 0);
  return { platform: sum('platform'), user: sum('user'), refresh: sum('refresh') };
}
