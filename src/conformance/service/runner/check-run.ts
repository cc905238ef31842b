import type { PartBatch } from '../../../documents/exchange.ts';
import { FareproofError } from '../../../interface/errors.ts';
import { broken, inconclusive, type Judgement } from '../../verdict.ts';
import {
  type Baseline,
  type BaseRequest,
  type Check,
  type Finding,
  type Findings,
  isCounted,
} from '../contract/check.ts';
import { Undecided } from '../contract/judge.ts';
import type { Sender } from '../contract/part-of-run.ts';
import type { JudgedRule } from '../judge/judged-rule.ts';
import { TARGET_UNREACHABLE } from '../wire/reachability.ts';
import type { Session } from '../wire/session.ts';
import type { OpenBaseline } from './baseline.ts';
import { checkContext } from './check-context.ts';
import { CheckRequests } from './check-requests.ts';
import type { RunContext } from './run-context.ts';

/** Findings of a check, and the exchanges that it sent. */
export interface CheckRun {
  readonly check: Check;
  readonly attempt: number;
  readonly findings: Findings;
  readonly sent: readonly string[];
  /** True if the check measured a time, or waited for one. */
  readonly isTimed: boolean;
}

/** Sender of the requests of a check's attempt, in a batch. */
export function senderOf(check: Check, attempt: number, batch?: PartBatch): Sender {
  const sender = { ...(batch && { batch }), check: check.id, ...(attempt > 1 && { attempt }) };
  return { ...sender, ...(isCounted(check) && { counted: true as const }) };
}

/** Runs one check. */
export async function runCheck(
  check: Check,
  attempt: number,
  session: Session,
  baseRequest: BaseRequest,
  baseline: OpenBaseline,
  batch: PartBatch,
  run: RunContext,
): Promise<CheckRun> {
  const requests = new CheckRequests(session.client, senderOf(check, attempt, batch));
  const context = checkContext(check, session, requests, baseRequest, baseline, run);
  const findings = await settled(() => check.run(context));
  const { sent, isTimed } = requests;
  return { check, attempt, findings: isFound(findings) ? findings : NOTHING_SAID, sent, isTimed };
}

const NOTHING_SAID = inconclusive('the check said nothing about this rule');

/** False for what a user's rule may return instead of a finding, such as nothing. */
const isFound = (findings: Findings): boolean =>
  typeof findings === 'function' || (typeof findings === 'object' && findings !== null);

/** The one place where what a check throws becomes a judgement. */
async function settled<T>(judging: () => Promise<T>): Promise<T | Judgement> {
  try {
    return await judging();
  } catch (error) {
    if (error instanceof Undecided) return error.judgement;
    if (!(error instanceof Error)) return broken(`it threw ${String(error)}`);
    if ('code' in error && error.code === TARGET_UNREACHABLE) throw error;
    // An error of ours says all; of any other, the place is in the user's own rule.
    const place = error instanceof FareproofError ? '' : placeOf(error);
    return broken(`${error.message}${place}`);
  }
}

/** Files and lines of the calls that led to an error, the innermost first. */
function placeOf({ stack = '' }: Error): string {
  const calls = [...stack.matchAll(/([^/\\\s(]+:\d+):\d+\)?$/gm)].slice(0, 3);
  return calls.length === 0 ? '' : ` (at ${calls.map(([, call]) => call).join(', ')})`;
}

/** Checks whether a finding depends on the closing request of the baseline. */
export function awaitsBaseline({ findings }: CheckRun): boolean {
  const all = isSingle(findings) ? [findings] : Object.values(findings);
  return all.some((one) => typeof one === 'function');
}

/** Judges the rules of a check that was run, one after another: a finding may send requests. */
export async function judgeCheck(
  { check, attempt, findings, sent }: CheckRun,
  baseline: Baseline,
  judgementOf: RunContext['judgementOf'],
): Promise<JudgedRule[]> {
  const { opening, closing } = baseline;
  const judged: JudgedRule[] = [];
  for (const rule of check.rules) {
    const finding = isSingle(findings) ? findings : findings[rule];
    const awaits = typeof finding === 'function';
    const judgement = awaits ? await settled(async () => finding(baseline)) : finding;
    const around = awaits ? [opening?.exchange, closing?.exchange] : [opening?.exchange];
    const exchanges = [...(judgement?.exchanges ?? sent), ...around];
    judged.push({
      rule,
      judgement:
        judgement && isFound(judgement)
          ? await unlessExplained(judgement, check.dependsOn?.[rule], judgementOf)
          : NOTHING_SAID,
      exchanges: [...new Set(exchanges.filter((id) => id !== undefined))],
      check,
      attempt,
    });
  }
  return judged;
}

/** A violation stands only where the rule that it depends on passes. */
async function unlessExplained(
  judgement: Judgement,
  rule: string | undefined,
  judgementOf: RunContext['judgementOf'],
): Promise<Judgement> {
  if (rule === undefined || judgement.verdict !== 'violated') return judgement;
  const verdict = (await judgementOf(rule))?.verdict;
  if (verdict === 'pass') return judgement;
  return inconclusive(
    `${judgement.reason}, but ${rule}, which would explain it, ${verdict === 'violated' ? 'is broken too' : 'was not judged'}`,
  );
}

function isSingle(findings: Findings): findings is Finding {
  return typeof findings === 'function' || 'verdict' in findings;
}
