import { SERVICE_RULES } from '../../interface/catalogue.ts';
import { SeededRandom } from '../seeded-random.ts';
import { type Suite, selectRules } from '../suite.ts';
import type { RuleResult } from '../verdict.ts';
import { budgetsOf, watchOf } from './budget/budgets.ts';
import type { Ledger } from './budget/ledger.ts';
import type { SpendPlan } from './budget/planner.ts';
import type { Check } from './contract/check.ts';
import type { Observation } from './contract/observation.ts';
import type { Target } from './contract/target.ts';
import type { CustomRule } from './custom-rule.ts';
import { openGapBook, probeChecks } from './gaps/probe.ts';
import { GAP_PROBES } from './gaps/probes.ts';
import { openTransport, type Transport } from './http/transport.ts';
import type { ServiceResult } from './result.ts';
import { type Resumption, resumptionOf } from './resume/resume.ts';
import type { RunLog } from './resume/run-log.ts';
import type { TokenJournal } from './resume/token-journal.ts';
import { SERVICE_CHECKS, SERVICE_OBSERVATIONS } from './rules/all.ts';
import { checksToPlan, judgeTarget, planOf } from './runner/run.ts';
import { sleepApart, sleepUntil } from './runner/sleep.ts';
import type { TargetRun } from './runner/target-run.ts';
import { type Judging, type RuleFacts, summarise, verdictOf } from './summary.ts';
import { Evidence } from './target/evidence.ts';
import { rateLimiter } from './target/rate-limit.ts';
import { TargetClient, type TargetClientOptions } from './target/target-client.ts';

/** What a run on a service takes; times are milliseconds. */
export interface CheckServiceOptions {
  readonly target: Target;
  /** The same service in the other environment, for the rules that hold only there. */
  readonly companion?: Target | undefined;
  readonly suite: Suite;
  /** Globs that narrow the suite. */
  readonly only?: readonly string[] | undefined;
  readonly customRules?: readonly CustomRule[] | undefined;
  readonly seed: number;
  /** Wall clock, since the epoch. */
  readonly wall: () => number;
  /** Monotonic clock. */
  readonly monotonic: () => number;
  /** For a whole exchange. */
  readonly timeoutMs: number;
  /** Requests a second; null for no limit. */
  readonly maxRate: number | null;
  readonly allowBan: boolean;
  readonly requireComplete: boolean;
  /** Told of each rule as it is judged. */
  readonly onRule?: ((result: Pick<RuleResult, 'id' | 'verdict' | 'reason'>) => void) | undefined;
  /** Spend of metered partners across runs; left out, none is known and none is kept. */
  readonly ledger?: Ledger | undefined;
  readonly journal?: TokenJournal | undefined;
  /** Ends the run early, with what was judged so far. */
  readonly signal?: AbortSignal | undefined;
  /** What is kept of the run while it goes on, and of an earlier part of it; left out, nothing. */
  readonly runLog?: RunLog | undefined;
  /** Whether the run stays until times come that are hours away; else their rules are pending. */
  readonly waits?: boolean | undefined;
  /** Waits until the wall clock stands at a time; left out, by timers. */
  readonly sleepUntil?: ((atMs: number) => Promise<void>) | undefined;
}

interface Prepared extends Judging {
  readonly transports: readonly Transport[];
}

/**
 * Judges a service by every rule that the suite asks for; each rule of the catalogue stands exactly
 * once in the result.
 *
 * @throws ConfigurationError `RULE_UNKNOWN` for a glob that matches nothing
 * @throws FareproofError `TARGET_UNREACHABLE` or `CONTROL_FAILED`
 */
export async function checkService(options: CheckServiceOptions): Promise<ServiceResult> {
  const prepared = prepare(options);
  try {
    const outcomes = await Promise.all(prepared.runs.map(judgeTarget));
    return summarise(options, prepared, outcomes);
  } finally {
    await Promise.all(prepared.transports.map((transport) => transport.close()));
  }
}

/** What each partner would spend; nothing is sent. Empty where each check has a fresh partner. */
export function planService(options: CheckServiceOptions): SpendPlan {
  const { runs, transports } = prepare(options);
  for (const transport of transports) void transport.close();
  const plans = runs
    .filter(({ budgets }) => budgets !== null)
    .map((run) => planOf(run, checksToPlan(run)));
  return {
    batches: plans.flatMap(({ batches }) => batches),
    unplanned: plans.flatMap(({ unplanned }) => unplanned),
  };
}

function prepare(options: CheckServiceOptions): Prepared {
  const custom = options.customRules ?? [];
  const rules: RuleFacts[] = [
    ...SERVICE_RULES,
    ...custom.map(({ id, level, statement, section }) => ({
      id,
      level,
      statement,
      section: section ?? '',
    })),
  ];
  const selected = selectRules(
    rules.map(({ id }) => id),
    options.suite,
    options.only ?? [],
  );
  const checks = [
    ...SERVICE_CHECKS,
    ...custom.map(({ id, check }) => ({ ...check, id, rules: [id] })),
  ];
  const resumption = resume(options, selected);
  const evidence = new Evidence(resumption.redactor);
  for (const { exchange } of resumption.runLog?.past?.exchanges ?? []) evidence.takeOver(exchange);
  const random = new SeededRandom(resumption.partSeed);
  const rateLimit = rateLimiter(options.maxRate, options.monotonic);
  const transports: Transport[] = [];
  const book = openGapBook();
  const { timeoutMs, signal } = options;
  const runs = targetsOf(options).map((target, at) => {
    const transport = openTransport({ timeoutMs, tls: target.tls, signal });
    transports.push(transport);
    const here = (rule: string): boolean => selected.has(rule);
    const parts = { evidence, random, rateLimit, transport, asked: here };
    const run = openRun(options, target, resumption, parts);
    const probes = at === 0 && looksBeyond(options) ? probeChecks(GAP_PROBES, book) : [];
    return { ...run, ...rulesHere(checks, target, at === 0, here), probes };
  });
  return { rules, selected, runs, evidence, transports, book, resumption };
}

/** Who asks for a few rules, or for few requests, is not to pay for more: gaps are seen in passing. */
function looksBeyond({ suite, only = [] }: CheckServiceOptions): boolean {
  const isCapped = (suite.tokenRequests?.most ?? 1) > 0 && suite.tokenRequests !== undefined;
  return only.length === 0 && suite.rules.include.includes('*') && !isCapped;
}

function targetsOf({ target, companion, suite }: CheckServiceOptions): Target[] {
  const both = companion ? [target, companion] : [target];
  if (suite.environment === 'own') return [target];
  return suite.environment === undefined
    ? both
    : both.filter(({ environment }) => environment === suite.environment);
}

function isMetered({ control }: Target, { suite }: CheckServiceOptions): boolean {
  return control === undefined || suite.tokenRequests !== undefined;
}

function resume(options: CheckServiceOptions, selected: ReadonlySet<string>): Resumption {
  const { target, suite, seed, allowBan, wall, runLog, journal } = options;
  const { baseUrl } = target;
  const plan = {
    target,
    facts: { baseUrl, suite: suite.name, seed, allowBan, rules: [...selected] },
    startedAtMs: wall(),
    budgets: isMetered(target, options) ? budgetsOf(target, options) : null,
  };
  return resumptionOf(plan, runLog, journal);
}

function openRun(
  options: CheckServiceOptions,
  target: Target,
  { startedAtMs, recording, runLog, budgets }: Resumption,
  parts: Pick<TargetClientOptions, 'evidence' | 'rateLimit' | 'transport' | 'asked'> & {
    random: SeededRandom;
  },
): Omit<TargetRun, 'checks' | 'observations' | 'probes'> {
  const { wall, monotonic, signal, waits = false, ledger, allowBan } = options;
  const metered = isMetered(target, options);
  const { evidence, random } = parts;
  const sleep = options.sleepUntil ?? ((atMs: number) => sleepUntil(atMs, wall, signal));
  const wait = (atMs: number): Promise<void> => sleepApart(atMs, wall, ledger, sleep);
  const kept = { startedAtMs, recording, runLog, waits, sleepUntil: wait };
  const client = new TargetClient({ target, ...parts, ...kept, wall, monotonic, metered, signal });
  return {
    client,
    random,
    evidence,
    budgets: target === options.target ? budgets : metered ? budgetsOf(target, options) : null,
    cap: options.suite.tokenRequests?.most ?? null,
    allowBan,
    watch: target.control ? {} : watchOf(target, options),
    spentToday: ledger && ((partner) => ledger.spentOf(target.baseUrl, partner, wall())),
    found: new Map(),
    onJudged: ({ rule, judgement }) => {
      const reason = evidence.redactor.redactSentence(judgement.reason);
      runLog?.judged(rule, judgement.verdict, reason);
      options.onRule?.({ id: rule, verdict: verdictOf(judgement, 'must'), reason });
    },
    signal: signal ?? null,
    waits,
  };
}

/** The first target judges all rules of its environment; the companion those that hold only in its own. */
function rulesHere(
  checks: readonly Check[],
  { environment }: Target,
  first: boolean,
  selected: (rule: string) => boolean,
): { checks: Check[]; observations: Observation[] } {
  const fits = (wanted: Target['environment'] | undefined): boolean =>
    first ? wanted === undefined || wanted === environment : wanted === environment;
  return {
    checks: checks.filter(({ rules, needs }) => rules.some(selected) && fits(needs?.environment)),
    observations: first ? SERVICE_OBSERVATIONS.filter(({ rule }) => selected(rule)) : [],
  };
}
