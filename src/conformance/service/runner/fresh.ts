import type { AllowanceKind } from '../../../interface/limits.ts';
import { groupedBy } from '../../model/asked.ts';
import { leftOutOf } from '../budget/left-out.ts';
import { byPlace } from '../budget/parts-within.ts';
import { byPriority } from '../budget/planner.ts';
import {
  type Check,
  describePlace,
  isFree,
  isFurther,
  isWaiting,
  priceOf,
  roomOn,
} from '../contract/check.ts';
import type { Facts } from '../contract/target.ts';
import { doubtsOf } from '../judge/alibis.ts';
import { needsRepetition, notShownAgain } from '../judge/attempts.ts';
import type { JudgedRule, OnJudged } from '../judge/judged-rule.ts';
import { PartnerPool } from '../wire/partner-pool.ts';
import { BAN_OVER_MS } from '../wire/session-hooks.ts';
import { type Batch, runBatch } from './batch.ts';
import { type RunContext, runContext } from './run-context.ts';
import { Scheduler } from './scheduler.ts';
import type { CheckRunner, TargetRun } from './target-run.ts';

/** Batches that run at once where each has a partner of its own. */
const CONCURRENCY = 8;

/** Estimate checks that share a partner and its token. */
const ESTIMATES_PER_BATCH = 8;

/** Attempts at a check during each of which a clock was set, at most. */
const MOST_STEPPED = 5;

/** Runs each batch with a fresh partner, several at a time. */
export function freshRunner(run: TargetRun, onRunJudged: OnJudged): CheckRunner {
  const { client, hooks, signal } = run;
  const { clock, facts } = client;
  const pool = new PartnerPool(client, hooks);
  client.rightRequests.fresh = () => pool.freshRequest();
  const scheduler = new Scheduler(CONCURRENCY, (atMs) => clock.moveTo(atMs));
  const begun: Batch[] = [];

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
    { check, attempt = 1 }: JudgedRule,
    batch: Batch,
    context: RunContext,
  ): Promise<JudgedRule[]> => {
    const { id } = check;
    const attempts = new Map([[id, attempt + 1]]);
    return runBatch(
      { ...batch, id: `${id}~${attempt + 1}`, checks: [check], attempts },
      await pool.fresh(),
      context,
    );
  };

  /** Runs each check of a batch again while which a clock was set; returns the last attempt at each. */
  const measured = async (batch: Batch, context: RunContext): Promise<JudgedRule[]> => {
    const last = new Map<string, JudgedRule[]>();
    const keep = (found: readonly JudgedRule[]): void => {
      for (const [id, of] of groupedBy(found, ({ check }) => check.id)) last.set(id, of);
    };
    keep(await runBatch(batch, await pool.fresh(), context));
    for (let attempt = 1; attempt < MOST_STEPPED; attempt++) {
      const stepped = [...last.values()].flatMap((of) => of.find((one) => one.isStepped) ?? []);
      if (signal?.aborted) break;
      for (const one of stepped) keep(await runAgain(one, batch, context));
    }
    return [...last.values()].flat();
  };

  /** Repeats, as fresh partners, each check that accuses the target by a refusal. */
  const repeat = async (
    found: readonly JudgedRule[],
    batch: Batch,
    context: RunContext,
  ): Promise<JudgedRule[]> => {
    const doubts = doubtsOf(client);
    // One that was accepted wrongly may have disturbed the others of its partner.
    const isDisturbed = batch.checks.length > 1 && found.some(isViolated);
    const doubtful = found.filter(
      (one) =>
        needsRepetition(one, doubts) || (isDisturbed && one.judgement.verdict === 'inconclusive'),
    );
    const ofCheck = new Map(doubtful.map((one) => [one.check, one]));
    const repeated: JudgedRule[] = [];
    for (const one of ofCheck.values()) repeated.push(...(await runAgain(one, batch, context)));
    for (const rule of notShownAgain([...doubtful, ...repeated], doubtsOf(client)))
      client.stability.recordTakenBack(rule);
    return repeated;
  };

  const runBatches = (batches: readonly Batch[], onJudged = onRunJudged): Promise<void> => {
    const runOne = async (planned: Batch): Promise<void> => {
      const batch = { ...planned, checks: run.begin(planned.checks) };
      if (batch.checks.length === 0) return;
      begun.push(batch);
      const context = runContext(run, pool, scheduler, () => pool.fresh());
      const found = await measured(batch, context);
      onJudged([...found, ...(await repeat(found, batch, context))]);
    };
    return scheduler.run(batches.map((batch) => () => unlessInterrupted(() => runOne(batch))));
  };

  return {
    run: async (checks) => {
      const batches = batchesOf(
        checks.filter(({ effect }) => effect !== 'bans'),
        facts,
      );
      // The first estimate finds out what the target demands beyond the interface, for all others; where
      // there is none, the first token request with a baseline does, which learns the form of times.
      const scout =
        batches.find(({ baseRequest }) => SHARED.some((one) => one === baseRequest)) ??
        batches.find(({ baseRequest }) => baseRequest !== 'standalone');
      if (scout) await runBatches([scout]);
      await runBatches(batches.filter((one) => one !== scout));
      pool.isCalm = false;
      for (const check of byPriority(checks.filter(({ effect }) => effect === 'bans'))) {
        await runBatches(batchesOf([check], facts));
        await unlessInterrupted(async () => {
          await clock.moveTo(clock.now() + BAN_OVER_MS);
        });
      }
      return [];
    },
    leftOut: () => leftOutOf(begun, run.left),
    probe: async (probes, onJudged) => {
      await runBatches(batchesOf(probes, facts), onJudged);
      return [];
    },
  };
}

/** Base requests that cost nothing: any number of checks may share a partner. */
const SHARED = ['estimate', 'user-estimate'] as const;

/** Checks of one base request share a partner and its baseline, as many as it has allowance for. */
function batchesOf(checks: readonly Check[], facts: Facts): Batch[] {
  const groups = new Map<string, { readonly checks: [Check, ...Check[]]; room: number }[]>();
  // Checks that wait for the clock start first: they wait while the others run.
  const inOrder = byPlace(checks).sort((a, b) => startOf(a) - startOf(b));
  for (const check of inOrder) {
    const price = sharePrice(check, facts);
    const name = price === null ? check.id : describePlace(check.places[0]);
    const alike = groups.get(name) ?? [];
    const free = alike.find(({ room }) => room >= (price ?? 0));
    const room = roomOn(check.places[0].baseRequest) ?? ESTIMATES_PER_BATCH;
    if (free) {
      free.checks.push(check);
      free.room -= price ?? 0;
    } else alike.push({ checks: [check], room: room - (price ?? 0) });
    groups.set(name, alike);
  }
  return [...groups.values()].flat().map(({ checks: group }) => ({
    id: group[0].id,
    ...group[0].places[0],
    checks: group,
  }));
}

/** Part of a shared partner that a check takes; null for one that needs a partner of its own. */
function sharePrice(check: Check, facts: Facts): number | null {
  const { places, effect, dependsOn } = check;
  const [{ baseRequest }] = places;
  const spends = priceOf(check, facts);
  // On a broken service, a check that requests tokens could end the token that others share.
  if (SHARED.some((one) => one === baseRequest)) return isFree(spends) ? 1 : null;
  if (baseRequest === 'standalone' || effect || dependsOn) return null;
  return spends[baseRequest as AllowanceKind] ?? null;
}

const isViolated = ({ judgement }: JudgedRule): boolean => judgement.verdict === 'violated';

/** First parts before further ones, and of each those that wait for the clock. */
const startOf = (check: Check): number =>
  (check.priority?.isFirst ? 0 : isFurther(check) ? 4 : 2) + (isWaiting(check) ? 0 : 1);
