import { cpus, loadavg } from 'node:os';
import type { Command } from 'commander';
import { TOOL } from '../../app/tool.ts';
import { parseDurationMs } from '../../interface/duration.ts';
import type { Io } from '../io.ts';
import { deliverDocument } from '../output/deliver.ts';
import { EXIT } from '../output/exit-codes.ts';

interface BenchFlags {
  duration?: string;
  json?: true;
  out?: string;
}

/** Defines `fareproof bench`: measures the time of each step of the server's fast path. */
export function defineBench(command: Command, io: Io): void {
  command
    .option('--duration <time>', 'measuring time of each step (default 500ms)')
    .option('--json', 'print the run document to stdout and nothing else')
    .option('--out <dir>', "folder for the run's files (default reports/bench-<time>/)")
    .addHelpText(
      'after',
      '\nExample:\n  $ fareproof bench --json > before-1.json\n\nWith six or more documents per build, compare them:\n  $ fareproof compare --base before-*.json --candidate after-*.json',
    )
    .action((flags: BenchFlags) => bench(flags, io));
}

async function bench(flags: BenchFlags, io: Io): Promise<void> {
  const { measureSteps, systemClock } = await import('../../load/index.ts');
  const { cryptoRandom, fastPathSteps, WHOLE_REQUEST } = await import('../../server/index.ts');
  const durationMs =
    flags.duration === undefined ? undefined : parseDurationMs(flags.duration, 'duration');
  const signal = io.interruption();
  const clock = systemClock();
  const nowMs = clock.now();
  const result = await measureSteps({
    // A constant clock: reading the time is not part of a step.
    steps: fastPathSteps({ now: () => nowMs }, cryptoRandom()),
    whole: WHOLE_REQUEST,
    clock,
    durationMs,
    signal,
    onStep: ({ name, nsMedian }) => io.note(`${name}: ${nsMedian} ns`),
  });
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    node: process.version,
    loadAverage: loadavg().map((load) => Math.round(load * 100) / 100),
  };
  const document = { ...result, machine, tool: TOOL };
  await deliverDocument(document, flags, io);
  io.exit(signal.aborted ? EXIT.interrupted : EXIT.passed);
}
