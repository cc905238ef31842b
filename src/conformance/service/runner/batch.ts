import type { PartBatch } from '../../../documents/exchange.ts';
import { FareproofError } from '../../../interface/errors.ts';
import { NOT_RESTARTED } from '../../../spending/index.ts';
import { inconclusive } from '../../verdict.ts';
import {
  type Baseline,
  type BaseRequest,
  type Check,
  describePlace,
  isFree,
  isProbe,
  isWaiting,
  placeOn,
  priceOf,
  type Setting,
  VARIANTS_PER_PARTNER,
} from '../contract/check.ts';
import type { TokenAnswer } from '../contract/messages.ts';
import { batchName } from '../contract/parts.ts';
import type { Facts } from '../contract/target.ts';
import { stepOf, takenBack } from '../judge/clock-step.ts';
import { type JudgedRule, judgeAlike } from '../judge/judged-rule.ts';
import type { Session } from '../wire/session.ts';
import type { TargetClient } from '../wire/target-client.ts';
import { EMPTY_BASELINE, lackedBy, type OpenBaseline, openBaseline } from './baseline.ts';
import { awaitsBaseline, type CheckRun, judgeCheck, runCheck } from './check-run.ts';
import type { RunContext } from './run-context.ts';

/** Checks that share one base request, and so its baseline, on one partner. */
export interface Batch {
  /** Identifies its baseline; the same in each run. */
  readonly id: string;
  readonly baseRequest: BaseRequest;
  readonly setting?: Setting | undefined;
  /**
   * Returns the accepted answer that serves as the opening request, null for none; left out, an opening
   * request is sent.
   */
  readonly reopen?: (() => Promise<TokenAnswer | null>) | undefined;
  /** Called before anything is sent; throws to stop the batch. */
  readonly reserve?: (() => void) | undefined;
  /** Called where a request before the checks was refused, and none of them is run for that. */
  readonly onRefused?: (() => void) | undefined;
  readonly checks: readonly Check[];
  /** Number of each check's attempt by its id; left out, the first. */
  readonly attempts?: ReadonlyMap<string, number> | undefined;
}

/** Runs a batch's checks between the two requests of its baseline. */
export async function runBatch(
  { id, baseRequest, setting = {}, reopen, reserve, onRefused, checks, attempts }: Batch,
  session: Session,
  run: RunContext,
): Promise<JudgedRule[]> {
  const attemptOf = (check: Check): number => attempts?.get(check.id) ?? 1;
  // The life of a token is measured from when an earlier batch got it.
  const held = checks.some(isWaiting) ? [...session.heldSinceMs.values()] : [];
  const sinceMs = Math.min(session.client.clock.machineNow(), ...held);
  const { wasRefused } = session;
  const takeCode = (): Promise<string | null> => run.takeCode(session, 'user-1');
  const ofProbes = checks.length > 0 && checks.every(isProbe);
  const part: PartBatch = { id, baseRequest, setting, ...(ofProbes && { isProbe: ofProbes }) };
  const open = async (): Promise<OpenBaseline> => {
    reserve?.();
    const codes = codesFor(checks, baseRequest, session.client.facts);
    return openBaseline({ baseRequest, setting, reopen, codes }, session, part, takeCode);
  };
  const baseline = await unlessStopped(
    open(),
    (reason): OpenBaseline => ({ ...EMPTY_BASELINE, stopped: reason }),
  );
  const { opening } = baseline;
  const { stability, target } = session.client;
  const name = batchName({ baseRequest, setting });
  keepAccepted(session, name, opening);
  if (opening && !reopen) {
    const named = (base: string): string => `${base} in ${target.environment}`;
    const kind = named(describePlace(placeOn(baseRequest)));
    stability.record({ ...opening, kind, base: named(describePlace({ baseRequest, setting })) });
  }
  const stop = reasonToStop(baseRequest, baseline, session);
  if (stop !== null) {
    const exchanges = opening ? [opening.exchange] : [];
    if (session.wasRefused && !wasRefused) onRefused?.();
    return checks.flatMap((check) =>
      judgeAlike(check, inconclusive(stop), exchanges, attemptOf(check)),
    );
  }
  const within = reopen && opening ? { ...part, opening: opening.exchange } : part;
  const runOne = (check: Check): Promise<CheckRun> =>
    runCheck(check, attemptOf(check), session, baseRequest, baseline, within, run);
  const runs = await runInOrder(checks, runOne, (check) =>
    mayRunAtOnce(check, baseRequest, session.client),
  );
  const whole: Baseline = runs.some(awaitsBaseline)
    ? await unlessStopped(
        baseline.close().then((closing) => ({ opening, closing })),
        (problem) => ({ opening, closing: null, problem }),
      )
    : { opening, closing: null };
  keepAccepted(session, name, whole.closing);
  const judged = new Map<CheckRun, JudgedRule[]>();
  for (const one of runs) {
    const found = await judgeCheck(one, whole, run.judgementOf);
    const isOpen = whole.problem !== undefined && awaitsBaseline(one);
    judged.set(one, isOpen ? found.map(withoutEnd) : found);
  }
  session.codes.unshift(...baseline.codes.filter((code) => !session.sentCodes.has(code)));
  const around = [...(reopen ? [] : [opening]), whole.closing].flatMap(
    (one) => one?.exchange ?? [],
  );
  const stepMs = await clockStep(session.client, sinceMs, [
    ...around,
    ...runs.flatMap(({ sent }) => sent),
  ]);
  if (stepMs === undefined) return [...judged.values()].flat();
  for (const exchange of around) stability.forget(exchange);
  // What a rest showed is in doubt as well: the next attempt takes its own.
  const { rests } = session.client;
  rests.isTaken = false;
  for (const rule of checks.flatMap((check) => check.rules)) rests.confirmed.delete(rule);
  return [...judged].flatMap(([{ isTimed }, of]) =>
    of.map((one) => unlessMeasured(one, isTimed, stepMs)),
  );
}

/**
 * Step of a clock since a batch began, ms; undefined if there was none. It is noted on the batch's exchanges, so that
 * the stored run is judged alike.
 */
async function clockStep(
  client: TargetClient,
  sinceMs: number,
  exchanges: readonly string[],
): Promise<number | undefined> {
  const step = await client.clock.stepSince(sinceMs);
  if (step) client.noteClockStep(exchanges, step.byMs);
  return stepOf(exchanges, client.evidence.raw);
}

/** Finding of a check whose batch could not be closed: that no exchange shows. */
function withoutEnd(one: JudgedRule): JudgedRule {
  const isOpen = one.judgement.verdict === 'inconclusive';
  return isOpen ? { ...one, judgement: { ...one.judgement, isBroken: true } } : one;
}

/** Judgement of what a clock cannot have changed, as a check that measured no time judged it; else it is taken back. */
function unlessMeasured(one: JudgedRule, isTimed: boolean, stepMs: number): JudgedRule {
  const { verdict } = one.judgement;
  if (!isTimed && (verdict === 'untestable' || verdict === 'pass')) return one;
  return { ...one, judgement: takenBack(one.judgement, stepMs), isStepped: true };
}

/** Auth codes that checks send on a base request, at most. */
function codesFor(checks: readonly Check[], baseRequest: BaseRequest, facts: Facts): number {
  if (!facts.metered) return VARIANTS_PER_PARTNER.user + 1;
  return checks.reduce((sum, check) => sum + (priceOf(check, facts, baseRequest).codes ?? 0), 0);
}

/** Checks of a batch that run at once, at most. */
const AT_ONCE = 8;

/**
 * Checks whether a check may run beside others of its batch: it sends nothing but estimates, which change nothing,
 * and waits for nothing. A target that refused a right request may limit its rate, so there they run one by one.
 * Where partners are fresh, whole batches run at once instead.
 */
function mayRunAtOnce(
  check: Check,
  baseRequest: BaseRequest,
  { facts, rightRequests }: TargetClient,
): boolean {
  const isEstimate = baseRequest === 'estimate' || baseRequest === 'user-estimate';
  const isSimple = check.effect === undefined && isFree(priceOf(check, facts, baseRequest));
  return facts.metered && rightRequests.areAccepted && isEstimate && isSimple;
}

/** Runs checks one after the other; those that may, at once, after them. */
async function runInOrder(
  checks: readonly Check[],
  runOne: (check: Check) => Promise<CheckRun>,
  mayRunBeside: (check: Check) => boolean,
): Promise<CheckRun[]> {
  const runs = new Map<Check, CheckRun>();
  // Asked before any is run: what a target accepts by then may change the answer.
  const atOnce = new Set(checks.filter(mayRunBeside));
  const runEach = async (some: Iterator<Check>): Promise<void> => {
    for (let next = some.next(); !next.done; next = some.next())
      runs.set(next.value, await runOne(next.value));
  };
  await runEach(checks.filter((check) => !atOnce.has(check)).values());
  const beside = atOnce.values();
  await Promise.all(Array.from({ length: AT_ONCE }, () => runEach(beside)));
  return checks.flatMap((check) => runs.get(check) ?? []);
}

/** Keeps an accepted token answer, with which a later batch may open. */
function keepAccepted({ accepted }: Session, name: string, answer: Baseline['opening']): void {
  if (answer?.outcome === 'accepted' && 'accessToken' in answer)
    accepted.set(name, answer as TokenAnswer);
}

const STOPS: readonly string[] = [
  'ALLOWANCE_GUARD',
  'INTERRUPTED',
  'REQUESTS_SPENT',
  'REFRESH_TOKEN_USED',
  'EXCHANGE_MISSING',
  'RUN_NOT_RECORDED',
  'LEDGER_NOT_WRITABLE',
  'LEDGER_IN_USE',
];

/** A request that was not sent makes checks inconclusive, and does not end the run. */
export async function unlessStopped<T>(
  sending: Promise<T>,
  otherwise: (reason: string) => T,
): Promise<T> {
  try {
    return await sending;
  } catch (error) {
    if (!(error instanceof FareproofError) || !STOPS.includes(error.code)) throw error;
    return otherwise(error.message);
  }
}

/** Reason not to run the checks; null if there is none. */
function reasonToStop(
  baseRequest: BaseRequest,
  { opening, stopped }: OpenBaseline,
  session: Session,
): string | null {
  if (stopped !== undefined) return stopped;
  // A batch that is opened again by a lost answer has no opening either, whatever its session holds by then.
  const lacked = baseRequest === 'refresh' ? 'refresh_token' : lackedBy(baseRequest, session);
  if (!opening && lacked !== null) return `no ${lacked} was available`;
  if (baseRequest === 'user' && !opening) return 'no auth code was available';
  const spends = baseRequest === 'platform' || baseRequest === 'user' || baseRequest === 'refresh';
  // A metered partner may be banned: every further request might extend the ban.
  if (!session.client.facts.metered || !spends || opening?.outcome !== 'refused') return null;
  return `the well-formed request before it was refused (status ${opening.status}), so ${nothingMoreSent(session)}`;
}

/** Explanation of why a partner's checks were not run. */
export function nothingMoreSent({ isUsedUp }: Session): string {
  const why = isUsedUp ? NOT_RESTARTED : 'it may be banned, or its signing key may be wrong';
  return `nothing more was sent as this partner: ${why}`;
}
