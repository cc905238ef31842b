import type { ClientResult } from '../../conformance/index.ts';
import type { Exit } from '../../documents/base.ts';
import type { ComparisonDocument } from '../../documents/comparison.ts';
import type { ConformanceDocument, ConformanceSummary } from '../../documents/conformance.ts';
import { judgedCount } from '../../documents/judged-count.ts';
import type { LoadDocument } from '../../documents/load.ts';
import type { SelfcheckDocument } from '../../documents/selfcheck.ts';
import type { FindMaxResult } from '../../load/index.ts';

/** Exit codes of every command. */
export const EXIT = { passed: 0, failed: 1, usage: 2, inconclusive: 3, interrupted: 130 } as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Share of false alarms above which a self-test of `compare` fails. */
const MAX_FALSE_ALARM_SHARE = 0.08;

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
  { interrupted, summary, suite, verdict, waivers = [] }: ConformanceDocument,
  { requireComplete, strict, strictWaivers }: CheckStrictness,
): Exit {
  const { untestable } = summary;
  const idle = strictWaivers ? waivers.filter(({ problem }) => problem !== undefined).length : 0;
  const isDecided = summary.inconclusive === 0 && judgedCount(summary) > 0;
  const asker = requireComplete ? '--require-complete' : `suite ${suite} requires every rule`;
  const isShort = isDecided && (verdict === 'incomplete' || (requireComplete && untestable > 0));
  return exitOf(interrupted, summary, {
    failed: [
      ...failuresOf(summary, strict),
      ...(idle > 0
        ? [`--strict-waivers, ${countOf(idle, 'waiver')} without effect or expired`]
        : []),
      ...(isShort ? [`${asker}, ${untestable} untestable`] : []),
    ],
    open: openRules(summary),
  });
}

/** Exit code of `certify`, and why: a run in which no rule was judged is inconclusive. */
export function exitOfCertification(
  { interrupted, summary, scenarios }: ClientResult,
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
  });
}

/** The first of these that holds: interrupted, failed, inconclusive, passed. */
function exitOf(
  interrupted: boolean | undefined,
  { warn, waived, untestable }: ConformanceSummary,
  { failed, open }: { readonly failed: readonly string[]; readonly open: readonly string[] },
): Exit {
  if (interrupted) return { code: EXIT.interrupted, reason: 'interrupted' };
  if (failed.length > 0) return { code: EXIT.failed, reason: failed.join('; ') };
  if (open.length > 0) return { code: EXIT.inconclusive, reason: open.join('; ') };
  const tolerated = [
    ...(warn > 0 ? [`${countOf(warn, 'warning')} (--strict would fail)`] : []),
    ...(waived > 0 ? [`${countOf(waived, 'violation')} waived`] : []),
    ...(untestable > 0 ? [`${untestable} untestable`] : []),
  ];
  return { code: EXIT.passed, reason: ['no rule failed', ...tolerated].join('; ') };
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

/** Exit code of `load`, of one run or several: a failure takes precedence over an invalid run. */
export function exitCodeOfLoad(runs: readonly Pick<LoadDocument, 'verdict'>[]): ExitCode {
  if (runs.some(({ verdict }) => verdict === 'fell-short')) return EXIT.failed;
  return runs.some(({ verdict }) => verdict === 'invalid') ? EXIT.inconclusive : EXIT.passed;
}

/** Exit code of `load --find-max`. */
export function exitCodeOfFindMax(verdict: FindMaxResult['verdict']): ExitCode {
  if (verdict === 'nothing-held') return EXIT.failed;
  return verdict === 'found' || verdict === 'nothing-fell-short' ? EXIT.passed : EXIT.inconclusive;
}

/** Exit code of a comparison. */
export function exitCodeOfComparison(verdict: ComparisonDocument['verdict']): ExitCode {
  if (verdict === 'worse') return EXIT.failed;
  return verdict === 'inconclusive' ? EXIT.inconclusive : EXIT.passed;
}

/**
 * Exit code of `compare --self-test`.
 *
 * @param selfTest null if there were too few runs for one
 */
export function exitCodeOfSelfTest(
  selfTest: { readonly falseAlarms: number; readonly trials: number } | null,
): ExitCode {
  if (selfTest === null) return EXIT.inconclusive;
  const share = selfTest.falseAlarms / selfTest.trials;
  return share > MAX_FALSE_ALARM_SHARE ? EXIT.failed : EXIT.passed;
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
