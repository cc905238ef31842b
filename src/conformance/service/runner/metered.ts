import { ALLOWANCE_KINDS, type AllowanceKind } from '../../../interface/limits.ts';
import { inconclusive, type Judgement, untestable } from '../../verdict.ts';
import type { Budget } from '../budget/budgets.ts';
import { type LeftOut, leftOutOf } from '../budget/left-out.ts';
import { type PlannedBatch, planSpending, type SpendPlan } from '../budget/planner.ts';
import {
  type BaseRequest,
  type Check,
  isFree,
  isFurther,
  isProbe,
  isWaiting,
  priceOf,
} from '../contract/check.ts';
import { type Facts, isRoomy } from '../contract/target.ts';
import { doubtsOf } from '../judge/alibis.ts';
import { needsRepetition } from '../judge/attempts.ts';
import { type JudgedRule, judgeAlike, type OnJudged } from '../judge/judged-rule.ts';
import { refusedCount } from '../rules/quota/refused-count.ts';
import { PartnerPool } from '../wire/partner-pool.ts';
import type { Session } from '../wire/session.ts';
import { nothingMoreSent, runBatch } from './batch.ts';
import { senderOf } from './check-run.ts';
import { isWorthALook, partnerToLook } from './look-for-free.ts';
import { runContext } from './run-context.ts';
import { Scheduler } from './scheduler.ts';
import type { CheckRunner, TargetRun } from './target-run.ts';

/** Rounds of planning: allowance that a round did not spend is planned again in the next. */
const ROUNDS = 4;

const notRun = (session: Session): Judgement =>
  inconclusive(
    `a well-formed request of its partner was refused before, so ${nothingMoreSent(session)}`,
  );

const NOT_CHOSEN = untestable('the requests of the run are too few for it');

/** Order of the base requests: see the planner. Further parts compare with a platform token. */
const PHASES: readonly (readonly (BaseRequest | 'further-user-estimate')[])[] = [
  ['user', 'user-estimate'],
  ['platform'],
  ['estimate', 'further-user-estimate'],
  ['refresh', 'standalone'],
];

/** Base requests that cost allowance even if no other check is sent on them. */
const COSTLY: readonly BaseRequest[] = ['refresh', 'user'];

/** The checks of a batch that run in a phase; null if there is none. */
function inPhase(batch: PlannedBatch, phase: (typeof PHASES)[number]): PlannedBatch | null {
  const checks = batch.checks.filter((check) => {
    const isLater = batch.baseRequest === 'user-estimate' && isFurther(check);
    return phase.includes(isLater ? 'further-user-estimate' : batch.baseRequest);
  });
  return checks.length > 0 ? { ...batch, checks } : null;
}

/** Checks to plan again. */
interface Unfinished {
  /** Checks in which an earlier part of the run died. */
  readonly again: readonly Check[];
  /** Checks that were not run, since a well-formed request of their partner was refused, with their findings so far. */
  readonly skipped: ReadonlyMap<Check, readonly JudgedRule[]>;
}

/** Runs what the partners' allowances permit, one batch at a time, in rounds. */
export function meteredRunner(
  run: TargetRun,
  budgets: readonly Budget[],
  onRunJudged: OnJudged,
): CheckRunner {
  const { client, cap, found, hooks, signal } = run;
  const { facts, spend, target } = client;
  const pool = new PartnerPool(client, hooks);
  const sessions = new Map<string, Session>();
  let forProbes: readonly Budget[] = [];
  /** Findings of attempts that are repeated, until the last. */
  const kept = new Map<string, readonly JudgedRule[]>();
  /** Numbers of the attempts of repeated checks, by id. */
  const attempts = new Map<string, number>();
  const attemptOf = ({ id }: Check): number => attempts.get(id) ?? 1;
  let leftOut: readonly LeftOut[] = [];
  const planned: PlannedBatch[] = [];
  /** True from the first refusal of a partner, which may be for the target's rate, by the minute too. */
  let hasRested = false;
  let needsRest = false;

  /** Opens the profile's partners; under a cap, on a target with a control API, fresh ones instead. */
  const openSessions = async (): Promise<void> => {
    for (const { partnerId, unusedCodes } of budgets) {
      const partner = target.partners.find(({ id }) => id === partnerId);
      const session = partner ? pool.open(partner, unusedCodes) : await pool.fresh();
      sessions.set(partnerId, session);
    }
  };

  const oneByOne = (): Scheduler =>
    new Scheduler(1, (atMs, rules) => client.clock.moveTo(atMs, rules));

  const release = (onJudged: OnJudged): void => {
    onJudged([...kept.values()].flat());
    kept.clear();
  };

  /**
   * Checks to repeat: an answer of theirs was lost, a clock was set while they measured, or they accuse by a refusal
   * for the first time.
   */
  const unsettledAmong = (findings: readonly JudgedRule[], batch: string): Set<Check> => {
    const isDoubtful = (one: JudgedRule): boolean => needsRepetition(one, doubtsOf(client));
    const accuses = (one: JudgedRule): boolean =>
      isDoubtful(one) && !kept.get(one.check.id)?.some(isDoubtful);
    const isOpenByLoss = ({ judgement, check, attempt = 1 }: JudgedRule): boolean =>
      judgement.verdict === 'inconclusive' && hasLost(check, attempt, run, batch);
    const unsettled = findings
      .filter(({ check }) => !comesLast(check))
      .filter((one) => isOpenByLoss(one) || one.isStepped || accuses(one));
    return new Set(unsettled.map(({ check }) => check));
  };

  /** Checks whether an earlier part of the run has sent a request of a batch. */
  const isRecorded = ({ checks }: PlannedBatch, id: string): boolean =>
    [{ batch: { id } }, ...checks.map((check) => senderOf(check, attemptOf(check)))].some(
      (sender) => client.recording.hasAny(sender),
    );

  /** Runs the batches of a plan one after the other. */
  const runBatches = async (
    batches: readonly PlannedBatch[],
    round: string,
    onJudged: OnJudged = onRunJudged,
  ): Promise<Unfinished> => {
    const scheduler = oneByOne();
    const repeated: Check[] = [];
    const skipped = new Map<Check, readonly JudgedRule[]>();
    const runOne = async (batch: PlannedBatch): Promise<void> => {
      const { partnerId, baseRequest, setting } = batch;
      const checks = run.begin(batch.checks);
      const session = sessions.get(partnerId);
      if (checks.length === 0) return;
      if (!session || signal?.aborted) return;
      if (session.mayBeBanned) {
        for (const check of checks) skipped.set(check, judgeAlike(check, notRun(session)));
        return;
      }
      const other = otherPartner(partnerId, budgets);
      const context = runContext(run, pool, scheduler, async () => sessions.get(other) ?? null);
      const isLater = checks.every(isFurther);
      const id = `${batch.name}@${partnerId}/${round}${isLater ? '+' : ''}`;
      // What seemed to be refused for a rule may have been refused for the target's rate.
      if (checks.some((check) => kept.has(check.id))) await client.rateLimit.rest('second');
      if (needsRest && !isRecorded(batch, id)) await client.rateLimit.rest('minute');
      const { shape, demanded, refreshToken, wasRefused } = session;
      const reopen = batch.isReopened
        ? async () => session.accepted.get(batch.name) ?? null
        : undefined;
      const reserve = (): void => reservePartner(run, partnerId, checks, attemptOf);
      let isStopped = false;
      const onRefused = (): void => {
        isStopped = true;
      };
      const findings = await runBatch(
        { id, baseRequest, setting, reopen, reserve, checks, attempts, onRefused },
        session,
        context,
      );
      // Where nothing is accepted, the signing keys of the profile are wrong more often than a limit.
      const isServed = [...sessions.values()].some(({ wasAccepted }) => wasAccepted);
      // What earlier runs used up is no rate limit either.
      const isRefusedAnew = session.wasRefused && !wasRefused && !session.isUsedUp;
      needsRest = isServed && isRefusedAnew && !hasRested;
      hasRested ||= needsRest;
      // The partner's next batch has another setting.
      if (setting.shape) Object.assign(session, { shape, demanded });
      if (baseRequest === 'user-estimate' || setting.ofUser) session.refreshToken = refreshToken;
      // A survey judges nothing by itself.
      const surveys = checks.filter(({ rules }) => rules.length === 0);
      const lost = surveys.filter((check) => hasLost(check, attemptOf(check), run, id));
      const again = new Set([...unsettledAmong(findings, id), ...lost]);
      for (const check of again) attempts.set(check.id, attemptOf(check) + 1);
      repeated.push(...again);
      for (const check of checks) {
        const own = findings.filter((one) => one.check === check);
        const all = [...(kept.get(check.id) ?? []), ...own];
        // Another partner may run what a refusal stopped.
        if (again.has(check)) kept.set(check.id, all);
        else if (isStopped) skipped.set(check, own);
        else {
          kept.delete(check.id);
          onJudged(all);
        }
      }
    };
    for (const phase of PHASES) {
      const ofPhase = batches.flatMap((batch) => inPhase(batch, phase) ?? []);
      await scheduler.run(ofPhase.map((batch) => () => runOne(batch)));
    }
    return { again: repeated, skipped };
  };

  const planLeft = (checks: readonly Check[], left: readonly Budget[]): SpendPlan =>
    planSpending(checks, left, client.facts, {
      cap,
      spent: spend.total,
      earlier: planned,
      help: run.help(),
    });

  /** Plans a round; what its probes will need is left to them. */
  const planRound = (checks: readonly Check[], left: readonly Budget[]): SpendPlan => {
    const { batches, unplanned } = planLeft([...checks, ...run.probes], left);
    return {
      batches: batches
        .map((batch) => ({ ...batch, checks: batch.checks.filter((check) => !isProbe(check)) }))
        .filter(({ checks: some }) => some.length > 0),
      unplanned: unplanned.filter(({ check }) => !isProbe(check)),
    };
  };

  /** Looks whether refused requests are free, where some that are to be refused could not be sent otherwise. */
  const looksForFree = async (
    checks: readonly Check[],
    last: readonly PlannedBatch[],
  ): Promise<boolean> => {
    const budget = partnerToLook(budgets, last, client);
    const session = sessions.get(budget?.partnerId ?? '');
    if (!budget || !session) return false;
    const { unplanned } = planLeft([...checks, ...run.probes], budgets);
    if (!isWorthALook(unplanned, facts)) return false;
    const check = refusedCount(() => client.noteRefusedAreFree());
    const batch = {
      id: `refused-count@${budget.partnerId}`,
      baseRequest: 'standalone' as const,
      reserve: () => reservePartner(run, budget.partnerId, [check], attemptOf),
      checks: [check],
    };
    const scheduler = oneByOne();
    const context = runContext(run, pool, scheduler, async () => null);
    await scheduler.run([async () => onRunJudged(await runBatch(batch, session, context))]);
    return client.facts.refusedAreFree;
  };

  /**
   * Budgets after a round, without what the last checks will spend. A partner that was refused a
   * well-formed request gets none.
   */
  const budgetsLeft = (last: readonly PlannedBatch[]): Budget[] =>
    budgets.flatMap((budget) => {
      const session = sessions.get(budget.partnerId);
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
      await openSessions();
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
        const left = await runBatches(batches, name);
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
      release(onRunJudged);
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
      const { skipped } = await runBatches(batches, 'probe', onJudged);
      release(onJudged);
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
  attemptOf: (check: Check) => number,
): void {
  const risky = checks
    .filter(isRisky)
    .filter((check) => !client.recording.has({ ...senderOf(check, attemptOf(check)), number: 1 }));
  if (risky.some(({ needs }) => needs?.ban)) hooks.partnerTaken?.(partnerId, 'ban');
  else if (risky.length > 0) hooks.partnerTaken?.(partnerId, 'day');
}

/** Checks whether an answer to a check was lost, or one that its batch waited for. */
function hasLost(
  check: Check,
  attempt: number,
  { client: { recording } }: TargetRun,
  batch: string,
): boolean {
  return recording.hasLost(senderOf(check, attempt)) || recording.hasLost({ batch: { id: batch } });
}

/** Checks whether a check leaves its partner without allowance for a day. */
function isRisky({ needs, effect }: Check): boolean {
  return needs?.ban === true || effect === 'uses-up';
}

/** Checks whether a check is risky, or waits: the tokens of others end meanwhile. Such checks run last. */
function comesLast(check: Check): boolean {
  return isRisky(check) || isWaiting(check);
}

/** Splits off what comes last. */
function splitPlan(plan: SpendPlan): [SpendPlan, PlannedBatch[]] {
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
): Record<AllowanceKind | 'codes', number> {
  const total = { platform: 0, user: 0, refresh: 0, codes: 0 };
  for (const { baseRequest, checks } of last.filter((one) => one.partnerId === partnerId)) {
    for (const check of checks) {
      const spends = priceOf(check, facts, baseRequest);
      for (const kind of [...ALLOWANCE_KINDS, 'codes'] as const) total[kind] += spends[kind] ?? 0;
    }
  }
  return total;
}
