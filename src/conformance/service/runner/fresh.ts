import type { Check } from '../contract/check.ts';
import type { Facts } from '../contract/target.ts';
import { PartnerPool } from '../target/partner-pool.ts';
import type { SessionWatch } from '../target/session.ts';
import { type Batch, type JudgedRule, runBatch } from './batch.ts';
import { surroundings } from './run-context.ts';
import { Scheduler, type Task } from './scheduler.ts';
import type { Ran, TargetRun } from './target-run.ts';

/** Checks that run at once where each has a partner of its own. */
const AT_ONCE = 8;

/** Estimate checks that share a partner and its token. */
const ESTIMATES_TOGETHER = 4;

/** Runs each check with a partner of its own, many at a time. */
export async function runFresh(
  run: TargetRun,
  checks: readonly Check[],
  watch: SessionWatch,
  keep: (judged: readonly JudgedRule[]) => void,
): Promise<Ran> {
  const { client } = run;
  const pool = new PartnerPool(client, watch);
  const scheduler = new Scheduler(AT_ONCE, (atMs) => client.clock.moveTo(atMs));
  const taskFor = (told: typeof keep) => (batch: Batch) => () =>
    unlessInterrupted(run, async () => {
      const session = await pool.fresh();
      const around = surroundings(run, pool, scheduler, () => pool.fresh());
      told(await runBatch(batch, session, { ...around, stopOnRefusal: false }));
    });
  const taskOf = taskFor(keep);
  const harmless = checks.filter(({ bansFresh }) => !bansFresh);
  const batches = freshBatches(harmless, client.facts);
  // What a target demands of an estimate beyond the interface is to be known to all that ask for one.
  const scout = batches.find(({ baseRequest }) => SHARED.some((one) => one === baseRequest));
  if (scout) await scheduler.run([taskOf(scout)]);
  await scheduler.run(batches.filter((one) => one !== scout).map(taskOf));
  pool.isCalm = false;
  const isFirst = ({ beforeOtherBans }: Check): number => Number(beforeOtherBans ?? false);
  const banning = checks.filter(({ bansFresh }) => bansFresh);
  for (const check of banning.sort((a, b) => isFirst(b) - isFirst(a))) {
    await scheduler.run(freshBatches([check], client.facts).map(taskOf));
    await unlessInterrupted(run, async () => {
      await client.clock.moveTo(client.clock.now() + BAN_OVER_MS);
    });
  }
  const probe: Ran['probe'] = async (probes, told) => {
    await scheduler.run(freshBatches(probes, client.facts).map(taskFor(told)));
    return [];
  };
  return { unplanned: [], probe };
}

/** What breaks once the run is interrupted breaks because of it; what was judged stays judged. */
async function unlessInterrupted({ signal }: TargetRun, task: Task): Promise<void> {
  if (signal?.aborted) return;
  try {
    await task();
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

/** A ban is over by then, and so is the day in which the allowance was exceeded. */
const BAN_OVER_MS = 25 * 3_600_000;

/** Base requests whose requests cost nothing. */
const SHARED = ['estimate', 'user-estimate'] as const;

/** One check, one partner; estimates cost nothing and share one among a few. */
function freshBatches(checks: readonly Check[], facts: Facts): Batch[] {
  // A check that asks for tokens might end the one that others share, on a service that is broken so.
  const shares = (check: Check): boolean =>
    SHARED.some((one) => one === check.baseRequest) &&
    Object.keys(check.spends(facts, check.baseRequest)).length === 0;
  const alone = checks.filter((check) => !shares(check));
  const together = SHARED.flatMap((baseRequest) =>
    chunks(
      checks.filter((check) => check.baseRequest === baseRequest && shares(check)),
      ESTIMATES_TOGETHER,
    ),
  );
  // Those that wait for the clock go first: they wait while the others run.
  const first = [...alone].sort((a, b) => Number(b.clock ?? false) - Number(a.clock ?? false));
  return [...first.map((check) => [check]), ...together].map((group) => ({
    id: group[0]?.id ?? '',
    baseRequest: group[0]?.baseRequest ?? 'standalone',
    checks: group,
  }));
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
    list.slice(at * size, (at + 1) * size),
  );
}
