import type { Exit } from '../../documents/base.ts';
import type { ComparisonDocument } from '../../documents/comparison.ts';
import type { ConformanceDocument, ConformanceSummary } from '../../documents/conformance.ts';
import { judgedCount } from '../../documents/judged-count.ts';
import type { LoadDocument } from '../../documents/load.ts';
import type { RuleChange, RuleChanges } from '../../documents/rule-changes.ts';
import type { RuleComparisonDocument } from '../../documents/rule-comparison.ts';
import type { SelfcheckDocument } from '../../documents/selfcheck.ts';
import type { FindMaxResult } from '../../load/index.ts';

/** Exit codes of every command. */
export const EXIT = { passed: 0, failed: 1, usage: 2, inconclusive: 3, interrupted: 130 } as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Share of false alarms above which a self-test of `compare` fails. */
const MAX_FALSE_ALARM_SHARE = 0.05;

/** Flags of `check` that make it fail on more than violations. */
export interface CheckStrictness {
  readonly requireComplete?: true;
  readonly strict?: true;
  readonly strictWaivers?: true;
}

/**
 * Exit code of `check`, and why: a failure takes precedence over an inconclusive result, and a run in
 * which no rule was judged is inconclusive.
 */
export function exitOfCheck(
  { interrupted, summary, suite, verdict, against, waivers = [] }: ConformanceDocument,
  { requireComplete, strict, strictWaivers }: CheckStrictness,
): Exit {
  const changes = against?.failsOnNew ? against : null;
  const { untestable } = summary;
  const idle = strictWaivers ? waivers.filter(({ problem }) => problem !== undefined).length : 0;
  const isDecided = summary.inconclusive === 0 && judgedCount(summary) > 0;
  const asker = requireComplete ? '--require-complete' : `suite ${suite} requires every rule`;
  const isShort = isDecided && (verdict === 'incomplete' || (requireComplete && untestable > 0));
  return exitOf(interrupted, summary, {
    failed: [
      ...(changes ? newFailuresOf(changes, strict) : failuresOf(summary, strict)),
      ...(idle > 0
        ? [`--strict-waivers, ${countOf(idle, 'waiver')} without effect or expired`]
        : []),
      ...(isShort ? [`${asker}, ${untestable} untestable`] : []),
    ],
    open: changes ? newlyOpen(changes, summary) : openRules(summary),
    held: changes ? newlyHeld(changes) : 'no rule failed',
  });
}

/** Exit code of `certify`, and why: a run in which no rule was judged is inconclusive. */
export function exitOfCertification(
  {
    interrupted,
    summary,
    scenarios = [],
  }: Pick<ConformanceDocument, 'interrupted' | 'summary' | 'scenarios'>,
  { strict, lacksCertificate }: Pick<CheckStrictness, 'strict'> & { lacksCertificate?: boolean },
): Exit {
  const having = (wanted: string): number =>
    scenarios.filter(({ verdict }) => verdict === wanted).length;
  const [failed, undecided] = [having('fail'), having('inconclusive')];
  return exitOf(interrupted, summary, {
    failed: [
      ...failuresOf(summary, strict),
      ...(failed > 0 ? [`${countOf(failed, 'scenario')} failed`] : []),
    ],
    open: [
      ...openRules(summary),
      ...(undecided > 0 ? [`${countOf(undecided, 'scenario')} inconclusive`] : []),
      ...(lacksCertificate ? ['--sign-key, and there is no certificate'] : []),
    ],
    held: 'no rule failed',
  });
}

const INTERRUPTED: Exit = { code: EXIT.interrupted, reason: 'interrupted' };

/** The first of these that holds: interrupted, failed, inconclusive, passed. */
function exitOf(
  interrupted: boolean | undefined,
  { warn, waived, untestable }: ConformanceSummary,
  { failed, open, held }: Findings,
): Exit {
  if (interrupted) return INTERRUPTED;
  if (failed.length > 0) return { code: EXIT.failed, reason: failed.join('; ') };
  if (open.length > 0) return { code: EXIT.inconclusive, reason: open.join('; ') };
  const tolerated = [
    ...(warn > 0 ? [`${countOf(warn, 'warning')} (--strict would fail)`] : []),
    ...(waived > 0 ? [`${countOf(waived, 'violation')} waived`] : []),
    ...(untestable > 0 ? [`${untestable} untestable`] : []),
  ];
  return { code: EXIT.passed, reason: [held, ...tolerated].join('; ') };
}

/** Reasons for the exit code of a run. */
interface Findings {
  readonly failed: readonly string[];
  readonly open: readonly string[];
  /** Reason for 0. */
  readonly held: string;
}

/** The failures that count with `--fail-on new`. */
function newFailuresOf({ newlyBroken }: RuleChanges, strict: true | undefined): string[] {
  const count = (verdict: RuleChange['after']): number =>
    newlyBroken.filter(({ after }) => after === verdict).length;
  const [failed, warned] = [count('fail'), count('warn')];
  return [
    ...(failed > 0 ? [`${countOf(failed, 'rule')} newly broken`] : []),
    ...(strict && warned > 0 ? [`--strict, ${countOf(warned, 'new warning')}`] : []),
  ];
}

/** The rules whose verdict is missing with `--fail-on new`: those that were judged before. */
function newlyOpen({ noLongerJudged }: RuleChanges, summary: ConformanceSummary): string[] {
  if (judgedCount(summary) === 0) return ['no rule was judged'];
  const open = noLongerJudged.filter(({ after }) => after === 'inconclusive').length;
  return open > 0 ? [`${countOf(open, 'rule')} no longer judged`] : [];
}

function newlyHeld({ stillBroken, newlyTried = [] }: RuleChanges): string {
  const still = stillBroken.length > 0 ? `, ${stillBroken.length} still broken` : '';
  const tried = newlyTried.length > 0 ? `, ${newlyTried.length} newly tried` : '';
  return `no rule is newly broken${still}${tried} (--fail-on new)`;
}

function failuresOf({ fail, warn }: ConformanceSummary, strict: true | undefined): string[] {
  return [
    ...(fail > 0 ? [`${countOf(fail, 'rule')} failed`] : []),
    ...(strict && warn > 0 ? [`--strict, ${countOf(warn, 'warning')}`] : []),
  ];
}

function openRules(summary: ConformanceSummary): string[] {
  const { inconclusive } = summary;
  if (judgedCount(summary) === 0) return ['no rule was judged'];
  return inconclusive > 0 ? [`${countOf(inconclusive, 'rule')} inconclusive`] : [];
}

const countOf = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Exit code of `selfcheck`. */
export function exitCodeOfSelfcheck({ verdict, interrupted }: SelfcheckDocument): ExitCode {
  if (interrupted) return EXIT.interrupted;
  if (verdict === 'fell-short') return EXIT.failed;
  return verdict === 'inconclusive' ? EXIT.inconclusive : EXIT.passed;
}

/** Exit code of one run of `load`, and why. */
export function exitOfLoad({
  verdict,
  reason,
  interrupted,
}: Pick<LoadDocument, 'verdict' | 'reason' | 'interrupted'>): Exit {
  if (interrupted) return INTERRUPTED;
  if (verdict === 'held') return { code: EXIT.passed, reason: 'every threshold held' };
  if (verdict === 'invalid') return { code: EXIT.inconclusive, reason: 'the run is invalid' };
  return { code: EXIT.failed, reason: reason.replace(/\.$/, '') };
}

/** Exit code of several runs, and why: a failure takes precedence over an invalid run. */
export function exitOfLoadSet({
  runs,
  interrupted,
}: {
  readonly runs: readonly Pick<LoadDocument, 'verdict'>[];
  readonly interrupted?: boolean | undefined;
}): Exit {
  if (interrupted) return INTERRUPTED;
  const having = (wanted: LoadDocument['verdict']): number =>
    runs.filter(({ verdict }) => verdict === wanted).length;
  const [short, invalid] = [having('fell-short'), having('invalid')];
  const passed = invalid > 0 ? EXIT.inconclusive : EXIT.passed;
  return {
    code: short > 0 ? EXIT.failed : passed,
    reason: `${having('held')} held, ${short} fell short, ${invalid} invalid`,
  };
}

/** Exit code of `load --find-max`, and why. */
export function exitOfFindMax({
  verdict,
  interrupted,
}: Pick<FindMaxResult, 'verdict' | 'interrupted'>): Exit {
  if (interrupted) return INTERRUPTED;
  const undecided = { code: EXIT.inconclusive, reason: `the search is undecided: ${verdict}` };
  return DECIDED[verdict] ?? undecided;
}

const DECIDED: Readonly<Partial<Record<FindMaxResult['verdict'], Exit>>> = {
  found: { code: EXIT.passed, reason: 'the highest rate was found' },
  'nothing-fell-short': { code: EXIT.passed, reason: 'the objective held at every rate' },
  'nothing-held': { code: EXIT.failed, reason: 'the objective held at no rate' },
};

const COMPARISON_CODES = {
  better: EXIT.passed,
  equivalent: EXIT.passed,
  worse: EXIT.failed,
  inconclusive: EXIT.inconclusive,
} as const satisfies Readonly<Record<ComparisonDocument['verdict'], ExitCode>>;

/** Exit code of a comparison, and why. */
export function exitOfComparison({
  verdict,
  interrupted,
}: Pick<ComparisonDocument | RuleComparisonDocument, 'verdict' | 'interrupted'>): Exit {
  if (interrupted) return INTERRUPTED;
  return { code: COMPARISON_CODES[verdict], reason: `the candidate is ${verdict}` };
}

/** Exit code of `compare --self-test`, and why. */
export function exitOfSelfTest({
  selfTest,
  interrupted,
}: {
  /** Null or undefined if there were too few runs for one. */
  readonly selfTest?: { readonly falseAlarms: number; readonly trials: number } | null | undefined;
  readonly interrupted?: boolean | undefined;
}): Exit {
  if (interrupted) return INTERRUPTED;
  if (!selfTest) return { code: EXIT.inconclusive, reason: 'too few runs for a self-test' };
  const { falseAlarms, trials } = selfTest;
  const isFailed = falseAlarms / trials > MAX_FALSE_ALARM_SHARE;
  return {
    code: isFailed ? EXIT.failed : EXIT.passed,
    reason: `${countOf(falseAlarms, 'false alarm')} in ${trials} trials`,
  };
}

/** Exit codes from the worst to the best; any other code is worse than all of them. */
const FROM_WORST: readonly number[] = [
  EXIT.interrupted,
  EXIT.usage,
  EXIT.failed,
  EXIT.inconclusive,
  EXIT.passed,
];

/** The worse of two exit codes: a failure takes precedence over an inconclusive result. */
export function worseExitCode(one: number, other: number): number {
  return FROM_WORST.indexOf(one) <= FROM_WORST.indexOf(other) ? one : other;
}
