import type { Command } from 'commander';
import type { ComparisonDocument } from '../../../documents/comparison.ts';
import type { RuleComparisonDocument } from '../../../documents/rule-comparison.ts';
import { OPTION_ROWS } from '../../../load/options.ts';
import { readNumber } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import { deliverDocument } from '../../output/deliver.ts';
import { exitOfComparison, exitOfSelfTest } from '../../output/exit-codes.ts';
import { nextStep, sideBySide } from '../../output/next-step.ts';
import {
  COMPARE_OPTIONS,
  type CompareFlags,
  recordingOf,
  requireSelfTest,
  requireSides,
} from './flags.ts';

/** Defines `fareproof compare`: compares runs, benches, checks or certifications of two builds. */
export function defineCompare(command: Command, io: Io): void {
  command
    .argument('[run...]', 'two runs, instead of --base and --candidate: files, or their folders')
    .addHelpText(
      'after',
      '\nOf two checks or certifications it prints which rules were fixed, are newly broken, still broken, or no longer judged.\n\nExamples:\n  $ fareproof compare last/run.json now/run.json\n  $ fareproof compare --base old/run-*.json --candidate new/run-*.json --base-label 1.4 --candidate-label 1.5\n  $ fareproof compare --base old/bench-*.json --candidate new/bench-*.json\n  $ fareproof compare --history reports --last 10',
    )
    .action((runs: string[], flags: CompareFlags) => {
      if (flags.history) return compareNewest([...flags.history, ...runs], flags, io);
      return flags.selfTest ? testItself(runs, flags, io) : compare(runs, flags, io);
    });
  for (const option of COMPARE_OPTIONS) command.addOption(option);
}

async function compare(runs: readonly string[], flags: CompareFlags, io: Io): Promise<void> {
  const files = requireSides(runs, flags);
  const { compareFiles } = await import('../../../app/compare/compare-runs.ts');
  const marginPercent = readNumber(flags.margin, 'margin', OPTION_ROWS.margin);
  const names = { base: flags.baseLabel, candidate: flags.candidateLabel };
  const document = await compareFiles(files, { marginPercent, names }, io);
  const delivered = {
    ...document,
    exit: exitOfComparison(document),
    ...nextOfComparison(document, files),
  };
  await deliverDocument(delivered, flags, io, { atMs: Date.now() });
}

/** Of checks, the exchanges of what is broken now; of loads and benches, both sides on one page. */
function nextOfComparison(
  document: ComparisonDocument | RuleComparisonDocument,
  { base, candidate }: { readonly base: readonly string[]; readonly candidate: readonly string[] },
) {
  const [before = '', now = ''] = [base[0], candidate[0]];
  if (document.kind === 'comparison')
    return document.runs.a.some((run) => 'quantilesUs' in run) ? {} : sideBySide([before, now]);
  const { newlyBroken, stillBroken } = document;
  if (document.side === 'client' || newlyBroken.length + stillBroken.length === 0) return {};
  return nextStep('list the exchanges of the broken rules, to replay one', ['replay', now]);
}

async function compareNewest(paths: string[], flags: CompareFlags, io: Io): Promise<void> {
  const { compareHistory } = await import('../../../app/compare/compare-runs.ts');
  const marginPercent = readNumber(flags.margin, 'margin', OPTION_ROWS.margin);
  const last = readNumber(flags.last ?? '10', 'last', { kind: 'integer', min: 1 });
  const document = await compareHistory(paths, { marginPercent, last }, io);
  const delivered = { ...document, exit: exitOfComparison(document) };
  await deliverDocument(delivered, flags, io, { atMs: Date.now() });
}

/** The runs are those given as --base, or are recorded now. */
async function testItself(runs: readonly string[], flags: CompareFlags, io: Io): Promise<void> {
  requireSelfTest(runs, flags);
  const { compareWithItself } = await import('../../../app/compare/compare-runs.ts');
  const { TerminalOutput } = await import('../../output/terminal-output.ts');
  const marginPercent = readNumber(flags.margin, 'margin', OPTION_ROWS.margin);
  const document = await compareWithItself(
    flags.base ?? { recording: recordingOf(flags), output: new TerminalOutput(io) },
    { marginPercent },
    io,
  );
  const delivered = { ...document, exit: exitOfSelfTest(document) };
  await deliverDocument(delivered, flags, io, { atMs: Date.now() });
}
