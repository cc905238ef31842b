import { FareproofError } from '../../../interface/errors.ts';
import type { AllowanceKind } from '../../../interface/limits.ts';
import { inconclusive, type Judgement } from '../../verdict.ts';
import type { Baseline, Check, Finding, Findings } from '../contract/check.ts';
import { PendingUntil, pending } from '../contract/pending.ts';
import type { Facts } from '../contract/target.ts';
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
  /** Whether a refused opening control ends the batch, so that nothing is sent into a ban. */
  readonly stopOnRefusal: boolean;
};

interface Ran {
  readonly check: Check;
  readonly findings: Findings;
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
    findingsOf(findings).some((one) => typeof one === 'function'),
  );
  const { opening } = run;
  const controls: Baseline = waits
    ? await orStopped(
        run.close().then((closing) => ({ opening, closing })),
        (problem) => ({ opening, closing: null, problem }),
      )
    : { opening, closing: null };
  return ran.flatMap((one) => judge(one, controls));
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

/** Who a check's requests are sent by; stable from run to run. */
export function keyOf({ rules, attempt = 1 }: Check): string {
  return `${rules[0] ?? ''}${attempt > 1 ? `~${attempt}` : ''}`;
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
  try {
    return { check, findings: await check.run(context), sent };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('code' in error && error.code === 'TARGET_UNREACHABLE') throw error;
    if (error instanceof PendingUntil) return { check, findings: pending(error), sent };
    return { check, findings: inconclusive(`the check could not go on: ${error.message}`), sent };
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

function judge({ check, findings, sent }: Ran, controls: Baseline): JudgedRule[] {
  const { opening, closing } = controls;
  return check.rules.map((rule) => {
    const finding = isSingle(findings) ? findings : findings[rule];
    const waits = typeof finding === 'function';
    const judgement = waits ? finding(controls) : finding;
    const beside = waits ? [opening?.exchange, closing?.exchange] : [opening?.exchange];
    const all = [...(judgement?.exchanges ?? sent), ...beside];
    return {
      rule,
      judgement: judgement ?? inconclusive('the check said nothing about this rule'),
      exchanges: [...new Set(all.filter((id) => id !== undefined))],
      check,
    };
  });
}

function notRun(check: Check, { opening }: BaseRequestRun, reason: string): JudgedRule[] {
  const exchanges = opening ? [opening.exchange] : [];
  const judgement = inconclusive(reason);
  return check.rules.map((rule) => ({ rule, judgement, exchanges, check }));
}

function findingsOf(findings: Findings): readonly (Finding | undefined)[] {
  return isSingle(findings) ? [findings] : Object.values(findings);
}

function isSingle(findings: Findings): findings is Finding {
  return typeof findings === 'function' || 'verdict' in findings;
}
