import type { Command } from 'commander';
import { compareRules, isOfRules } from '../../../app/compare/rules.ts';
import { TOOL } from '../../../app/tool.ts';
import type { ComparisonDocument } from '../../../documents/comparison.ts';
import type { ComparisonSettings, NamedDocument } from '../../../load/index.ts';
import { readPercent } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import { deliverDocument } from '../../output/deliver.ts';
import { exitOfComparison, exitOfSelfTest } from '../../output/exit-codes.ts';
import { COMPARE_OPTIONS, type CompareFlags, requireSelfTest, requireSides } from './flags.ts';

/** Defines `fareproof compare`: compares runs, benches, checks or certifications of two builds. */
export function defineCompare(command: Command, io: Io): void {
  command
    .argument('[run...]', 'two runs, instead of --base and --candidate: files, or their folders')
    .addHelpText(
      'after',
      '\nOf two checks or certifications it prints which rules were fixed, are newly broken, still broken, or no longer judged.\n\nExamples:\n  $ fareproof compare last/run.json now/run.json\n  $ fareproof compare --base old/run-*.json --candidate new/run-*.json --base-label 1.4 --candidate-label 1.5\n  $ fareproof compare --base old/bench-*.json --candidate new/bench-*.json',
    )
    .action((runs: string[], flags: CompareFlags) =>
      flags.selfTest ? testItself(runs, flags, io) : compare(runs, flags, io),
    );
  for (const option of COMPARE_OPTIONS) command.addOption(option);
}

async function compare(runs: readonly string[], flags: CompareFlags, io: Io): Promise<void> {
  const files = requireSides(runs, flags);
  const marginPercent = readPercent(flags.margin, 'margin');
  const { readDocuments } = await import('./runs.ts');
  const base = await readDocuments(files.base, io);
  const candidate = await readDocuments(files.candidate, io);
  const nowMs = Date.now();
  const names = { base: flags.baseLabel, candidate: flags.candidateLabel };
  const settings = { marginPercent, names, tool: TOOL, nowMs };
  const document = [...base, ...candidate].some(isOfRules)
    ? await compareRules(base, candidate, settings)
    : await compareLoads(base, candidate, settings);
  const exit = exitOfComparison(document);
  await deliverDocument({ ...document, exit }, flags, io, nowMs);
  io.exit(exit.code);
}

async function compareLoads(
  base: readonly NamedDocument[],
  candidate: readonly NamedDocument[],
  settings: ComparisonSettings,
): Promise<ComparisonDocument> {
  const { compareDocuments, sidesOf } = await import('../../../load/index.ts');
  return compareDocuments(sidesOf(base, candidate), settings);
}

/** The runs are those given as --base, or are recorded now. */
async function testItself(
  runsGiven: readonly string[],
  flags: CompareFlags,
  io: Io,
): Promise<void> {
  requireSelfTest(runsGiven, flags);
  const marginPercent = readPercent(flags.margin, 'margin');
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
