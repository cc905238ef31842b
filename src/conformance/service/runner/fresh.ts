import { firstOf } from '../budget/planner.ts';
import { type Check, describeBase } from '../contract/check.ts';
import type { Facts } from '../contract/target.ts';
import { doubtsOf } from '../judge/alibis.ts';
import { confirmsEarlyEnd, needsRepetition, notShownAgain } from '../judge/attempts.ts';
import type { JudgedRule, OnJudged } from '../judge/judged-rule.ts';
import { PartnerPool } from '../wire/partner-pool.ts';
import { type Batch, runBatch } from './batch.ts';
import { attemptName } from './check-run.ts';
import { type RunContext, runContext } from './run-context.ts';
import { Scheduler } from './scheduler.ts';
import type { CheckRunner, TargetRun } from './target-run.ts';

/** Batches that run at once where each has a partner of its own. */
const CONCURRENCY = 8;

/** Estimate checks that share a partner and its token. */
const ESTIMATES_PER_BATCH = 4;

/** Time after which a ban, and the day in which an allowance was exceeded, are over. */
const BAN_OVER_MS = 25 * 3_600_000;

/** Repetitions of a check, at once, so that they rest together: a target may end one ban of five early. */
const REPETITIONS = 8;

/** Checks of bans that are repeated in vain, at most: each takes a minute. */
const MOST_IN_VAIN = 3;

/** Runs each batch with a fresh partner, several at a time. */
export function freshRunner(run: TargetRun, onRunJudged: OnJudged): CheckRunner {
  const { client, hooks, isFirst, signal } = run;
  const { clock, facts } = client;
  const pool = new PartnerPool(client, hooks);
  const scheduler = new Scheduler(CONCURRENCY, (atMs) => clock.moveTo(atMs));
  /** True once an early end of a ban was confirmed, which confirms the others. */
  let isConfirmed = false;
  let inVain = 0;

  /** Errors after an interruption are due to it: what was judged before them stays judged. */
  const unlessInterrupted = async (task: () => Promise<void>): Promise<void> => {
    if (signal?.aborted) return;
    try {
      await task();
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  };

  const runAgain = async (
    { check }: JudgedRule,
    attempt: number,
    batch: Batch,
    context: RunContext,
  ): Promise<JudgedRule[]> => {
    const again = { ...check, attempt };
    const alone = { ...batch, id: attemptName(again), checks: [again] };
    return runBatch(alone, await pool.fresh(), context);
  };

  /** Repeats a check in which a ban seemed to end early, unless another one did and was confirmed. */
  const repeatBan = async (early: JudgedRule, batch: Batch): Promise<JudgedRule[]> => {
    const found: JudgedRule[] = [];
    if (isConfirmed) return found;
    const together = new Scheduler(REPETITIONS, (atMs) => clock.moveTo(atMs));
    const context = runContext(run, pool, together, () => pool.fresh());
    const repetitions = Array.from({ length: REPETITIONS }, (_, at) => async () => {
      found.push(...(await runAgain(early, at + 2, batch, context)));
    });
    if (inVain < MOST_IN_VAIN) await together.run(repetitions);
    isConfirmed = found.some(confirmsEarlyEnd);
    if (!isConfirmed) inVain++;
    client.mayLimitRate ||= !isConfirmed;
    return found;
  };

  /** Repeats, as fresh partners, each check that accuses the target by a refusal. */
  const repeat = async (
    found: readonly JudgedRule[],
    batch: Batch,
    context: RunContext,
  ): Promise<JudgedRule[]> => {
    const doubts = doubtsOf(client);
    const doubtful = found.filter((one) => needsRepetition(one, doubts) === 'alone');
    const ofCheck = new Map(doubtful.map((one) => [one.check, one]));
    const repeated: JudgedRule[] = [];
    for (const one of ofCheck.values()) repeated.push(...(await runAgain(one, 2, batch, context)));
    for (const rule of notShownAgain([...doubtful, ...repeated], doubtsOf(client)))
      client.stability.recordTakenBack(rule);
    const early = found.find((one) => needsRepetition(one, doubts) === 'rested');
    return early ? [...repeated, ...(await repeatBan(early, batch))] : repeated;
  };

  const runBatches = (batches: readonly Batch[], onJudged = onRunJudged): Promise<void> => {
    const runOne = async (batch: Batch): Promise<void> => {
      const context = runContext(run, pool, scheduler, () => pool.fresh());
      const found = await runBatch(batch, await pool.fresh(), context);
      onJudged([...found, ...(await repeat(found, batch, context))]);
    };
    return scheduler.run(batches.map((batch) => () => unlessInterrupted(() => runOne(batch))));
  };

  return {
    run: async (checks) => {
      const batches = firstOf(
        batchesOf(
          checks.filter(({ bansFresh }) => !bansFresh),
          facts,
        ),
        (batch) => batch.checks.some(isFirst),
      );
      // The first estimate finds out what the target demands beyond the interface, for all others; where
      // there is none, the first token request with a baseline does, which learns the form of times.
      const scout =
        batches.find(({ baseRequest }) => SHARED.some((one) => one === baseRequest)) ??
        batches.find(({ baseRequest }) => baseRequest !== 'standalone');
      if (scout) await runBatches([scout]);
      await runBatches(batches.filter((one) => one !== scout));
      pool.isCalm = false;
      const banning = checks.filter(({ bansFresh }) => bansFresh);
      for (const check of firstOf(banning, ({ beforeOtherBans }) => beforeOtherBans ?? false)) {
        await runBatches(batchesOf([check], facts));
        await unlessInterrupted(async () => {
          await clock.moveTo(clock.now() + BAN_OVER_MS);
        });
      }
      return [];
    },
    leftOut: () => [],
    probe: async (probes, onJudged) => {
      await runBatches(batchesOf(probes, facts), onJudged);
      return [];
    },
  };
}

/** Base requests that cost nothing: their checks may share a partner. */
const SHARED = ['estimate', 'user-estimate'] as const;

/** Batches of one check each; checks that only ask for estimates share a batch. */
function batchesOf(checks: readonly Check[], facts: Facts): Batch[] {
  // On a broken service, a check that requests tokens could end the token that others share.
  const isSharing = (check: Check): boolean =>
    SHARED.some((one) => one === check.baseRequest) &&
    Object.keys(check.spends(facts, check.baseRequest)).length === 0;
  const alike = new Map<string, Check[]>();
  for (const check of checks.filter(isSharing)) {
    const base = describeBase(check.baseRequest, check.setting);
    alike.set(base, [...(alike.get(base) ?? []), check]);
  }
  const shared = [...alike.values()].flatMap((some) => chunks(some, ESTIMATES_PER_BATCH));
  // Checks that wait for the clock start first: they wait while the others run.
  const single = checks
    .filter((check) => !isSharing(check))
    .sort((a, b) => Number(b.clock ?? false) - Number(a.clock ?? false));
  return [...single.map((check): [Check] => [check]), ...shared].map((group) => ({
    id: group[0].id,
    baseRequest: group[0].baseRequest,
    setting: group[0].setting,
    checks: group,
  }));
}

/** Parts of a list, none of them empty. */
function chunks<T>(list: readonly T[], size: number): [T, ...T[]][] {
  return list.flatMap((first, at) =>
    at % size === 0 ? [[first, ...list.slice(at + 1, at + size)] as [T, ...T[]]] : [],
  );
}
