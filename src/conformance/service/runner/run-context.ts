import { PendingUntil } from '../contract/pending.ts';
import type { Supply } from '../target/partner-pool.ts';
import type { Session } from '../target/session.ts';
import type { runAssignment } from './batch.ts';
import type { Scheduler } from './scheduler.ts';
import type { SiteRun } from './target-run.ts';

/** What an assignment gets from its run. */
export function surroundings(
  run: SiteRun,
  supply: Supply,
  scheduler: Scheduler,
  otherSession: () => Promise<Session | null>,
): Omit<Parameters<typeof runAssignment>[2], 'stopOnRefusal'> {
  return {
    source: run.source,
    reach: (atMs) => reach(run, scheduler, atMs),
    freshSession: (longLock) => supply.fresh(longLock),
    otherSession,
    found: (rule) => run.found.get(rule) ?? null,
    newCode: async (session, user) => {
      const code = await supply.code(session, user);
      if (code === null) throw new Error('the profile has no unused auth code left');
      return code;
    },
    takeCode: (session) => supply.code(session, 'user-1'),
  };
}

/** A longer wait than this is left to a run that resumes. */
const SHORT_WAIT_MS = 2 * 60_000;

async function reach(run: SiteRun, scheduler: Scheduler, atMs: number): Promise<number> {
  const { clock, control } = run.site;
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
