import type { Budget, SpendPlan } from '../budget/planner.ts';
import type { Check } from '../contract/check.ts';
import type { PartnerPool } from '../target/partner-pool.ts';
import type { Session } from '../target/session.ts';
import type { TargetClient } from '../target/target-client.ts';
import { firstKeyOf, type JudgedRule, keyOf, runBatch } from './batch.ts';
import { surroundings } from './run-context.ts';
import { Scheduler } from './scheduler.ts';
import type { TargetRun } from './target-run.ts';

/** What a plan is run with. */
export interface MeteredParts {
  readonly budgets: readonly Budget[];
  readonly pool: PartnerPool;
  readonly sessions: ReadonlyMap<string, Session>;
  readonly keep: (judged: readonly JudgedRule[]) => void;
}

/** Who stands in as another partner: the witness, if there is one. */
function otherThan(partnerId: string, budgets: readonly Budget[]): string {
  const others = budgets.filter((one) => one.partnerId !== partnerId && !one.mayBan);
  const witness = others.find(({ kept }) => kept > 0) ?? others[0];
  return witness?.partnerId ?? '';
}

/** Checks that are to run in another round. */
export interface Left {
  /** An earlier part of the run died in their middle. */
  readonly again: readonly Check[];
  /** Their partner was refused a well-formed request, and may be banned: another's may not be. */
  readonly skipped: readonly Check[];
}

/** Partner after partner, base request after base request: one request at a time, in the order of the plan. */
export async function runBatches(
  run: TargetRun,
  plan: SpendPlan,
  round: string,
  { budgets, pool, sessions, keep }: MeteredParts,
): Promise<Left> {
  const { client } = run;
  const scheduler = new Scheduler(1, (atMs) => client.clock.moveTo(atMs));
  const [again, skipped]: [Check[], Check[]] = [[], []];
  for (const phase of PHASES) {
    const planned = plan.batches.filter(({ baseRequest }) => phase.includes(baseRequest));
    const tasks = planned.map(({ partnerId, baseRequest, checks }) => async () => {
      const session = sessions.get(partnerId);
      if (!session || run.signal?.aborted) return;
      if (session.mayBeBanned) {
        skipped.push(...checks);
        return;
      }
      const other = otherThan(partnerId, budgets);
      const around = surroundings(run, pool, scheduler, async () => sessions.get(other) ?? null);
      const id = `${baseRequest}@${partnerId}/${round}`;
      takePartner(run, partnerId, checks);
      const judged = await runBatch({ id, baseRequest, checks }, session, {
        ...around,
        stopOnRefusal: true,
      });
      const lost = new Set(
        judged.filter((one) => mayGoAgain(one, client, id)).map(({ check }) => check),
      );
      again.push(...[...lost].map((check) => ({ ...check, attempt: (check.attempt ?? 1) + 1 })));
      keep(judged);
    });
    await scheduler.run(tasks);
  }
  return { again, skipped };
}

/** Noted before it is risked: a run may die in between. */
function takePartner(
  { client, watch }: TargetRun,
  partnerId: string,
  checks: readonly Check[],
): void {
  const taking = checks.filter(comesLast).filter((check) => !client.isPast(firstKeyOf(check)));
  if (taking.some(({ needs }) => needs?.ban)) watch.partnerTaken?.(partnerId, 'ban');
  else if (taking.length > 0) watch.partnerTaken?.(partnerId, 'day');
}

/** Nothing came of it because an answer was lost: with what is left it is tried once more. */
function mayGoAgain(
  { judgement, check }: JudgedRule,
  client: TargetClient,
  batchId: string,
): boolean {
  if (judgement.verdict !== 'inconclusive' || comesLast(check)) return false;
  return client.hasLost(`${keyOf(check)}#`) || client.hasLost(`control:${batchId}:`);
}

const PHASES: readonly (readonly string[])[] = [
  ['user', 'user-estimate'],
  ['platform'],
  ['estimate'],
  ['refresh', 'standalone'],
];

/** Whether a check ends in a ban, or spans days: such are run when all else is done. */
export function comesLast({ needs, spansDays }: Check): boolean {
  return needs?.ban === true || spansDays === true;
}
