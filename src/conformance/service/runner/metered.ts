import type { AllowanceKind } from '../../../interface/limits.ts';
import { untestable } from '../../verdict.ts';
import type { Budget } from '../budget/budgets.ts';
import { type LeftOut, leftOutOf } from '../budget/left-out.ts';
import { type PlannedBatch, planSpending, type SpendPlan } from '../budget/planner.ts';
import {
  type BaseRequest,
  type Check,
  isFree,
  isFurther,
  isProbe,
  priceOf,
} from '../contract/check.ts';
import { isRoomy } from '../contract/target.ts';
import { type JudgedRule, judgeAlike, type OnJudged } from '../judge/judged-rule.ts';
import { refusedCount } from '../rules/quota/refused-count.ts';
import type { Session } from '../wire/session.ts';
import { spendingOfLast, splitPlan } from './last-batches.ts';
import { isWorthALook, partnerToLook } from './look-for-free.ts';
import { MeteredBatches, type Unfinished } from './metered-batches.ts';
import type { CheckRunner, TargetRun } from './target-run.ts';

/** Rounds of planning: allowance that a round did not spend is planned again in the next. */
const ROUNDS = 4;

const NOT_CHOSEN = untestable('the requests of the run are too few for it');

/** Base requests that cost allowance even if no other check is sent on them. */
const COSTLY: readonly BaseRequest[] = ['refresh', 'user'];

/** Runs what the partners' allowances permit, one batch at a time, in rounds. */
export function meteredRunner(
  run: TargetRun,
  budgets: readonly Budget[],
  onRunJudged: OnJudged,
): CheckRunner {
  const { client, cap, found } = run;
  const { facts, spend } = client;
  const partners = new MeteredBatches(run, budgets);
  let forProbes: readonly Budget[] = [];
  let leftOut: readonly LeftOut[] = [];
  const planned: PlannedBatch[] = [];

  const planLeft = (checks: readonly Check[], left: readonly Budget[]): SpendPlan =>
    planSpending(checks, left, client.facts, {
      cap,
      spent: spend.total,
      earlier: planned,
      help: run.help(),
    });

  /** Plans a round; what its probes will need is left to them. */
  const planRound = (checks: readonly Check[], left: readonly Budget[]): SpendPlan => {
    const plan = planLeft([...checks, ...run.probes], left);
    return {
      batches: plan.batches
        .map((batch) => ({ ...batch, checks: batch.checks.filter((check) => !isProbe(check)) }))
        .filter(({ checks: some }) => some.length > 0),
      unplanned: plan.unplanned.filter(({ check }) => !isProbe(check)),
    };
  };

  /** Looks whether refused requests are free, where some that are to be refused could not be sent otherwise. */
  const looksForFree = async (
    checks: readonly Check[],
    last: readonly PlannedBatch[],
  ): Promise<boolean> => {
    const budget = partnerToLook(budgets, last, client);
    if (!budget) return false;
    const { unplanned } = planLeft([...checks, ...run.probes], budgets);
    if (!isWorthALook(unplanned, facts)) return false;
    const { partnerId } = budget;
    const check = refusedCount(() => client.noteRefusedAreFree());
    onRunJudged(await partners.runAlone(`refused-count@${partnerId}`, check, partnerId));
    return client.facts.refusedAreFree;
  };

  /**
   * Budgets after a round, without what the last checks will spend. A partner that was refused a
   * well-formed request gets none.
   */
  const budgetsLeft = (last: readonly PlannedBatch[]): Budget[] =>
    budgets.flatMap((budget) => {
      const session = partners.sessionOf(budget.partnerId);
      if (!session || session.wasRefused || budget.mayBan) return [];
      const spent = spend.of(session.partner.id);
      const reserved = spendingOfLast(last, budget.partnerId, facts);
      const of = (kind: AllowanceKind): number => budget.left[kind] - spent[kind] - reserved[kind];
      const codes = client.control ? budget.left.codes : session.codes.length - reserved.codes;
      const left = { platform: of('platform'), user: of('user'), refresh: of('refresh'), codes };
      const hasAccessToken = session.platformToken !== null;
      return [{ ...budget, left, hasAccessToken, accepted: acceptedBy(session) }];
    });

  return {
    run: async (checks) => {
      await partners.open();
      // What costs allowance waits until each check had its own, and a refusal was repeated.
      const mayWait = (check: Check): boolean => {
        return (
          isFurther(check) &&
          !(check.priority?.stage === 'early' && isRoomy(facts)) &&
          !check.priority?.isFirst &&
          (COSTLY.includes(check.places[0].baseRequest) || !isFree(priceOf(check, facts)))
        );
      };
      const planFirst = (some: readonly Check[]): ReturnType<typeof splitPlan> =>
        splitPlan(
          planRound(
            some.filter((check) => !mayWait(check)),
            budgets,
          ),
        );
      let parts: readonly Check[] = checks.filter(mayWait);
      let [first, last] = planFirst(checks);
      const isMore = await looksForFree([...checks, ...run.spare], last);
      if (isMore) {
        [first, last] = planFirst([...checks, ...run.spare]);
        parts = [...parts, ...run.spare.filter(mayWait)];
      } else onRunJudged(run.spare.flatMap((check) => judgeAlike(check, NOT_CHOSEN)));
      let plan = first;
      planned.push(...first.batches, ...last);
      const skipped = new Map<string, readonly [Check, readonly JudgedRule[]]>();
      const runRound = async (
        batches: readonly PlannedBatch[],
        name: string,
      ): Promise<Unfinished> => {
        const left = await partners.run(batches, name, onRunJudged);
        for (const { id } of batches.flatMap((batch) => batch.checks)) skipped.delete(id);
        for (const one of left.skipped) skipped.set(one[0].id, one);
        return left;
      };
      for (let round = 1; round <= ROUNDS && !run.signal?.aborted; round++) {
        const left = await runRound(plan.batches, String(round));
        const unplanned = plan.unplanned.map(({ check }) => check);
        const again = [...unplanned, ...left.again, ...left.skipped.keys()];
        const isOpen = unplanned.some((check) => !isFurther(check));
        // What the first round did not spend is planned for the checks that it left first.
        let next: SpendPlan | null =
          round === 1 && isOpen ? planRound(again, budgetsLeft(last)) : null;
        if (!next || next.batches.length === 0) {
          next = planRound([...again, ...parts], budgetsLeft(last));
          parts = [];
        }
        if (next.batches.length === 0) break;
        planned.push(...next.batches);
        const [now, later] = splitPlan(next);
        plan = now;
        last.push(...later);
      }
      // Where no allowance was left to repeat them.
      partners.release(onRunJudged);
      forProbes = budgetsLeft(last);
      // What is left out keeps no rule waiting: those that run last may take days.
      const left = plan.unplanned.filter(({ check }) => isFurther(check));
      const notChosen = run.left.filter((check) => !(isMore && run.spare.includes(check)));
      leftOut = leftOutOf(planned, [...left.map(({ check }) => check), ...notChosen]);
      onRunJudged(left.flatMap(({ check, judgement }) => judgeAlike(check, judgement)));
      await runRound(last, 'last');
      const isOpen = ({ rules }: Check): boolean => !rules.some((rule) => found.has(rule));
      const hasSent = (one: JudgedRule): boolean => one.exchanges.length > 0;
      onRunJudged(
        [...skipped.values()].flatMap(([check, leftAs]) =>
          isOpen(check) || leftAs.some(hasSent) ? leftAs : [],
        ),
      );
      return plan.unplanned.filter(({ check }) => isOpen(check));
    },
    leftOut: () => leftOut,
    probe: async (probes, onJudged) => {
      const { batches, unplanned } = planLeft(probes, forProbes);
      const { skipped } = await partners.run(batches, 'probe', onJudged);
      partners.release(onJudged);
      onJudged([...skipped.values()].flat());
      return unplanned;
    },
  };
}

/** Batches for which a session needs no opening request. */
function acceptedBy({ accepted, refreshToken }: Session): ReadonlySet<string> {
  const names = ['platform', 'user', ...(refreshToken === null ? [] : ['refresh'])];
  return new Set(names.filter((name) => accepted.has(name)));
}
