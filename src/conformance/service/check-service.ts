import { setMaxListeners } from 'node:events';
import { SERVICE_RULES } from '../../interface/catalogue.ts';
import { FareproofError } from '../../interface/errors.ts';
import { isLoopback } from '../../interface/loopback.ts';
import { requireMd5 } from '../../interface/signature.ts';
import {
  chosenLedger,
  firstWholeAgainMs,
  type Ledger,
  startsAnew,
  whatHelps,
} from '../../spending/index.ts';
import { SeededRandom } from '../seeded-random.ts';
import { FULL_SUITE, readSuite, selectRules } from '../suite.ts';
import { verdictOf } from '../verdict.ts';
import { budgetsOf, spendsOfProfile } from './budget/budgets.ts';
import { boundOf, DEFAULT_REQUESTS, partsWithin } from './budget/parts-within.ts';
import { SpendCounter } from './budget/spend-counter.ts';
import { buildResult, type ServiceResult, type ServiceRun } from './build-result.ts';
import { beforeOthers, type Check, isFurther } from './contract/check.ts';
import { spreadParts } from './contract/further.ts';
import { type Facts, factsOf, type Target } from './contract/target.ts';
import { checkOf } from './contract/templates.ts';
import { exploreTargets } from './explore/explore-targets.ts';
import { type CaseOptions, type CaseResult, playCaseBy } from './explore/replay-case.ts';
import type { ProbeResults } from './gaps/probe.ts';
import { probeChecks } from './gaps/table.ts';
import type { Transport } from './http/message.ts';
import { openTransport } from './http/transport.ts';
import { withProofs } from './judge/both-sides.ts';
import {
  type CheckServiceInput,
  type CheckServiceOptions,
  type SpendingOptions,
  type TimedOptions,
} from './options.ts';
import { type RunState, startOrResume } from './resume/resume.ts';
import { SERVICE_CHECKS, SERVICE_OBSERVATIONS } from './rules/all.ts';
import { surveysFor } from './rules/surveys.ts';
import { MACHINE_CLOCK, steadyRunClock } from './run-clock.ts';
import { judgeTarget, type TargetOutcome } from './runner/judge-target.ts';
import { applicableChecks } from './runner/prerequisites.ts';
import type { TargetRun } from './runner/target-run.ts';
import { shownPause, sleepUntil, sleepWithoutLedger } from './sleep.ts';
import { spendHooks } from './spend-hooks.ts';
import { UnreachableTarget } from './unreachable-target.ts';
import { Evidence } from './wire/evidence.ts';
import { RateLimiter } from './wire/rate-limit.ts';
import { TARGET_UNREACHABLE } from './wire/reachability.ts';
import { readTarget } from './wire/read-target.ts';
import { Stability } from './wire/stability.ts';
import { TargetClient } from './wire/target-client.ts';

/**
 * Judges a service by the rules that the suite selects. The result has each rule of the catalogue
 * exactly once.
 *
 * @throws ConfigurationError `PROFILE_INVALID`, `CERTIFICATE_NOT_READ`, `SUITE_INVALID`, `MD5_MISSING`, or `RULE_UNKNOWN` for a glob that matches nothing
 * @throws UnreachableTarget `TARGET_UNREACHABLE`, with the result until then
 * @throws FareproofError `CONTROL_FAILED`, and as the ledger where the run spends by one
 */
export async function checkService(given: CheckServiceInput): Promise<ServiceResult> {
  requireMd5();
  const { target, companion, suite = FULL_SUITE } = given;
  const options: TimedOptions = {
    ...given,
    clock: steadyRunClock(given.clock ?? MACHINE_CLOCK),
    target: readTarget(target),
    companion: companion && readTarget(companion),
    suite: readSuite(suite),
  };
  const isSpending = spendsOfProfile(options.target, options.suite);
  const ledger = isSpending ? await chosenLedger(options.ledger)?.open() : undefined;
  try {
    if (ledger && !options.runLog?.earlier?.facts) beginAnew(options, ledger);
    return await judgeTargets(options, { ...options, ledger });
  } finally {
    ledger?.close();
  }
}

function beginAnew(options: TimedOptions, ledger: Ledger): void {
  for (const target of targetsOf(options)) {
    if (startsAnew(target, options.serviceRestarted))
      ledger.startAnew(target.baseUrl, options.clock.now());
  }
}

async function judgeTargets(
  options: TimedOptions,
  spending: SpendingOptions,
): Promise<ServiceResult> {
  const { run, close } = prepare(spending, options.ledger);
  try {
    const outcomes = await Promise.all(run.targets.map(judgeThenReset));
    const explored = await exploreTargets(run.targets, run.state.seed, run.selected, options);
    return buildResult(options, run, outcomes, explored);
  } catch (error) {
    if (!(error instanceof FareproofError && error.code === TARGET_UNREACHABLE)) throw error;
    throw new UnreachableTarget(
      buildResult(options, { ...run, unreachable: error.message }, []),
      error,
    );
  } finally {
    await close();
  }
}

/**
 * Plays a case that exploring found on fresh partners of a target.
 *
 * @throws ConfigurationError `CONTROL_MISSING` for a target without a control API
 */
export async function replayCase(options: CaseOptions): Promise<CaseResult> {
  const { target, timeoutMs, signal } = options;
  const open = options.openTransport ?? openTransport;
  const transport = open({ timeoutMs, tls: target.tls, signal });
  try {
    return await playCaseBy(transport, options);
  } finally {
    await transport.close();
  }
}

/** Judges a target, and leaves its clock as it was, however the run ends. */
async function judgeThenReset(run: TargetRun): Promise<TargetOutcome> {
  try {
    return await judgeTarget(run);
  } finally {
    await run.client.clock.reset();
  }
}

function prepare(
  options: SpendingOptions,
  choice: CheckServiceOptions['ledger'],
): {
  readonly run: ServiceRun;
  readonly close: () => Promise<unknown>;
} {
  const { suite, only = [], customRules = [], timeoutMs, signal } = options;
  const wall = (): number => options.clock.now();
  const rules = [
    ...SERVICE_RULES,
    ...customRules.map(({ check: _check, section = '', ...rule }) => ({ ...rule, section })),
  ];
  const selected = selectRules(
    rules.map(({ id }) => id),
    suite,
    only,
  );
  const state = stateOf(options, selected);
  const observed = new Set<string>(SERVICE_OBSERVATIONS.map(({ rule }) => rule));
  const rulesOfChecks = [...selected].filter((id) => !observed.has(id)).length;
  const evidence = new Evidence(
    state.redactor,
    (part) => options.onRequest?.({ check: part?.check ?? null, rulesOfChecks }),
    state.startedAtMs,
  );
  for (const one of state.recording.exchanges)
    evidence.takeOver({ ...one, purpose: `${one.purpose}` });
  const shared: SharedParts = {
    selected,
    state,
    evidence,
    random: new SeededRandom(state.partSeed),
    stability: new Stability(),
    rateLimit: new RateLimiter(
      maxRateOf(options),
      () => options.clock.monotonicNs() / 1e6,
      shownPause(options),
    ),
  };
  // Requests that wait each listen to it.
  if (options.signal) setMaxListeners(0, options.signal);
  const custom = customRules.map(({ id, check }) => checkOf({ ...check, rule: id }));
  const checks = [...SERVICE_CHECKS, ...custom].filter(({ rules: ids }) =>
    ids.some((id) => selected.has(id)),
  );
  const { clock, forSeconds = Number.POSITIVE_INFINITY } = options;
  const startedNs = clock.monotonicNs();
  const isOver = (): boolean => clock.monotonicNs() - startedNs > forSeconds * 1e9;
  const isAskedFirst = (check: Check): boolean =>
    state.first.has(check.id) ||
    (!isFurther(check) && check.rules.some((rule) => state.first.has(rule)));
  let plannedRequests = 0;
  const probeResults: ProbeResults = { findings: new Map(), refusals: [] };
  const opened = targetsOf(options).map((target, at) => {
    const transport = (options.openTransport ?? openTransport)({
      timeoutMs,
      tls: target.tls,
      signal,
    });
    const isFirst = at === 0;
    const isSpared = options.sparesProfile || spendsOfProfile(target, suite);
    const witness = isSpared ? null : { wall, ledger: choice };
    const one = openTarget(options, target, shared, transport);
    const { facts } = one.client;
    const asked = applicableChecks(checks, facts, isFirst);
    const all = withProofs(asked, selected, applicableChecks(SERVICE_CHECKS, facts, isFirst));
    const probes = isFirst && probesGaps(options) ? probeChecks(probeResults) : [];
    const { requests = defaultRequests(target, facts) } = options;
    const observations = isFirst
      ? SERVICE_OBSERVATIONS.filter(({ rule }) => selected.has(rule))
      : [];
    const others = [...probes, ...surveysFor(observations, facts, all)];
    const { chosen, left, planned } = partsWithin(
      spreadParts(all, state.seed),
      others,
      requests,
      isAskedFirst,
    );
    plannedRequests += planned;
    evidence.most = boundOf(plannedRequests);
    const run: TargetRun = {
      ...one,
      witness,
      checks: chosen.map((check) => (isAskedFirst(check) ? beforeOthers(check) : check)),
      left,
      spare: options.requests === undefined ? [...left] : [],
      begin: (some) => {
        const late = isOver() ? some.filter(isFurther) : [];
        left.push(...late);
        return some.filter((check) => !late.includes(check));
      },
      observations,
      probes,
    };
    return { run, transport };
  });
  return {
    run: { rules, selected, targets: opened.map(({ run }) => run), evidence, probeResults, state },
    close: () => Promise.all(opened.map(({ transport }) => transport.close())),
  };
}

/** Requests of a run whose options name no number; null for all, as fresh partners on this machine cost nothing. */
function defaultRequests({ baseUrl }: Target, { metered }: Facts): number | null {
  return isLoopback(baseUrl) && !metered ? null : DEFAULT_REQUESTS;
}

/** Requests/s to a target beyond this machine unless told otherwise. */
const RATE_ELSEWHERE = 50;

/** Most requests/s that a run sends; null for no limit. */
export function maxRateOf({
  target,
  maxRate,
}: Pick<CheckServiceOptions, 'target' | 'maxRate'>): number | null {
  if (maxRate !== undefined) return maxRate;
  return isLoopback(target.baseUrl) ? null : RATE_ELSEWHERE;
}

/** Parts shared by the targets of a run. */
interface SharedParts {
  readonly selected: ReadonlySet<string>;
  readonly state: RunState;
  readonly evidence: Evidence;
  readonly random: SeededRandom;
  readonly stability: Stability;
  readonly rateLimit: RateLimiter;
}

function stateOf(options: SpendingOptions, selected: ReadonlySet<string>): RunState {
  const { target, suite, seed, first = [], allowBan, clock, runLog, journal } = options;
  const { baseUrl } = target;
  const run = {
    target,
    facts: { baseUrl, suite: suite.name, seed, first, allowBan, rules: [...selected] },
    startedAtMs: clock.now(),
    budgets: isMetered(target, options) ? budgetsOf(target, options) : null,
  };
  return startOrResume(run, runLog, journal);
}

function openTarget(
  options: SpendingOptions,
  target: Target,
  { selected, state, ...shared }: SharedParts,
  { send, pause }: Transport,
): Omit<TargetRun, 'checks' | 'left' | 'spare' | 'begin' | 'observations' | 'probes' | 'witness'> {
  const { clock, signal, ledger, waits = false } = options;
  const wall = (): number => clock.now();
  const metered = isMetered(target, options);
  const ownBudgets = metered ? budgetsOf(target, options) : null;
  const budgets = target === options.target ? state.budgets : ownBudgets;
  const spend = new SpendCounter(wall, state.startedAtMs);
  const { recording, runLog } = state;
  const client = new TargetClient({
    ...shared,
    target,
    facts: factsOf(target, {
      metered,
      partners: (budgets ?? []).filter(({ mayBan }) => !mayBan).length,
      asked: (rule) => selected.has(rule),
      waits,
    }),
    send,
    pause,
    spend,
    recording,
    runLog,
    machine: clock,
    monotonic: () => clock.monotonicNs() / 1e6,
    sleepUntil: (atMs, rules) =>
      sleepWithoutLedger(atMs, wall, ledger, (untilMs) => sleepUntil(untilMs, options, rules)),
    signal,
  });
  return {
    client,
    budgets,
    cap: options.suite.tokenRequests?.most ?? null,
    allowBan: options.allowBan,
    help: () => helpFor(target, options),
    hooks: spendHooks(options, target, budgets, spend, () => client.facts.refusedAreFree),
    found: new Map(),
    onJudged: (judged) => {
      for (const { rule, judgement, check, shownBy = [check.id] } of judged) {
        if (judgement.verdict === 'violated')
          shared.evidence.keepWhole(judgement.keyExchange ?? '');
        const reason = shared.evidence.redactor.redactSentence(`${judgement.reason}`);
        runLog?.judged(rule, judgement.verdict, reason);
        if (selected.has(rule))
          options.onRule?.({
            id: rule,
            verdict: verdictOf(judgement, 'must'),
            reason,
            checks: shownBy,
          });
      }
    },
    signal: signal ?? null,
  };
}

/** Gaps are probed by full runs only: a run of few rules, or few requests, must not spend on them. */
function probesGaps({
  suite,
  only = [],
  probesGaps: isAsked = true,
}: Pick<CheckServiceOptions, 'suite' | 'only' | 'probesGaps'>): boolean {
  const isCapped = (suite.tokenRequests?.most ?? 0) > 0;
  return isAsked && only.length === 0 && suite.rules.include.includes('*') && !isCapped;
}

function targetsOf({
  target,
  companion,
  suite,
}: Pick<CheckServiceOptions, 'target' | 'companion' | 'suite'>): Target[] {
  const both = companion ? [target, companion] : [target];
  if (suite.environment === 'own') return [target];
  return suite.environment === undefined
    ? both
    : both.filter(({ environment }) => environment === suite.environment);
}

function isMetered(
  { control }: Target,
  { suite }: Pick<CheckServiceOptions, 'suite' | 'only' | 'probesGaps'>,
): boolean {
  return control === undefined || suite.tokenRequests !== undefined;
}

function helpFor(target: Target, { ledger, serviceRestarted, clock }: SpendingOptions): string {
  const partners = target.partners.filter(({ use }) => use !== 'spendable').map(({ id }) => id);
  return whatHelps({
    startsAnew: startsAnew(target, serviceRestarted),
    wholeAgainMs: firstWholeAgainMs(ledger, target.baseUrl, partners, clock.now()),
  });
}
