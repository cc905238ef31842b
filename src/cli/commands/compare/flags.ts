import { Option } from 'commander';
import { ConfigurationError } from '../../../interface/errors.ts';

/** Flags of `compare` as commander hands them over. */
export interface CompareFlags {
  base?: string[];
  candidate?: string[];
  baseLabel?: string;
  candidateLabel?: string;
  margin?: string;
  selfTest?: true;
  target?: string;
  runs?: string;
  duration?: string;
  warmup?: string;
  rate?: string;
  connections?: string;
  iMayLoadThisTarget?: true;
  json?: true;
  out?: string;
}

/** Flags that say how runs are recorded, which only a self-test does. */
const RECORDING = ['target', 'runs', 'duration', 'warmup', 'rate', 'connections'] as const;

const option = (flags: string, description: string): Option => new Option(flags, description);

/** The options of `compare`, in the order of its help. */
export const COMPARE_OPTIONS: readonly Option[] = [
  option(
    '--base <file...>',
    'runs of the old build: written by load or by bench, or JSON of autocannon, oha or k6; or one check, or one certification',
  ),
  option('--candidate <file...>', 'the same of the new build'),
  option('--base-label <name>', 'name of the base in the results, such as a version'),
  option('--candidate-label <name>', 'name of the candidate in the results'),
  option('--margin <percent>', 'sides that differ by up to this are equivalent (default 5)'),
  option('--self-test', 'compare one build with itself, and print the rate of false alarms'),
  option('--target <profile>', 'with --self-test: target profile (default: embedded)'),
  option('--runs <n>', 'with --self-test: number of runs to record (default 20)'),
  option('--duration <time>', 'with --self-test: measured window of each run (default 2s)'),
  option('--warmup <time>', 'with --self-test: load before each window (default 500ms)'),
  option('--rate <n>', 'with --self-test: open model, requests per second'),
  option('--connections <n>', 'with --self-test: closed model, connections'),
  option('--i-may-load-this-target', 'required unless the target is on loopback'),
  option('--json', 'print the document to stdout and nothing else'),
  option('--out <dir>', 'folder for the document (default reports/comparison-<time>/)'),
];

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
  const stray = RECORDING.find((name) => flags[name] !== undefined);
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
  const recording = RECORDING.find((name) => flags[name] !== undefined);
  if (flags.base && recording !== undefined) {
    throw refused(`--${recording} is for runs that are recorded now; leave it or --base out.`);
  }
}

const refused = (message: string): ConfigurationError =>
  new ConfigurationError('COMPARE_FLAGS', message);
