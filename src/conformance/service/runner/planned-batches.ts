import type { Budget } from '../budget/budgets.ts';
import type { PlannedBatch } from '../budget/planner.ts';
import type { BaseRequest, Check } from '../contract/check.ts';
import type { PartnerPool } from '../target/partner-pool.ts';
import type { Session } from '../target/session.ts';
import { runBatch } from './batch.ts';
import { keyOf } from './check-run.ts';
import type { JudgedRule, OnJudged } from './judged-rule.ts';
import { runContext } from './run-context.ts';
import { Scheduler } from './scheduler.ts';
import type { TargetRun } from './target-run.ts';

/** Run whose batches are planned, and the sessions of its partners. */
export interface PlannedRun {
  readonly run: TargetRun;
  readonly budgets: readonly Budget[];
  readonly pool: PartnerPool;
  readonly sessions: ReadonlyMap<string, Session>;
  readonly onJudged: OnJudged;
}

/** Checks to plan again. */
export interface Unfinished {
  /** Checks in which an earlier part of the run died. */
  readonly again: readonly Check[];
  /** Checks whose partner was refused a well-formed request, and may be banned. */
  readonly skipped: readonly Check[];
}

/** Order of the base requests: see the planner. */
const PHASES: readonly (readonly BaseRequest[])[] = [
  ['user', 'user-estimate'],
  ['platform'],
  ['estimate'],
  ['refresh', 'standalone'],
];

/** Runs the batches of a plan one after the other, one request at a time. */
export async function runPlannedBatches(
  batches: readonly PlannedBatch[],
  round: string,
  planned: PlannedRun,
): Promise<Unfinished> {
  const { run, budgets, pool, sessions, onJudged } = planned;
  const { client, signal } = run;
  const scheduler = new Scheduler(1, (atMs) => client.clock.moveTo(atMs));
  const [again, skipped]: [Check[], Check[]] = [[], []];
  const runOne = async ({ partnerId, baseRequest, checks }: PlannedBatch): Promise<void> => {
    const session = sessions.get(partnerId);
    if (!session || signal?.aborted) return;
    if (session.mayBeBanned) {
      skipped.push(...checks);
      return;
    }
    const other = otherPartner(partnerId, budgets);
    const context = runContext(run, pool, scheduler, async () => sessions.get(other) ?? null);
    const id = `${baseRequest}@${partnerId}/${round}`;
    reservePartner(run, partnerId, checks);
    const judged = await runBatch({ id, baseRequest, checks }, session, context);
    const lost = new Set(judged.filter((one) => hasLost(one, run, id)).map(({ check }) => check));
    again.push(...[...lost].map((check) => ({ ...check, attempt: (check.attempt ?? 1) + 1 })));
    onJudged(judged);
  };
  for (const phase of PHASES) {
    const ofPhase = batches.filter(({ baseRequest }) => phase.includes(baseRequest));
    await scheduler.run(ofPhase.map((batch) => () => runOne(batch)));
  }
  return { again, skipped };
}

/** Partner that stands in as another one: the witness, if there is one. */
function otherPartner(partnerId: string, budgets: readonly Budget[]): string {
  const others = budgets.filter((one) => one.partnerId !== partnerId && !one.mayBan);
  const witness = others.find(({ kept }) => kept > 0) ?? others[0];
  return witness?.partnerId ?? '';
}

/** Reserves a partner before it is risked: the run may die in between. */
function reservePartner(
  { client, hooks }: TargetRun,
  partnerId: string,
  checks: readonly Check[],
): void {
  const risky = checks
    .filter(comesLast)
    .filter((check) => !client.recording.has(`${keyOf(check)}#1`));
  if (risky.some(({ needs }) => needs?.ban)) hooks.partnerTaken?.(partnerId, 'ban');
  else if (risky.length > 0) hooks.partnerTaken?.(partnerId, 'day');
}

/** Checks whether a rule is undecided because an answer was lost: its check is run again. */
function hasLost(
  { judgement, check }: JudgedRule,
  { client }: TargetRun,
  batchId: string,
): boolean {
  if (judgement.verdict !== 'inconclusive' || comesLast(check)) return false;
  const { recording } = client;
  return recording.hasLost(`${keyOf(check)}#`) || recording.hasLost(`control:${batchId}:`);
}

/** Checks whether a check ends in a ban or spans days: such checks run last. */
export function comesLast({ needs, spansDays }: Check): boolean {
  return needs?.ban === true || spansDays === true;
}
