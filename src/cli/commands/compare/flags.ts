import { Option } from 'commander';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { LoadFlags, OptionName, OptionRow } from '../../../load/options.ts';
import { loadOption } from '../../flags/load-option.ts';

/** Flags of `compare` as commander hands them over. */
export interface CompareFlags
  extends Pick<LoadFlags, Recording | 'iMayLoadThisTarget' | 'json' | 'out'> {
  base?: string[];
  candidate?: string[];
  baseLabel?: string;
  candidateLabel?: string;
  history?: string[];
  last?: string;
  margin?: string;
  selfTest?: true;
}

/** Flags that say how runs are recorded, which only a self-test does. */
const RECORDING = {
  target: { help: 'with --self-test: target profile', absent: 'embedded' },
  runs: { help: 'with --self-test: number of runs to record', absent: '20' },
  duration: { help: 'with --self-test: measured window of each run', absent: '2s' },
  warmup: { help: 'with --self-test: load before each window', absent: '500ms' },
  rate: { help: 'with --self-test: open model, requests per second' },
  connections: { help: 'with --self-test: closed model, connections' },
} as const;

type Recording = keyof typeof RECORDING;
const RECORDING_NAMES = Object.keys(RECORDING) as readonly Recording[];

const option = (flags: string, description: string): Option => new Option(flags, description);

/** An option of `load` in this command, whose help has no groups. */
const own = (name: OptionName, row: Partial<OptionRow> = {}): Option =>
  loadOption(name, { ...row, group: '' });

/** The flags that say how runs are recorded. */
export const recordingOf = (
  flags: CompareFlags,
): Pick<LoadFlags, Recording | 'iMayLoadThisTarget'> =>
  Object.fromEntries(
    [...RECORDING_NAMES, 'iMayLoadThisTarget' as const].flatMap((name) =>
      flags[name] === undefined ? [] : [[name, flags[name]]],
    ),
  );

/** The options of `compare`, in the order of its help. */
export const COMPARE_OPTIONS: readonly Option[] = [
  option(
    '--base <file...>',
    'runs of the old build: written by load or by bench, or JSON of autocannon; or one check, or one certification',
  ),
  option('--candidate <file...>', 'the same of the new build'),
  option('--base-label <name>', 'name of the base in the results, such as a version'),
  option('--candidate-label <name>', 'name of the candidate in the results'),
  option(
    '--history <dir...>',
    'compare the newest load in these folders (or files) with those before it that were run alike',
  ).conflicts(['base', 'candidate', 'baseLabel', 'candidateLabel', 'selfTest', ...RECORDING_NAMES]),
  option('--last <n>', 'with --history: most loads before the newest (default: 10)'),
  own('margin'),
  option('--self-test', 'compare one build with itself, and print the rate of false alarms'),
  ...RECORDING_NAMES.map((name) => own(name, RECORDING[name])),
  own('iMayLoadThisTarget'),
  own('json', { help: 'print the document to stdout and nothing else' }),
  own('out', { help: 'folder for the document', absent: 'reports/comparison-<time>/' }),
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
  const stray = RECORDING_NAMES.find((name) => flags[name] !== undefined);
  if (stray !== undefined) {
    throw refused(
      `--${stray} records runs for --self-test; without it the runs are files: --base FILE... --candidate FILE...`,
    );
  }
  if (flags.last !== undefined) throw refused('--last is for --history.');
  const { base, candidate } = flags;
  const [first, second, ...more] = runs;
  if (first !== undefined && second !== undefined && more.length === 0 && !base && !candidate)
    return { base: [first], candidate: [second] };
  if (base && candidate && runs.length === 0) return { base, candidate };
  throw refused(
    'Give two runs, or the run documents of both builds: --base FILE... --candidate FILE...; or --history DIR, or --self-test.',
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
