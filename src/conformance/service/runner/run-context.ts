import type { Judgement } from '../../verdict.ts';
import { PendingUntil } from '../contract/judge.ts';
import type { PartnerPool } from '../wire/partner-pool.ts';
import type { Session } from '../wire/session.ts';
import type { Scheduler } from './scheduler.ts';
import type { TargetRun } from './target-run.ts';

/** Functions that a run offers to its checks. */
export interface RunContext {
  /**
   * Waits for a time of the target, in ms; resolves with its time then.
   *
   * @param rules ids of the rules that need it
   * @throws PendingUntil if that is left to a run that resumes this one
   */
  readonly reach: (atMs: number, rules: readonly string[]) => Promise<number>;
  /** Keeps other runs from a session's partner while a ban that begins now may last. */
  readonly reserve: (session: Session) => void;
  readonly freshSession: (longLock?: boolean) => Promise<Session>;
  /** Session of another partner that the target knows; null if there is none. */
  readonly otherSession: () => Promise<Session | null>;
  /** Unused auth code of a session's partner; null if there is none. */
  readonly takeCode: (session: Session, user: string) => Promise<string | null>;
  /** Waits for the judgement of another rule; null if every other check has ended without one. */
  readonly judgementOf: (rule: string) => Promise<Judgement | null>;
}

/** Makes the run context of a batch. */
export function runContext(
  run: TargetRun,
  pool: PartnerPool,
  scheduler: Scheduler,
  otherSession: RunContext['otherSession'],
): RunContext {
  return {
    reach: (atMs, rules) => reach(run, scheduler, atMs, rules.filter(run.client.facts.asked)),
    reserve: ({ partner }) => run.hooks.partnerTaken?.(partner.id, 'ban'),
    freshSession: (longLock) => pool.fresh(longLock),
    otherSession,
    takeCode: (session, user) => pool.takeCode(session, user),
    judgementOf: async (rule) => {
      // An interruption ends the wait: the rule has no judgement then.
      if (!run.found.has(rule)) await scheduler.othersEnd().catch(() => undefined);
      return run.found.get(rule) ?? null;
    },
  };
}

/** Longest wait that a run makes without `--wait`. */
const SHORT_WAIT_MS = 2 * 60_000;

async function reach(
  { client, signal }: TargetRun,
  scheduler: Scheduler,
  atMs: number,
  rules: readonly string[],
): Promise<number> {
  const { clock, control, facts } = client;
  if (control) return scheduler.reach(atMs);
  const leftMs = atMs - clock.now();
  if (leftMs <= 0) return clock.now();
  const isFar = leftMs > SHORT_WAIT_MS;
  if (isFar && !facts.waits) throw new PendingUntil(atMs);
  try {
    return await scheduler.reach(atMs, rules);
  } catch (error) {
    throw isFar && signal?.aborted ? new PendingUntil(atMs) : error;
  }
}
