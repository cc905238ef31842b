import { PendingUntil } from '../contract/undecided.ts';
import type { PartnerPool } from '../target/partner-pool.ts';
import type { Session } from '../target/session.ts';
import type { runBatch } from './batch.ts';
import type { Scheduler } from './scheduler.ts';
import type { TargetRun } from './target-run.ts';

/** What a batch gets from its run. */
export function surroundings(
  run: TargetRun,
  pool: PartnerPool,
  scheduler: Scheduler,
  otherSession: () => Promise<Session | null>,
): Omit<Parameters<typeof runBatch>[2], 'stopOnRefusal'> {
  return {
    random: run.random,
    reach: (atMs) => reach(run, scheduler, atMs),
    freshSession: (longLock) => pool.fresh(longLock),
    otherSession,
    found: (rule) => run.found.get(rule) ?? null,
    newCode: async (session, user) => {
      const code = await pool.code(session, user);
      if (code === null) throw new Error('the profile has no unused auth code left');
      return code;
    },
    takeCode: (session) => pool.code(session, 'user-1'),
  };
}

/** A longer wait than this is left to a run that resumes. */
const SHORT_WAIT_MS = 2 * 60_000;

async function reach(run: TargetRun, scheduler: Scheduler, atMs: number): Promise<number> {
  const { clock, control } = run.client;
  if (control) return scheduler.reach(atMs);
  const leftMs = atMs - clock.now();
  if (leftMs <= 0) return clock.now();
  const isFar = leftMs > SHORT_WAIT_MS;
  if (isFar && !run.waits) throw new PendingUntil(atMs);
  try {
    return await scheduler.reach(atMs);
  } catch (error) {
    throw isFar && run.signal?.aborted ? new PendingUntil(atMs) : error;
  }
}
