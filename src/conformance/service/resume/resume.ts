import { ConfigurationError } from '../../../interface/errors.ts';
import { GAPS } from '../../../interface/gaps.ts';
import { Redactor } from '../../../redaction/index.ts';
import type { Budget } from '../budget/budgets.ts';
import type { Target } from '../contract/target.ts';
import { Recording } from './recording.ts';
import type { TokenJournal } from './resumable-run.ts';
import { hashOf, type RunFacts, type RunLog } from './run-log.ts';

/** State in which a run starts or resumes. */
export interface RunState {
  /** Start of the run's first part, ms since the epoch. */
  readonly startedAtMs: number;
  readonly seed: number;
  /** Ids of the rules and checks that come first. */
  readonly first: ReadonlySet<string>;
  /** Seed of this part: a nostr must not come twice. */
  readonly partSeed: number;
  readonly redactor: Redactor;
  readonly recording: Recording;
  /** Log of requests; null if none is metered, as such a run is not continued. */
  readonly runLog: RunLog | null;
  /** Budgets as they were when the run began, so that they give the same plan. */
  readonly budgets: readonly Budget[] | null;
}

/** Run as its options describe it. */
export interface RunDescription {
  readonly target: Target;
  readonly facts: Omit<RunFacts, 'startedAt' | 'budgets'>;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Null if each check has a fresh partner. */
  readonly budgets: readonly Budget[] | null;
}

/**
 * Starts a run, or resumes the one that `runLog` holds.
 *
 * @throws ConfigurationError `RESUME_OTHER_RUN` if that run had another target, suite or rules
 */
export function startOrResume(
  { target, facts, startedAtMs, ...run }: RunDescription,
  runLog: RunLog | undefined,
  journal: TokenJournal | undefined,
): RunState {
  // With a control API every partner is new, and a resumed run starts over.
  const budgets = target.control ? null : run.budgets;
  const earlier = runLog?.earlier;
  if (earlier?.facts) requireSame(earlier.facts, facts);
  const continued = budgets && earlier?.facts ? earlier : null;
  const began: Partial<RunFacts> = continued?.facts ?? {};
  const { seed = facts.seed, startedAt = new Date(startedAtMs).toISOString() } = began;
  const { first = facts.first } = began;
  runLog?.begin({ ...facts, first, startedAt, budgets: budgets?.map(stored) ?? null });
  const log = budgets ? (runLog ?? null) : null;
  const redactor = new Redactor(continued?.pseudonymOf, (secret, as) => log?.learned(secret, as));
  for (const pseudonym of continued?.pseudonyms ?? []) redactor.skip(pseudonym);
  for (const { question, settings } of GAPS) {
    redactor.keep(question);
    redactor.keep(settings);
  }
  const unredacted = new Map(
    (continued ? (journal?.tokens ?? []) : []).map(({ kind, token }) => [
      redactor.add(kind, token),
      token,
    ]),
  );
  const exchanges = continued?.exchanges ?? [];
  return {
    startedAtMs: Date.parse(startedAt),
    seed,
    first: new Set(first),
    partSeed: seed + 0x9e3779b1 * exchanges.length,
    redactor,
    recording: new Recording(exchanges, unredacted),
    runLog: log,
    budgets: began.budgets ? restored(began.budgets, target) : run.budgets,
  };
}

function stored({ unusedCodes, ...budget }: Budget): Budget {
  return { ...budget, unusedCodes: unusedCodes.map(hashOf) };
}

function restored(budgets: readonly Budget[], target: Target): Budget[] {
  return budgets.map((budget) => {
    const partner = target.partners.find(({ id }) => id === budget.partnerId);
    if (!partner)
      throw otherRun(`had a partner ${budget.partnerId}, which is no longer in the profile`);
    const unusedCodes = partner.authCodes.filter((code) =>
      budget.unusedCodes.includes(hashOf(code)),
    );
    return { ...budget, unusedCodes };
  });
}

function requireSame(earlier: RunFacts, now: RunDescription['facts']): void {
  if (earlier.baseUrl !== now.baseUrl) throw otherRun(`judged ${earlier.baseUrl}`);
  const isSame =
    earlier.suite === now.suite &&
    earlier.allowBan === now.allowBan &&
    JSON.stringify(earlier.rules) === JSON.stringify(now.rules);
  if (!isSame) throw otherRun('had another suite, other rules, or another permission for bans');
}

function otherRun(what: string): ConfigurationError {
  return new ConfigurationError(
    'RESUME_OTHER_RUN',
    `The run to resume ${what}: resume it with what it was started with, or start a new one.`,
  );
}
