import { ConfigurationError } from '../../../interface/errors.ts';
import { Redactor } from '../../redaction/redactor.ts';
import type { Budget } from '../budget/planner.ts';
import type { Target } from '../contract/target.ts';
import { Recording } from './recording.ts';
import { hashOf, type RunFacts, type RunLog, type StoredBudget } from './run-log.ts';
import type { TokenJournal } from './token-journal.ts';

/** How a run goes on with an earlier part of itself; for one that starts, how it can be gone on with. */
export interface Resumption {
  readonly startedAtMs: number;
  readonly seed: number;
  /** Another for each part of a run: a nostr must not come twice. */
  readonly partSeed: number;
  readonly redactor: Redactor;
  readonly recording: Recording;
  /** Where requests are written down; null where none is metered, and nothing need be. */
  readonly runLog: RunLog | null;
  /** The same as when the run began, so that the same plan comes of them. */
  readonly budgets: readonly Budget[] | null;
}

/** What a run is about. */
export interface RunPlan {
  readonly target: Target;
  readonly facts: Omit<RunFacts, 'startedAt' | 'budgets'>;
  readonly startedAtMs: number;
  /** Null where each check has a fresh partner. */
  readonly budgets: readonly Budget[] | null;
}

/**
 * Begins a run, or goes on with the one that `progress` holds.
 *
 * @throws ConfigurationError `RESUME_OTHER_RUN` where that one was about something else
 */
export function resumptionOf(
  plan: RunPlan,
  runLog: RunLog | undefined,
  journal: TokenJournal | undefined,
): Resumption {
  const { target, facts, startedAtMs } = plan;
  // With a control API every partner is new, and so is the whole run when it is resumed.
  const budgets = target.control ? null : plan.budgets;
  const past = budgets && runLog?.past?.facts ? runLog.past : null;
  if (runLog?.past?.facts) requireSame(runLog.past.facts, facts);
  const startedAt = past?.facts?.startedAt ?? new Date(startedAtMs).toISOString();
  runLog?.begin({ ...facts, startedAt, budgets: budgets?.map(stored) ?? null });
  const kept = budgets ? (runLog ?? null) : null;
  const redactor = new Redactor(past?.pseudonymOf, (secret, as) => kept?.learned(secret, as));
  for (const pseudonym of past?.pseudonyms ?? []) redactor.skip(pseudonym);
  const unredacted = new Map(
    (past ? (journal?.tokens ?? []) : []).map(({ kind, token }) => [
      redactor.add(kind, token),
      token,
    ]),
  );
  return {
    startedAtMs: Date.parse(startedAt),
    seed: past?.facts?.seed ?? facts.seed,
    partSeed: (past?.facts?.seed ?? facts.seed) + 0x9e3779b1 * (past?.exchanges.length ?? 0),
    redactor,
    recording: new Recording(past, unredacted),
    runLog: kept,
    budgets: past?.facts?.budgets ? restored(past.facts.budgets, target) : plan.budgets,
  };
}

function stored({ unusedCodes, ...budget }: Budget): StoredBudget {
  return { ...budget, unusedCodes: unusedCodes.map(hashOf) };
}

function restored(budgets: readonly StoredBudget[], target: Target): Budget[] {
  return budgets.map((budget) => {
    const partner = target.partners.find(({ id }) => id === budget.partnerId);
    if (!partner) throw otherRun(`had a partner ${budget.partnerId}, which the profile lacks now`);
    const unusedCodes = partner.authCodes.filter((code) =>
      budget.unusedCodes.includes(hashOf(code)),
    );
    return { ...budget, unusedCodes };
  });
}

function requireSame(past: RunFacts, now: RunPlan['facts']): void {
  if (past.baseUrl !== now.baseUrl) throw otherRun(`was held against ${past.baseUrl}`);
  const same =
    past.suite === now.suite &&
    past.allowBan === now.allowBan &&
    JSON.stringify(past.rules) === JSON.stringify(now.rules);
  if (!same) throw otherRun('was of another suite, other rules, or another --allow-ban');
}

function otherRun(what: string): ConfigurationError {
  return new ConfigurationError(
    'RESUME_OTHER_RUN',
    `The run to resume ${what}: resume it with what it was started with, or start a new one.`,
  );
}
