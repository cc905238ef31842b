import { type Command, Option } from 'commander';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { ComparisonDocument, LoadDocument, RunDocument } from '../../../report/index.ts';
import { readPercent } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import { deliverDocument } from '../../output/deliver.ts';
import { EXIT, exitCodeOfComparison, exitCodeOfSelfTest } from '../../output/exit-codes.ts';
import { TOOL } from '../../tool.ts';
import { readLoadSettings } from '../load/flags.ts';
import { recordRuns } from '../load/series.ts';
import { openLoadTarget } from '../load/target.ts';
import { benchNotesOn, notesOn } from './notes.ts';
import { readRuns, readSides } from './runs.ts';

interface CompareFlags {
  base?: string[];
  candidate?: string[];
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
const SELF_TEST_FLAGS = ['target', 'runs', 'duration', 'warmup', 'rate', 'connections'] as const;
/** Of the bootstrap: the same runs bring the same verdict. */
const SEED = 1;
const SELF_TEST_RUNS = 20;

/** Defines `fareproof compare`: holds the runs, or the benches, of two builds against each other. */
export function defineCompare(program: Command, io: Io): void {
  program
    .command('compare')
    .description('say whether a candidate is better, worse or equivalent, the run being the sample')
    .option('--base <file...>', 'run documents of load, or of bench, of the build there was')
    .option('--candidate <file...>', 'the same of the build there is now')
    .option('--margin <percent>', 'shifts within it are equivalent (default 5)')
    .option('--self-test', 'hold one build against itself, and print the rate of false alarms')
    .addOption(
      new Option('--target <profile>', 'with --self-test: what to run (default: embedded)'),
    )
    .option('--runs <n>', 'with --self-test: how many runs to record (default 20)')
    .option('--duration <time>', 'with --self-test: of each run (default 2s)')
    .option('--warmup <time>', 'with --self-test: before each run (default 500ms)')
    .option('--rate <n>', 'with --self-test: open model, requests a second')
    .option('--connections <n>', 'with --self-test: closed model, connections')
    .option('--i-may-load-this-target', 'needed for an address beyond loopback')
    .option('--json', 'print the document and nothing else')
    .option('--out <dir>', 'where the document is written (default reports/comparison-<time>/)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ fareproof compare --base old/run-*.json --candidate new/run-*.json\n  $ fareproof compare --base old/bench-*.json --candidate new/bench-*.json',
    )
    .action((flags: CompareFlags) => (flags.selfTest ? testItself(flags, io) : compare(flags, io)));
}

async function compare(flags: CompareFlags, io: Io): Promise<void> {
  const stray = SELF_TEST_FLAGS.filter((name) => flags[name] !== undefined);
  if (!flags.base || !flags.candidate || stray.length > 0) {
    throw new ConfigurationError(
      'COMPARE_FLAGS',
      stray.length > 0
        ? `--${stray[0]} records runs for --self-test; without it the runs are files: --base FILE... --candidate FILE...`
        : 'Give the run documents of both builds: --base FILE... --candidate FILE...; or --self-test.',
    );
  }
  const { compareBenches, compareRuns } = await import('../../../load/index.ts');
  const options = { marginPercent: readPercent(flags.margin, '--margin'), seed: SEED };
  const sides = await readSides(flags.base, flags.candidate, io);
  const deliver = async (
    comparison: Pick<ComparisonDocument, 'verdict' | 'quantiles'>,
    notes: readonly string[],
  ): Promise<void> => {
    const document = {
      ...frameOf([...sides.base, ...sides.candidate]),
      ...comparison,
      runs: { a: sides.base, b: sides.candidate },
      ...(notes.length > 0 && { notes }),
    };
    await deliverDocument(document, flags, io, Date.now());
    io.exit(exitCodeOfComparison(comparison.verdict));
  };
  if (sides.kind === 'load') {
    const { base, candidate } = sides;
    await deliver(compareRuns({ ...sides, ...options }), notesOn(base, candidate));
  } else {
    const { base, candidate } = sides;
    const { notCompared, ...comparison } = compareBenches({ ...sides, ...options });
    await deliver(comparison, benchNotesOn(base, candidate, notCompared));
  }
}

/** The runs are those given as --base, or are recorded now. */
async function testItself(flags: CompareFlags, io: Io): Promise<void> {
  refuseForSelfTest(flags);
  const { compareRuns, LEAST_SELF_TEST_RUNS, selfTest } = await import('../../../load/index.ts');
  const marginPercent = readPercent(flags.margin, '--margin');
  const signal = io.interruption();
  const runs = flags.base ? await readRuns(flags.base, io) : await record(flags, signal, io);
  const a = runs.filter((_, index) => index % 2 === 0);
  const b = runs.filter((_, index) => index % 2 === 1);
  const base = a.slice(0, b.length);
  const comparison = compareRuns({ base, candidate: b, marginPercent, seed: SEED });
  const tested = selfTest(runs, { marginPercent, seed: SEED });
  const share = tested.falseAlarms / tested.trials;
  const enough = runs.length >= LEAST_SELF_TEST_RUNS;
  const reason = enough
    ? `One build held against itself, ${tested.trials} times with ${tested.runsPerSide} runs a side drawn at random: ${tested.falseAlarms} false alarms (${(share * 100).toFixed(1)} %), ${tested.inconclusive} inconclusive. The verdict is of the runs in odd places against those in even ones.`
    : `There are ${runs.length} runs, and a self-test needs ${LEAST_SELF_TEST_RUNS}: with fewer no comparison is decided, so none can be a false alarm.`;
  await deliverDocument(
    {
      ...frameOf(runs),
      ...comparison,
      runs: { a, b },
      reason,
      ...(enough && { selfTest: tested }),
      ...(signal.aborted && { interrupted: true }),
    },
    flags,
    io,
    Date.now(),
  );
  io.exit(signal.aborted ? EXIT.interrupted : exitCodeOfSelfTest(enough ? tested : null));
}

function refuseForSelfTest(flags: CompareFlags): void {
  const refuse = (message: string): never => {
    throw new ConfigurationError('COMPARE_FLAGS', message);
  };
  if (flags.candidate) {
    refuse(
      '--self-test holds one build against itself; give its runs as --base, and no --candidate.',
    );
  }
  const recording = SELF_TEST_FLAGS.find((name) => flags[name] !== undefined);
  if (flags.base && recording !== undefined) {
    refuse(`--${recording} is for runs that are recorded now; leave it or --base out.`);
  }
}

async function record(flags: CompareFlags, signal: AbortSignal, io: Io): Promise<LoadDocument[]> {
  const { target: profile, rate, connections } = flags;
  const settings = await readLoadSettings(
    {
      ...(rate !== undefined && { rate }),
      ...(connections !== undefined && { connections }),
      duration: flags.duration ?? '2s',
      warmup: flags.warmup ?? '500ms',
      runs: flags.runs ?? String(SELF_TEST_RUNS),
    },
    io,
  );
  const target = await openLoadTarget(profile, flags.iMayLoadThisTarget === true, io);
  try {
    const runs = await recordRuns(settings, target, signal, io);
    // One that was cut short is no sample beside whole ones.
    return runs.filter(({ interrupted }) => interrupted !== true);
  } finally {
    await target.close();
  }
}

function frameOf(
  runs: readonly RunDocument[],
): Pick<ComparisonDocument, 'kind' | 'schemaVersion' | 'startedAt' | 'finishedAt' | 'tool'> {
  const startedAt = runs.map((run) => run.startedAt).sort()[0];
  const finishedAt = runs
    .map((run) => run.finishedAt)
    .sort()
    .at(-1);
  const now = new Date().toISOString();
  return {
    kind: 'comparison',
    schemaVersion: 1,
    startedAt: startedAt ?? now,
    finishedAt: finishedAt ?? now,
    tool: TOOL,
  };
}
