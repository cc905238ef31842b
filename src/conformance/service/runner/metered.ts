import { ALLOWANCE_KINDS } from '../../../interface/limits.ts';
import { inconclusive } from '../../verdict.ts';
import type { Budget } from '../budget/budgets.ts';
import {
  type PlannedBatch,
  planSpending,
  type SpendPlan,
  type Unplanned,
} from '../budget/planner.ts';
import type { Check } from '../contract/check.ts';
import type { Facts } from '../contract/target.ts';
import { PartnerPool } from '../target/partner-pool.ts';
import type { Session } from '../target/session.ts';
import { NOTHING_MORE_SENT } from './batch.ts';
import { judgeAlike, type OnJudged } from './judged-rule.ts';
import { comesLast, type PlannedRun, runPlannedBatches } from './planned-batches.ts';
import type { CheckRunner, TargetRun } from './target-run.ts';

/** Rounds of planning: allowance that a round did not spend is planned again in the next. */
const ROUNDS = 4;

const NOT_RUN = inconclusive(
  `a well-formed request of its partner was refused before, so ${NOTHING_MORE_SENT}`,
);

/** Runs what the partners' allowances permit, one request at a time, in rounds. */
export class MeteredRunner implements CheckRunner {
  readonly #run: TargetRun;
  readonly #budgets: readonly Budget[];
  readonly #onJudged: OnJudged;
  readonly #pool: PartnerPool;
  readonly #sessions = new Map<string, Session>();
  /** Budgets of the probes. */
  #left: readonly Budget[] = [];

  constructor(run: TargetRun, budgets: readonly Budget[], onJudged: OnJudged) {
    this.#run = run;
    this.#budgets = budgets;
    this.#onJudged = onJudged;
    this.#pool = new PartnerPool(run.client, run.hooks);
  }

  async run(checks: readonly Check[]): Promise<readonly Unplanned[]> {
    const { client, cap, found } = this.#run;
    await this.#openSessions();
    const [first, last] = splitPlan(planSpending(checks, this.#budgets, client.facts, cap));
    let plan = first;
    const skipped = new Set<Check>();
    for (let round = 1; round <= ROUNDS && !this.#run.signal?.aborted; round++) {
      const left = await this.#runBatches(plan.batches, String(round));
      for (const check of left.skipped) skipped.add(check);
      const unplanned = plan.unplanned.map(({ check }) => check);
      const waiting = [...unplanned, ...left.again, ...left.skipped];
      if (waiting.length === 0) break;
      const next = this.#planLeft(waiting, this.#budgetsLeft(last));
      if (next.batches.length === 0) break;
      plan = next;
    }
    this.#left = this.#budgetsLeft(last);
    const ending = await this.#runBatches(last, 'last');
    for (const check of ending.skipped) skipped.add(check);
    const isOpen = ({ rules }: Check): boolean => !rules.some((rule) => found.has(rule));
    this.#onJudged([...skipped].filter(isOpen).flatMap((check) => judgeAlike(check, NOT_RUN)));
    return plan.unplanned.filter(({ check }) => isOpen(check));
  }

  async probe(probes: readonly Check[], onJudged: OnJudged): Promise<readonly Unplanned[]> {
    const { batches, unplanned } = this.#planLeft(probes, this.#left);
    await this.#runBatches(batches, 'probe', onJudged);
    return unplanned;
  }

  /** Opens the profile's partners; under a cap, on a target with a control API, fresh ones instead. */
  async #openSessions(): Promise<void> {
    const { partners } = this.#run.client.target;
    for (const { partnerId, unusedCodes } of this.#budgets) {
      const partner = partners.find(({ id }) => id === partnerId);
      const session = partner ? this.#pool.open(partner, unusedCodes) : await this.#pool.fresh();
      this.#sessions.set(partnerId, session);
    }
  }

  #runBatches(
    batches: readonly PlannedBatch[],
    round: string,
    onJudged: OnJudged = this.#onJudged,
  ): ReturnType<typeof runPlannedBatches> {
    const planned: PlannedRun = {
      run: this.#run,
      budgets: this.#budgets,
      pool: this.#pool,
      sessions: this.#sessions,
      onJudged,
    };
    return runPlannedBatches(batches, round, planned);
  }

  #planLeft(checks: readonly Check[], budgets: readonly Budget[]): SpendPlan {
    const { cap, client } = this.#run;
    const capLeft = cap === null ? null : Math.max(0, cap - client.spend.total);
    return planSpending(checks, budgets, client.facts, capLeft);
  }

  /**
   * Budgets after a round, without what the last checks will spend. A partner that was refused a
   * well-formed request gets none.
   */
  #budgetsLeft(last: readonly PlannedBatch[]): Budget[] {
    const { spend, control, facts } = this.#run.client;
    return this.#budgets.flatMap((budget) => {
      const session = this.#sessions.get(budget.partnerId);
      if (!session || session.wasRefused || budget.mayBan) return [];
      const spent = spend.of(session.partner.id);
      const reserved = spendingOfLast(last, budget.partnerId, facts);
      const left = {
        platform: budget.left.platform - spent.platform - reserved.platform,
        user: budget.left.user - spent.user - reserved.user,
        refresh: budget.left.refresh - spent.refresh - reserved.refresh,
        codes: control ? budget.left.codes : session.codes.length,
      };
      return [{ ...budget, left, hasAccessToken: session.platformToken !== null }];
    });
  }
}

/** Splits off what ends in a ban or spans days: it runs when all else is done. */
function splitPlan(plan: SpendPlan): [SpendPlan, readonly PlannedBatch[]] {
  const pick = (wanted: boolean): PlannedBatch[] =>
    plan.batches
      .map((one) => ({ ...one, checks: one.checks.filter((check) => comesLast(check) === wanted) }))
      .filter(({ checks }) => checks.length > 0);
  const depends = ({ checks }: PlannedBatch): number =>
    Number(checks.some(({ dependsOn }) => dependsOn !== undefined));
  const last = pick(true).sort((a, b) => depends(a) - depends(b));
  return [{ ...plan, batches: pick(false) }, last];
}

function spendingOfLast(
  last: readonly PlannedBatch[],
  partnerId: string,
  facts: Facts,
): { platform: number; user: number; refresh: number } {
  const total = { platform: 0, user: 0, refresh: 0 };
  for (const { baseRequest, checks } of last.filter((one) => one.partnerId === partnerId)) {
    for (const check of checks) {
      const spends = check.spends(facts, baseRequest);
      for (const kind of ALLOWANCE_KINDS) total[kind] += spends[kind] ?? 0;
    }
  }
  return total;
}
