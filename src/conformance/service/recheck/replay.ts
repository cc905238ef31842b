import type { Part } from '../../../documents/exchange.ts';
import type { Exchange } from '../../../documents/sealed.ts';
import type { StoredTarget } from '../../../documents/stored-target.ts';
import { sentMs } from '../../model/asked.ts';
import { SeededRandom } from '../../seeded-random.ts';
import { ClockSteps } from '../../steady-clock.ts';
import { inconclusive, type Judgement } from '../../verdict.ts';
import { SpendCounter } from '../budget/spend-counter.ts';
import type { BaseRequest, Check } from '../contract/check.ts';
import { PendingUntil } from '../contract/judge.ts';
import type { TokenAnswer } from '../contract/messages.ts';
import type { Seen } from '../contract/observation.ts';
import { keyOf } from '../contract/part-of-run.ts';
import { SeenTraffic } from '../contract/seen-traffic.ts';
import { type Facts, factsOf, type Target } from '../contract/target.ts';
import type { Send } from '../http/message.ts';
import { doubtsOf } from '../judge/alibis.ts';
import { notShownAgain } from '../judge/attempts.ts';
import { judgeChecks, type TargetLog } from '../judge/judge.ts';
import { type JudgedRule, judgeAlike } from '../judge/judged-rule.ts';
import { shownOfAll } from '../judge/of-all.ts';
import { Recording } from '../resume/recording.ts';
import type { LoggedExchange } from '../resume/run-log.ts';
import { runBatch } from '../runner/batch.ts';
import { Evidence } from '../wire/evidence.ts';
import { RateLimiter } from '../wire/rate-limit.ts';
import { restedAmong } from '../wire/recent-answers.ts';
import type { SessionHooks } from '../wire/session-hooks.ts';
import type { Stability } from '../wire/stability.ts';
import { TargetClient, type TargetClientOptions } from '../wire/target-client.ts';
import { TokenHistory } from '../wire/token-history.ts';
import { onPlace, partnersOf, type StoredBatch, storedBatches } from './stored-batches.ts';
import { StoredSession, sentFields, sentQuery, shapeOf } from './stored-session.ts';

/** Outcome of a target whose stored exchanges were judged again. */
export interface ReplayedTarget {
  readonly log: Omit<TargetLog, 'observed'>;
  readonly seen: Seen;
}

/**
 * Runs the checks of a target again over stored exchanges, with a clock that follows the stored
 * times of each batch. Nothing is sent.
 *
 * @param exchanges pseudonyms in them stand for secrets, and are used as such
 * @param pointsTo ids of exchanges that a rule points to
 * @param stability shared by the targets of a run
 * @param endedMs end of the run, by this machine's clock then
 */
export async function replayTarget(
  target: StoredTarget,
  facts: Facts,
  exchanges: readonly Exchange[],
  checks: readonly Check[],
  pointsTo: (rule: string) => readonly string[],
  stability: Stability,
  endedMs: number,
): Promise<ReplayedTarget> {
  const byKey = new Map(
    exchanges.flatMap((one) => (one.part === undefined ? [] : [[keyOf(one.part), one]])),
  );
  const byId = new Map(exchanges.map((one) => [one.id, one]));
  const traffic = new SeenTraffic();
  const hooks: SessionHooks = traffic;
  const logged = logOf(exchanges);
  const recording = new Recording(logged, new Map(), true);
  const restedIds = new Set([...restedAmong(logged)].map(({ exchange }) => exchange.id));
  const tokenHistory = new Map<string, TokenHistory>();
  const evidence = new Evidence();
  for (const one of exchanges) evidence.takeOver({ ...one, purpose: `${one.purpose}` });
  const clock = { nowMs: 0 };
  const now = (): number => clock.nowMs;
  const client = offlineClient({ target, facts, evidence, recording, restedIds, stability }, now);
  const run = { target, client, clock, byKey, hooks, tokenHistory, endedMs };
  const statusOf = (id: string): number | null => byId.get(id)?.response?.status ?? null;
  const doubts = { ...doubtsOf(client), statusOf };
  const found: JudgedRule[] = [];
  const judgementOf = (rule: string): Judgement | null =>
    judgeChecks({ checks: [], found, doubts }).find((one) => one.rule === rule)?.judgement ?? null;
  const { unsent = [] } = target;
  const named = new Set(unsent.map(({ check }) => check));
  // What the document says of an attempt, it says because no exchange does.
  const isTold = ({ check: { id }, attempt = 1 }: JudgedRule): boolean =>
    unsent.some((one) => one.check === id && one.attempt === attempt);
  for (const batch of storedBatches(checks, exchanges, pointsTo, named))
    found.push(...(await replayBatch(batch, run, judgementOf)).filter((one) => !isTold(one)));
  const known = new Map(checks.map((check) => [check.id, check]));
  for (const { check: id, attempt, on, reason } of unsent) {
    const check = known.get(id);
    if (check) found.push(...judgeAlike(onPlace(check, on), inconclusive(reason), [], attempt));
  }
  if (!target.metered)
    for (const rule of notShownAgain(found, doubts)) stability.recordTakenBack(rule);
  const ofAll = shownOfAll(found, exchanges, target.baseUrl);
  return { log: { checks, found, ofAll, doubts }, seen: traffic.seen(facts) };
}

/** Parts that the batches of a stored target share. */
interface StoredRun {
  readonly target: StoredTarget;
  readonly client: TargetClient;
  /** Time of the batch that is judged. */
  readonly clock: { nowMs: number };
  readonly byKey: ReadonlyMap<string, Exchange>;
  readonly hooks: SessionHooks;
  readonly endedMs: number;
  /** By partner; filled where partners are metered. */
  readonly tokenHistory: Map<string, TokenHistory>;
}

async function replayBatch(
  { batch, exchanges, opening }: StoredBatch,
  run: StoredRun,
  judgementOf: (rule: string) => Judgement | null,
): Promise<JudgedRule[]> {
  const { baseRequest, checks } = batch;
  const { target, client, clock, byKey, hooks, tokenHistory, endedMs } = run;
  const baseline = (step: string): Exchange | undefined =>
    exchanges.findLast(({ part }) => part?.step === step && isFirst(part));
  const [first] = exchanges;
  if (!first) return [];
  clock.nowMs = sentMs(first);
  const passTo = (atMs: number): void => {
    clock.nowMs = Math.max(clock.nowMs, atMs);
  };
  const isCalm = !checks.some(({ effect }) => effect === 'bans');
  const fresh = target.control && !target.metered && isCalm;
  const historyOf = (partnerId: string): TokenHistory => {
    const tokens = tokenHistory.get(partnerId) ?? new TokenHistory();
    if (target.metered) tokenHistory.set(partnerId, tokens);
    return tokens;
  };
  const sessionOf = (partnerId: string): StoredSession => {
    const partner = { id: partnerId, signingKey: `key-of-${partnerId}` };
    return new StoredSession(client, partner, hooks, { byKey, passTo, historyOf }, fresh);
  };
  const session = sessionOf(first.partnerId ?? 'nobody');
  const isReopened = opening !== undefined && baseline('open') === undefined;
  restoreTokens(
    session,
    baseRequest,
    baseline,
    isReopened ? refreshTokenOf(baseline('close')) : null,
  );
  const others = partnersOf({ batch, exchanges, opening }, target.baseUrl).filter(
    (one) => one !== first.partnerId,
  );
  const hasOther = target.control
    ? !target.metered
    : target.partners.some((one) => one !== first.partnerId);
  let invented = 0;
  const invent = (what: string): string => `${what}-${++invented}`;
  let codesTaken = 0;
  // The baseline took a second code for its closing request, or there was none.
  const hasSecondCode = baseRequest !== 'user' || baseline('close') !== undefined;
  try {
    const reopen = isReopened ? () => storedAnswer(session, opening) : undefined;
    return await runBatch({ ...batch, reopen }, session, {
      // Called only where no stored request was sent later.
      reach: async (atMs) => {
        if (!target.control && endedMs < atMs) throw new PendingUntil(atMs);
        passTo(atMs);
        return clock.nowMs;
      },
      reserve: () => undefined,
      // A check may send all its requests as fresh partners.
      freshSession: async () => sessionOf(others.shift() ?? session.partner.id),
      otherSession: async () => (hasOther ? sessionOf(invent('other')) : null),
      takeCode: async () => (++codesTaken === 2 && !hasSecondCode ? null : invent('code')),
      judgementOf: async (rule) => judgementOf(rule),
    });
  } catch (error) {
    const judgement = inconclusive((error as Error).message);
    return checks.flatMap((check) =>
      judgeAlike(check, judgement, [], batch.attempts?.get(check.id)),
    );
  }
}

/** Checks whether a request is the first of its step, and was not sent in the place of another. */
function isFirst({ number, form, repeat }: Part): boolean {
  return number === 1 && form === undefined && repeat === undefined;
}

/** The answer of a stored token request. */
async function storedAnswer(
  session: StoredSession,
  { part = { number: 1 }, purpose, expects, request }: Exchange,
): Promise<TokenAnswer> {
  const { refreshToken } = session;
  const fields = sentFields({ request }) ?? {};
  const answer = await session.seenBefore({ purpose: `${purpose}`, expects, fields }, part);
  session.refreshToken = refreshToken;
  return answer;
}

/** The refresh_token that a request sent; null for none. */
function refreshTokenOf(exchange: Exchange | undefined): string | null {
  const token = exchange && sentFields(exchange)?.['refresh_token'];
  return typeof token === 'string' ? token : null;
}

/** Restores the tokens of a session when the batch began, as its first request shows them. */
function restoreTokens(
  session: StoredSession,
  baseRequest: BaseRequest,
  baseline: (step: string) => Exchange | undefined,
  reopenedWith: string | null,
): void {
  // Where the token of a batch was lost, an earlier one was refreshed.
  const isLost = baseline('token')?.response === null;
  session.refreshToken = reopenedWith ?? (isLost ? refreshTokenOf(baseline('refreshed')) : null);
  const opening = baseline('open');
  if (!opening) return;
  const hasOwnToken = baseline('token') !== undefined;
  if (baseRequest === 'estimate' || baseRequest === 'user-estimate') {
    session.shape = shapeOf(sentQuery(opening), session.client.target);
    const token = /\|([^|]*)$/.exec(opening.request.headers['authorization'] ?? '')?.[1];
    if (hasOwnToken || !token) return;
    if (baseRequest === 'estimate') session.platformToken = token;
    else session.userToken = token;
  }
  if (baseRequest === 'refresh' && !hasOwnToken) {
    session.refreshToken = refreshTokenOf(opening);
  }
}

const CONTROL_URL = 'stored:';

/** Facts of a stored target, as its checks knew them; `asked` as the document has its rules. */
export function factsOfStored(stored: StoredTarget, asked: Facts['asked']): Facts {
  const control = stored.control ? { url: CONTROL_URL } : undefined;
  const { metered, partners } = stored;
  const run = { metered, partners: partners.length, asked, waits: true };
  // Their secrets are not stored.
  return factsOf({ ...stored, control, partners: [] }, run);
}

function logOf(exchanges: readonly Exchange[]): LoggedExchange<Exchange>[] {
  return exchanges.map((exchange) => {
    const atMs = sentMs(exchange);
    return { exchange, sentAtMs: atMs, answeredAtMs: atMs + Math.round(exchange.durationMs) };
  });
}

/** Client that answers from stored exchanges. */
function offlineClient(
  {
    target: stored,
    ...parts
  }: Pick<TargetClientOptions, 'facts' | 'evidence' | 'recording' | 'restedIds' | 'stability'> & {
    readonly target: StoredTarget;
  },
  now: () => number,
): TargetClient {
  const target: Target = {
    ...stored,
    name: 'stored',
    partners: [],
    headers: {},
    control: stored.control ? { url: CONTROL_URL } : undefined,
  };
  return new TargetClient({
    ...parts,
    target,
    send: sendNothing(now),
    pause: async () => {},
    rateLimit: new RateLimiter(null, now, async () => {}),
    random: new SeededRandom(1),
    spend: new SpendCounter(now, now()),
    runLog: null,
    machine: { now, steps: new ClockSteps() },
    monotonic: now,
    sleepUntil: async () => {},
  });
}

/** Sends nothing: an answer that is not stored is lost, and only the clock can be read. */
function sendNothing(now: () => number): Send {
  return async ({ url }) => {
    if (url !== `${CONTROL_URL}/clock`) {
      const message = 'the response is not in the document';
      return { response: null, error: { code: 'ANSWER_LOST', message } };
    }
    const body = JSON.stringify({ now: new Date(now()).toISOString() });
    const response = { status: 200, headers: {}, body, bodyBytes: body.length, truncated: false };
    return { response, error: null };
  };
}
