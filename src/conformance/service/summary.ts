import type { RuleLevel } from '../../interface/catalogue.ts';
import { curlOf } from '../curl.ts';
import type { Exchange } from '../exchange.ts';
import type { Suite } from '../suite.ts';
import { type Judgement, type RuleResult, VERDICTS, type Verdict } from '../verdict.ts';
import type { Target } from './contract/target.ts';
import { GAP_PREFIX, type GapBook } from './gaps/probe.ts';
import { type GapObservation, observeGaps } from './gaps/probes.ts';
import { storedTarget } from './recheck/stored-target.ts';
import type { ServiceResult } from './result.ts';
import type { Resumption } from './resume/resume.ts';
import { SERVICE_CHECKS } from './rules/all.ts';
import type { JudgedRule } from './runner/batch.ts';
import type { TargetOutcome, TargetRun } from './runner/target-run.ts';
import type { Evidence } from './target/evidence.ts';

/** What a result says of a rule, whatever it came to. */
export interface RuleFacts {
  readonly id: string;
  readonly level: RuleLevel;
  readonly statement: string;
  readonly section: string;
}

/** What is judged, and where. */
export interface Judging {
  readonly rules: readonly RuleFacts[];
  readonly selected: ReadonlySet<string>;
  readonly runs: readonly TargetRun[];
  readonly evidence: Evidence;
  readonly book: GapBook;
  readonly resumption: Resumption;
}

/** What stands in a result beside what was judged. */
export interface Summarised {
  readonly target: Target;
  readonly suite: Suite;
  readonly requireComplete: boolean;
  readonly wall: () => number;
  readonly signal?: AbortSignal | undefined;
}

/** Puts a run together from what its sites came to: each rule once. */
export function summarise(
  options: Summarised,
  { rules, selected, runs, evidence, book, resumption }: Judging,
  outcomes: readonly TargetOutcome[],
): ServiceResult {
  const { exchanges } = evidence;
  const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]));
  const judged = new Map<string, JudgedRule>();
  for (const { judged: some } of outcomes) for (const one of some) judged.set(one.rule, one);
  const observed = new Map(
    outcomes.flatMap((one) => one.observed).map((one) => [one.rule, one.judgement]),
  );
  const clockUsed = runs[0]?.client.facts.hasControl ? 'control' : 'wall';
  const results = rules.map((rule): RuleResult => {
    if (!selected.has(rule.id))
      return resultOf(rule, 'excluded', { reason: 'the suite leaves it out' });
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
  const summary = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, results.filter((one) => one.verdict === verdict).length]),
  ) as Record<Verdict, number>;
  const complete = summary.inconclusive === 0 && summary.untestable === 0;
  const mustBeComplete = options.requireComplete || options.suite.requireComplete;
  const fellShort = summary.inconclusive > 0 || (mustBeComplete && summary.untestable > 0);
  const environments = [...new Set(runs.map(({ client }) => client.target.environment))];
  return {
    kind: 'conformance',
    side: 'service',
    target: {
      name: options.target.name,
      baseUrl: options.target.baseUrl,
      environment: environments.join(' and '),
    },
    suite: options.suite.name,
    seed: resumption.seed,
    startedAt: new Date(resumption.startedAtMs).toISOString(),
    finishedAt: new Date(options.wall()).toISOString(),
    verdict: summary.fail > 0 ? 'not-conformant' : fellShort ? 'incomplete' : 'conformant',
    complete,
    summary,
    rules: results,
    gaps: evidence.redactWithin(gapsOf(runs, outcomes, exchanges, book)),
    spend: Object.fromEntries(runs.flatMap(({ client }) => [...client.spend])),
    exchanges,
    sites: runs.map(storedTarget),
    notes: [],
    ...(options.signal?.aborted ? { interrupted: true as const } : {}),
  };
}

function gapsOf(
  [run]: readonly TargetRun[],
  [outcome]: readonly TargetOutcome[],
  exchanges: readonly Exchange[],
  book: GapBook,
): GapObservation[] {
  if (!run) return [];
  const { facts, target } = run.client;
  const withTarget = exchanges.filter(({ request }) => request.url.startsWith(target.baseUrl));
  const notLooked = new Map(
    outcome?.probed.map(({ rule, judgement }) => [rule.slice(GAP_PREFIX.length), judgement.reason]),
  );
  return observeGaps(withTarget, facts, book, notLooked);
}

/** Why a rule that was asked for has no judgement at all. */
function notJudged(id: string, options: Summarised): [Verdict, { reason: string }] {
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
    { reason: options.signal?.aborted ? 'the run was interrupted before it' : 'not judged' },
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

/** The verdict of a judgement, by the level of its rule. */
export function verdictOf({ verdict }: Judgement, level: RuleLevel): Verdict {
  if (verdict !== 'violated') return verdict;
  return level === 'must' ? 'fail' : 'warn';
}
