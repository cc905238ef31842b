import type { Exchange } from '../../exchange.ts';
import { SeededRandom } from '../../seeded-random.ts';
import { inconclusive } from '../../verdict.ts';
import type { BaseRequest } from '../contract/base-request.ts';
import type { Check } from '../contract/check.ts';
import type { Seen, SeenEstimate, SeenToken } from '../contract/observation.ts';
import type { Target } from '../contract/target.ts';
import { PendingUntil } from '../contract/undecided.ts';
import type { Send } from '../http/transport.ts';
import { Recording } from '../resume/recording.ts';
import type { EarlierExchange } from '../resume/run-log.ts';
import { type JudgedRule, runBatch } from '../runner/batch.ts';
import { Evidence } from '../target/evidence.ts';
import type { SessionWatch } from '../target/session.ts';
import { TargetClient } from '../target/target-client.ts';
import { firstOf, partnersOf, type StoredBatch, storedBatches } from './stored-batches.ts';
import { StoredSession, sentFields, sentQuery, shapeOf } from './stored-session.ts';
import type { StoredTarget } from './stored-target.ts';

/** What a site came to when its stored exchanges were judged again. */
export interface Replayed {
  readonly judged: readonly JudgedRule[];
  readonly seen: Seen;
}

/**
 * Runs the checks of a site again over stored exchanges, each batch by itself with a clock that
 * goes by the stored times. Nothing is sent.
 *
 * @param exchanges pseudonyms in them stand for secrets, and are taken for these
 * @param pointsTo ids of exchanges that a rule points to
 */
export async function replayTarget(
  client: StoredTarget,
  exchanges: readonly Exchange[],
  checks: readonly Check[],
  pointsTo: (rule: string) => readonly string[],
): Promise<Replayed> {
  const byKey = new Map(
    exchanges.flatMap((one) => (one.key === undefined ? [] : [[one.key, one]])),
  );
  const byId = new Map(exchanges.map((one) => [one.id, one]));
  const requests: SeenToken[] = [];
  const estimates: SeenEstimate[] = [];
  const watch: SessionWatch = {
    tokenSeen: (seen) => requests.push(seen),
    estimateSeen: (seen) => estimates.push(seen),
  };
  const judged: JudgedRule[] = [];
  for (const batch of storedBatches(checks, byKey, byId, pointsTo)) {
    judged.push(...(await replay(batch, client, byKey, watch, judged)));
  }
  const inOrder = <T extends { answer: { exchange: string } }>(list: T[]): T[] =>
    list.sort((a, b) => Number(a.answer.exchange.slice(1)) - Number(b.answer.exchange.slice(1)));
  const tokens = inOrder(requests).filter(({ answer }) => answer.outcome === 'accepted');
  return { judged, seen: { requests, tokens, estimates: inOrder(estimates) } };
}

async function replay(
  batch: StoredBatch,
  stored: StoredTarget,
  byKey: ReadonlyMap<string, Exchange>,
  watch: SessionWatch,
  before: readonly JudgedRule[],
): Promise<JudgedRule[]> {
  const { id, baseRequest } = batch;
  const control = (name: string): Exchange | undefined => byKey.get(`control:${id}:${name}`);
  const first = firstOf(batch, byKey);
  if (!first) return [];
  let nowMs = sentAtMs(first);
  const pass = (atMs: number): void => {
    nowMs = Math.max(nowMs, atMs);
  };
  const client = offlineClient(stored, byKey, () => nowMs);
  const { partnerId } = first;
  const store = { byKey, passed: pass };
  const speak = (name: string): StoredSession => {
    const isCalm = !batch.checks.some(({ bansFresh }) => bansFresh);
    const fresh = stored.control && !stored.metered && isCalm;
    return new StoredSession(
      client,
      { id: name, signingKey: `key-of-${name}` },
      watch,
      store,
      fresh,
    );
  };
  const session = speak(partnerId ?? 'nobody');
  hold(session, baseRequest, control);
  const others = partnersOf(batch, byKey, stored.baseUrl).filter((other) => other !== partnerId);
  let made = 0;
  const name = (what: string): string => `${what}-${++made}`;
  const hasOther = stored.control
    ? !stored.metered
    : stored.partners.some((other) => other !== partnerId);
  // A second code was kept for the closing control, or there was none.
  const codes = control('close#1') ? 2 : 1;
  try {
    return await runBatch(batch, session, {
      random: new SeededRandom(1),
      // Asked only where no request is stored that was sent after it.
      reach: async (atMs) => {
        if (!stored.control) throw new PendingUntil(atMs);
        pass(atMs);
        return nowMs;
      },
      found: (rule) => before.find((one) => one.rule === rule)?.judgement ?? null,
      // A check that speaks through a fresh partner alone has no request of its own partner's.
      freshSession: async () => speak(others.shift() ?? session.partner.id),
      otherSession: async () => (hasOther ? speak(name('other')) : null),
      newCode: async () => name('code'),
      takeCode: async () => (baseRequest !== 'user' || made < codes ? name('code') : null),
      stopOnRefusal: stored.metered,
    });
  } catch (error) {
    const judgement = inconclusive((error as Error).message);
    return batch.checks.flatMap((check) =>
      check.rules.map((rule) => ({ rule, judgement, exchanges: [], check })),
    );
  }
}

/** What the session held when the batch began, as its first request shows it. */
function hold(
  session: StoredSession,
  baseRequest: BaseRequest,
  control: (name: string) => Exchange | undefined,
): void {
  const opening = control('open#1');
  if (!opening) return;
  if (baseRequest === 'estimate' || baseRequest === 'user-estimate') {
    session.shape = shapeOf(sentQuery(opening), session.client.target);
    if (control('token#1')) return;
    const token = /\|([^|]*)$/.exec(opening.request.headers['authorization'] ?? '')?.[1];
    if (!token) return;
    if (baseRequest === 'estimate') session.platformToken = token;
    else session.userToken = token;
  }
  if (baseRequest === 'refresh' && !control('token#1')) {
    const token = sentFields(opening)?.['refresh_token'];
    session.refreshToken = typeof token === 'string' ? token : null;
  }
}

function offlineClient(
  stored: StoredTarget,
  byKey: ReadonlyMap<string, Exchange>,
  now: () => number,
): TargetClient {
  const target: Target = {
    ...stored,
    name: 'stored',
    partners: [],
    headers: {},
    control: stored.control ? { url: CONTROL_URL } : undefined,
  };
  const past = [...byKey.values()].map(
    (exchange): EarlierExchange => ({
      exchange,
      sentAtMs: sentAtMs(exchange),
      answeredAtMs: sentAtMs(exchange) + Math.round(exchange.durationMs),
    }),
  );
  return new TargetClient({
    target,
    recording: new Recording({ exchanges: past }, new Map(), true),
    evidence: new Evidence(),
    transport: { send: sendNothing(now), close: async () => {} },
    rateLimit: () => Promise.resolve(),
    wall: now,
    monotonic: now,
    metered: stored.metered,
    startedAtMs: now(),
    asked: () => true,
    waits: true,
    sleepUntil: async () => {},
    runLog: null,
  });
}

const CONTROL_URL = 'stored:';

/** Nothing goes out: what is not recalled is not there; the clock alone can be told. */
function sendNothing(now: () => number): Send {
  return async ({ url }) => {
    if (url !== `${CONTROL_URL}/clock`) {
      const message = 'the document does not hold the answer';
      return { response: null, error: { code: 'ANSWER_LOST', message } };
    }
    const body = JSON.stringify({ now: new Date(now()).toISOString() });
    const response = { status: 200, headers: {}, body, bodyBytes: body.length, truncated: false };
    return { response, error: null };
  };
}

/** By the target's clock. */
function sentAtMs({ at, targetAt }: Exchange): number {
  return Date.parse(targetAt ?? at);
}
