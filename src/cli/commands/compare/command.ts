import type { Command } from 'commander';
import { readPercent } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import { deliverDocument } from '../../output/deliver.ts';
import { exitOfComparison, exitOfSelfTest } from '../../output/exit-codes.ts';
import { TOOL } from '../../tool.ts';
import { COMPARE_OPTIONS, type CompareFlags, requireSelfTest, requireSides } from './flags.ts';

/** Defines `fareproof compare`: compares the runs, or the benches, of two builds. */
export function defineCompare(command: Command, io: Io): void {
  command
    .addHelpText(
      'after',
      '\nExamples:\n  $ fareproof compare --base old/run-*.json --candidate new/run-*.json --base-label 1.4 --candidate-label 1.5\n  $ fareproof compare --base old/bench-*.json --candidate new/bench-*.json',
    )
    .action((flags: CompareFlags) => (flags.selfTest ? testItself(flags, io) : compare(flags, io)));
  for (const option of COMPARE_OPTIONS) command.addOption(option);
}

async function compare(flags: CompareFlags, io: Io): Promise<void> {
  const files = requireSides(flags);
  const marginPercent = readPercent(flags.margin, '--margin');
  const { compareDocuments, sidesOf } = await import('../../../load/index.ts');
  const { readDocuments } = await import('./runs.ts');
  const base = await readDocuments(files.base, io);
  const sides = sidesOf(base, await readDocuments(files.candidate, io));
  const nowMs = Date.now();
  const names = { base: flags.baseLabel, candidate: flags.candidateLabel };
  const document = compareDocuments(sides, { marginPercent, names, tool: TOOL, nowMs });
  const exit = exitOfComparison(document);
  await deliverDocument({ ...document, exit }, flags, io, nowMs);
  io.exit(exit.code);
}

/** The runs are those given as --base, or are recorded now. */
async function testItself(flags: CompareFlags, io: Io): Promise<void> {
  requireSelfTest(flags);
  const marginPercent = readPercent(flags.margin, '--margin');
  const { runsOf, selfTestDocument } = await import('../../../load/index.ts');
  const { readDocuments, recordRuns } = await import('./runs.ts');
  const signal = io.interruption();
  const runs = flags.base
    ? runsOf(await readDocuments(flags.base, io))
    : await recordRuns(flags, signal, io);
  const nowMs = Date.now();
  const tested = selfTestDocument(runs, { marginPercent, tool: TOOL, nowMs });
  const document = { ...tested, ...(signal.aborted && { interrupted: true }) };
  const exit = exitOfSelfTest(document);
  await deliverDocument({ ...document, exit }, flags, io, nowMs);
  io.exit(exit.code);
}
