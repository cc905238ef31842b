import type { ClientResult } from '../../conformance/index.ts';
import type { ComparisonDocument } from '../../documents/comparison.ts';
import type { ConformanceDocument } from '../../documents/conformance.ts';
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

/** Exit code of `check`: a failure takes precedence over an inconclusive result. */
export function exitCodeOfCheck(
  { interrupted, summary, verdict, waivers = [] }: ConformanceDocument,
  { requireComplete, strict, strictWaivers }: CheckStrictness,
): ExitCode {
  if (interrupted) return EXIT.interrupted;
  if (strictWaivers && waivers.some(({ problem }) => problem !== undefined)) return EXIT.failed;
  if (verdict === 'not-conformant' || (strict && summary.warn > 0)) return EXIT.failed;
  if (summary.inconclusive > 0) return EXIT.inconclusive;
  const isIncomplete = verdict === 'incomplete' || (requireComplete && summary.untestable > 0);
  return isIncomplete ? EXIT.failed : EXIT.passed;
}

/** Exit code of `certify`; a run in which no rule was judged is inconclusive. */
export function exitCodeOfCertification(
  { interrupted, verdict, summary, scenarios }: ClientResult,
  { strict }: Pick<CheckStrictness, 'strict'>,
): ExitCode {
  if (interrupted) return EXIT.interrupted;
  if (verdict === 'not-conformant' || (strict && summary.warn > 0)) return EXIT.failed;
  const isJudged = summary.pass + summary.warn > 0;
  const isDecided =
    summary.inconclusive === 0 && scenarios.every((one) => one.verdict !== 'inconclusive');
  return isJudged && isDecided ? EXIT.passed : EXIT.inconclusive;
}

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
