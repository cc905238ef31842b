import { ConfigurationError } from '../../../interface/errors.ts';
import { type CompareFlags, RECORDING_NAMES } from './flags.ts';

/**
 * The files of both sides.
 *
 * @param runs two files without a flag: the base and the candidate
 * @throws ConfigurationError `COMPARE_FLAGS` if a side is missing, or for flags of a self-test
 */
export function requireSides(
  runs: readonly string[],
  flags: CompareFlags,
): { base: string[]; candidate: string[] } {
  const stray = RECORDING_NAMES.find((name) => flags[name] !== undefined);
  if (stray !== undefined) {
    throw refused(
      `--${stray} records runs for --self-test; without it the runs are files: --base FILE... --candidate FILE...`,
    );
  }
  const { base, candidate } = flags;
  const [first, second, ...more] = runs;
  if (first !== undefined && second !== undefined && more.length === 0 && !base && !candidate)
    return { base: [first], candidate: [second] };
  if (base && candidate && runs.length === 0) return { base, candidate };
  throw refused(
    'Give two runs, or the run documents of both builds: --base FILE... --candidate FILE...; or --self-test.',
  );
}

/**
 * Refuses flags that do not go with `--self-test`.
 *
 * @throws ConfigurationError `COMPARE_FLAGS`
 */
export function requireSelfTest(runs: readonly string[], flags: CompareFlags): void {
  if (flags.candidate || runs.length > 0) {
    throw refused(
      '--self-test compares one build with itself; give its runs as --base, and no --candidate.',
    );
  }
  if (flags.baseLabel !== undefined || flags.candidateLabel !== undefined) {
    throw refused('--self-test has no two sides; leave --base-label and --candidate-label out.');
  }
  const recording = RECORDING_NAMES.find((name) => flags[name] !== undefined);
  if (flags.base && recording !== undefined) {
    throw refused(`--${recording} is for runs that are recorded now; leave it or --base out.`);
  }
}

const refused = (message: string): ConfigurationError =>
  new ConfigurationError('COMPARE_FLAGS', message);
