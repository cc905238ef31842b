import type { RuleResult } from '../../documents/conformance.ts';
import type { Exchange } from '../../documents/exchange.ts';
import type { StoredTarget } from '../../documents/stored-target.ts';
import type { RuleLevel } from '../../interface/catalogue.ts';
import { curlOf } from '../curl.ts';
import type { Suite } from '../suite.ts';
import { type Judgement, runVerdict, type Verdict, verdictOf } from '../verdict.ts';
import type { Target } from './contract/target.ts';
import type { ObservedGap, ProbeResults } from './gaps/finding.ts';
import { GAP_PREFIX } from './gaps/probe.ts';
import { observeGaps } from './gaps/table.ts';
import type { ServiceResult } from './result.ts';
import type { RunState } from './resume/resume.ts';
import { SERVICE_CHECKS } from './rules/all.ts';
import type { TargetOutcome } from './runner/judge-target.ts';
import type { JudgedRule } from './runner/judged-rule.ts';
import type { TargetRun } from './runner/target-run.ts';
import type { Evidence } from './target/evidence.ts';

/** Fields of a rule's result that do not depend on its verdict. */
export interface RuleFacts {
  readonly id: string;
  readonly level: RuleLevel;
  readonly statement: string;
  readonly section: string;
}

/** Run on a service: its rules and its targets. */
export interface ServiceRun {
  readonly rules: readonly RuleFacts[];
  readonly selected: ReadonlySet<string>;
  readonly targets: readonly TargetRun[];
  readonly evidence: Evidence;
  readonly probeResults: ProbeResults;
  readonly state: RunState;
}

/** Options of a run that its result depends on. */
export interface ResultOptions {
  readonly target: Target;
  readonly suite: Suite;
  readonly requireComplete: boolean;
  /** Wall clock, ms since the epoch. */
  readonly wall: () => number;
  readonly signal?: AbortSignal | undefined;
}

/** Builds the result of a run from the outcomes of its targets: each rule once. */
export function buildResult(
  options: ResultOptions,
  { rules, selected, targets, evidence, probeResults, state }: ServiceRun,
  outcomes: readonly TargetOutcome[],
): ServiceResult {
  const { exchanges } = evidence;
  const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]));
  const judged = new Map<string, JudgedRule>();
  for (const { judged: some } of outcomes) for (const one of some) judged.set(one.rule, one);
  const observed = new Map(
    outcomes.flatMap((one) => one.observed).map((one) => [one.rule, one.judgement]),
  );
  const clockUsed = targets[0]?.client.facts.hasControl ? 'control' : 'wall';
  const results = rules.map((rule): RuleResult => {
    if (!selected.has(rule.id))
      return resultOf(rule, 'excluded', { reason: 'left out by the suite' });
    const active = judged.get(rule.id);
    const judgement = active?.judgement ?? observed.get(rule.id);
    if (!judgement) return resultOf(rule, ...notJudged(rule.id, options));
    const verdict = verdictOf(judgement, rule.level);
    const shown = active?.exchanges ?? judgement.exchanges ?? [];
    const clock = active?.check.clock && verdict !== 'untestable' ? clockUsed : null;
    const keyExchange = byId.get(judgement.keyExchange ?? '');
    const { reason, expected, got, remedy, pendingUntil } = judgement;
    return {
      ...resultOf(rule, verdict, judgement),
      clock,
      exchanges: shown,
      ...evidence.redactWithin({ reason, expected, got, remedy }),
      curl: keyExchange && judgement.verdict === 'violated' ? curlOf(keyExchange) : undefined,
      ...(pendingUntil === undefined ? {} : { pendingUntil }),
    };
  });
  const mustBeComplete = options.requireComplete || options.suite.requireComplete;
  const environments = [...new Set(targets.map(({ client }) => client.target.environment))];
  return {
    kind: 'conformance',
    side: 'service',
    target: {
      name: options.target.name,
      baseUrl: options.target.baseUrl,
      environment: environments.join(' and '),
    },
    suite: options.suite.name,
    seed: state.seed,
    startedAt: new Date(state.startedAtMs).toISOString(),
    finishedAt: new Date(options.wall()).toISOString(),
    ...runVerdict(results, mustBeComplete),
    rules: results,
    gaps: evidence.redactWithin(gapsOf(targets, outcomes, exchanges, probeResults)),
    spend: Object.fromEntries(targets.flatMap(({ client }) => [...client.spend.byPartner])),
    exchanges,
    sites: targets.map(storedTarget),
    notes: [],
    ...(options.signal?.aborted ? { interrupted: true as const } : {}),
  };
}

function gapsOf(
  [run]: readonly TargetRun[],
  [outcome]: readonly TargetOutcome[],
  exchanges: readonly Exchange[],
  probeResults: ProbeResults,
): ObservedGap[] {
  if (!run) return [];
  const { facts, target } = run.client;
  const withTarget = exchanges.filter(({ request }) => request.url.startsWith(target.baseUrl));
  const notFound = new Map(
    outcome?.probed.map(({ rule, judgement }) => [rule.slice(GAP_PREFIX.length), judgement.reason]),
  );
  return observeGaps(withTarget, facts, probeResults, notFound);
}

/** Verdict of a selected rule that has no judgement, and its reason. */
function notJudged(id: string, options: ResultOptions): [Verdict, { reason: string }] {
  const check = SERVICE_CHECKS.find(({ rules }) => rules.includes(id));
  const wanted = check?.needs?.environment;
  if (wanted !== undefined && wanted !== options.target.environment) {
    return [
      'excluded',
      { reason: `a rule of the ${wanted} environment, which the target is not in` },
    ];
  }
  return [
    'inconclusive',
    {
      reason: options.signal?.aborted
        ? 'the run was interrupted before this rule was judged'
        : 'not judged',
    },
  ];
}

function resultOf(
  rule: RuleFacts,
  verdict: Verdict,
  { reason }: Pick<Judgement, 'reason'>,
): RuleResult {
  const { id, level, statement, section } = rule;
  return { id, level, verdict, reason, clock: null, exchanges: [], statement, section };
}

/** Facts by which the target's answers can be judged again. */
function storedTarget({ client, budgets }: TargetRun): StoredTarget {
  const { facts, target } = client;
  const { baseUrl, environment, signature, estimates } = target;
  const others = facts.hasControl ? [] : (budgets ?? []).filter(({ mayBan }) => !mayBan);
  return {
    baseUrl,
    environment,
    signature,
    estimates,
    control: facts.hasControl,
    metered: facts.metered,
    partners: others.map(({ partnerId }) => partnerId),
  };
}
