import { FareproofError } from '../../../interface/errors.ts';
import type { AllowanceKind } from '../../../interface/limits.ts';
import { inconclusive, type Judgement } from '../../verdict.ts';
import type { Baseline, Check, Finding, Findings } from '../contract/check.ts';
import type { Facts } from '../contract/target.ts';
import { Undecided } from '../contract/undecided.ts';
import type { Session } from '../target/session.ts';
import { type BaseRequestRun, openBaseRequest, type TakeCode } from './baseline.ts';
import { makeContext, type Surroundings } from './context.ts';

/** Checks that share one base request, and so its controls, on one partner. */
export interface Batch {
  /** Keys its controls; stable from run to run. */
  readonly id: string;
  readonly baseRequest: Check['baseRequest'];
  readonly checks: readonly Check[];
}

/** What one rule came to, before the level of the rule makes a verdict of it. */
export interface JudgedRule {
  readonly rule: string;
  readonly judgement: Judgement;
  /** Exchanges of the check and of its controls. */
  readonly exchanges: readonly string[];
  readonly check: Check;
}

/** What a batch needs from its run. */
export type BatchContext = Omit<
  Surroundings,
  'baseRequest' | 'opening' | 'heldCode' | 'allowed'
> & {
  readonly takeCode: TakeCode;
  /** What another check of the run has found by now; null where it has not, or was not run. */
  readonly found: Found;
  /** Whether a refused opening control ends the batch, so that nothing is sent into a ban. */
  readonly stopOnRefusal: boolean;
};

type Found = (rule: string) => Judgement | null;

type Settled = Exclude<Finding, Promise<unknown>>;

interface Ran {
  readonly check: Check;
  readonly findings: Settled | Readonly<Record<string, Settled>>;
  readonly sent: readonly string[];
}

/** Runs a batch's checks between its controls; one that throws is inconclusive, no more. */
export async function runBatch(
  batch: Batch,
  session: Session,
  around: BatchContext,
): Promise<JudgedRule[]> {
  const { baseRequest } = batch;
  const key = `control:${batch.id}`;
  const run = await orStopped(
    openBaseRequest(baseRequest, session, around.random, key, around.takeCode),
    (reason): BaseRequestRun => ({
      opening: null,
      heldCode: null,
      close: async () => null,
      stopped: reason,
    }),
  );
  const stop = reasonToStop(baseRequest, run, around.stopOnRefusal);
  if (stop !== null) return batch.checks.flatMap((check) => notRun(check, run, stop));
  const ran: Ran[] = [];
  for (const check of batch.checks) {
    ran.push(await runCheck(check, session, run, around, baseRequest));
  }
  const waits = ran.some(({ findings }) =>
    (isSingle(findings) ? [findings] : Object.values(findings)).some(
      (one) => typeof one === 'function',
    ),
  );
  const { opening } = run;
  const baseline: Baseline = waits
    ? await orStopped(
        run.close().then((closing) => ({ opening, closing })),
        (problem) => ({ opening, closing: null, problem }),
      )
    : { opening, closing: null };
  const judged = await Promise.all(ran.map((one) => judge(one, baseline, around.found)));
  return judged.flat();
}

const STOPS: readonly string[] = [
  'ALLOWANCE_GUARD',
  'INTERRUPTED',
  'REFRESH_TOKEN_USED',
  'EXCHANGE_MISSING',
];

/** A control that is stopped on our side ends no run: nothing is proven, no more. */
async function orStopped<T>(control: Promise<T>, otherwise: (reason: string) => T): Promise<T> {
  try {
    return await control;
  } catch (error) {
    if (!(error instanceof FareproofError) || !STOPS.includes(error.code)) throw error;
    return otherwise(error.message);
  }
}

/** Why nothing more should be sent; null where the checks may run. */
function reasonToStop(
  baseRequest: Check['baseRequest'],
  { opening, stopped }: BaseRequestRun,
  stopOnRefusal: boolean,
): string | null {
  if (stopped !== undefined) return stopped;
  if (baseRequest === 'refresh' && !opening) return 'no refresh_token could be had';
  if (baseRequest === 'user' && !opening) return 'no auth code could be had';
  const spends = baseRequest === 'platform' || baseRequest === 'user' || baseRequest === 'refresh';
  if (!stopOnRefusal || !spends || opening?.outcome !== 'refused') return null;
  return `the well-formed request before it was refused (status ${opening.status}), so no more was sent for this partner: it may be banned, or its signing key wrong`;
}

/** Begins the keys of a check's exchanges; stable from run to run. */
export function keyOf({ id, attempt = 1 }: Check): string {
  return attempt > 1 ? `${id}~${attempt}` : id;
}

/** Of the first request that a check sends. */
export function firstKeyOf(check: Check): string {
  return `${keyOf(check)}#1`;
}

async function runCheck(
  check: Check,
  session: Session,
  run: BaseRequestRun,
  around: BatchContext,
  baseRequest: Check['baseRequest'],
): Promise<Ran> {
  const { opening, heldCode } = run;
  const key = keyOf(check);
  const { facts } = session.client;
  const allowed = facts.metered ? allowedTo(check, facts, baseRequest) : null;
  const own = { ...around, baseRequest, opening, heldCode, allowed };
  const { context, sent } = makeContext(session, key, own);
  const findings = await settled(() => check.run(context));
  if (isSingle(findings)) return { check, findings, sent };
  const settling = Object.entries(findings).map(
    async ([rule, one]) => [rule, await settled(async () => one)] as const,
  );
  return { check, findings: Object.fromEntries(await Promise.all(settling)), sent };
}

/** The one place where what a check throws becomes a judgement. */
async function settled<T>(judging: () => Promise<T>): Promise<T | Judgement> {
  try {
    return await judging();
  } catch (error) {
    if (error instanceof Undecided) return error.judgement;
    if (!(error instanceof Error)) throw error;
    if ('code' in error && error.code === 'TARGET_UNREACHABLE') throw error;
    return inconclusive(`the check could not go on: ${error.message}`);
  }
}

function allowedTo(
  { spends, spendsLater = {} }: Check,
  facts: Facts,
  baseRequest: Check['baseRequest'],
): Record<AllowanceKind, number> {
  const now = spends(facts, baseRequest);
  const both = (kind: AllowanceKind): number => (now[kind] ?? 0) + (spendsLater[kind] ?? 0);
  return { platform: both('platform'), user: both('user'), refresh: both('refresh') };
}

function judge(
  { check, findings, sent }: Ran,
  baseline: Baseline,
  found: Found,
): Promise<JudgedRule[]> {
  const { opening, closing } = baseline;
  const judging = check.rules.map(async (rule): Promise<JudgedRule> => {
    const finding = isSingle(findings) ? findings : findings[rule];
    const waits = typeof finding === 'function';
    const judgement = waits ? await settled(async () => finding(baseline)) : finding;
    const beside = waits ? [opening?.exchange, closing?.exchange] : [opening?.exchange];
    const all = [...(judgement?.exchanges ?? sent), ...beside];
    return {
      rule,
      judgement: judgement
        ? unlessExplained(judgement, check.dependsOn?.[rule], found)
        : inconclusive('the check said nothing about this rule'),
      exchanges: [...new Set(all.filter((id) => id !== undefined))],
      check,
    };
  });
  return Promise.all(judging);
}

/** A violation stands only where the rule that it depends on passes. */
function unlessExplained(judgement: Judgement, rule: string | undefined, found: Found): Judgement {
  if (rule === undefined || judgement.verdict !== 'violated') return judgement;
  const verdict = found(rule)?.verdict;
  if (verdict === 'pass') return judgement;
  return inconclusive(
    `${judgement.reason}, but ${rule}, which would explain it, ${verdict === 'violated' ? 'is broken too' : 'was not judged'}`,
  );
}

function notRun(check: Check, { opening }: BaseRequestRun, reason: string): JudgedRule[] {
  const exchanges = opening ? [opening.exchange] : [];
  const judgement = inconclusive(reason);
  return check.rules.map((rule) => ({ rule, judgement, exchanges, check }));
}

function isSingle(findings: Awaited<Findings>): findings is Settled {
  return typeof findings === 'function' || 'verdict' in findings;
}
