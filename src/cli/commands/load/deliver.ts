import { join } from 'node:path';
import type { LoadDocument } from '../../../documents/load.ts';
import type { LivePage } from '../../../report/index.ts';
import { writeFiles } from '../../files/write.ts';
import type { Io } from '../../io.ts';
import { type DeliveryFlags, deliverDocument } from '../../output/deliver.ts';
import {
  type ExitCode,
  exitCodeOfComparison,
  exitCodeOfFindMax,
  exitCodeOfLoad,
} from '../../output/exit-codes.ts';
import { notWritable } from '../../output/run-folder.ts';
import type { LoadOutcome } from './run.ts';

/**
 * Delivers the document of `load`, and each of its runs as a separate file; the live page learns
 * where the report is.
 *
 * @returns the exit code
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE`
 */
export async function deliverOutcome(
  outcome: LoadOutcome,
  flags: DeliveryFlags,
  page: LivePage | null,
  io: Io,
): Promise<ExitCode> {
  const { toJson } = await import('../../../report/index.ts');
  const folder = await deliverDocument(outcome, flags, io);
  page?.end(outcome, join(folder, 'report.html'));
  const files = runsIn(outcome).map(({ name, ...run }) => [name, toJson(run)] as const);
  await writeFiles(folder, Object.fromEntries(files), notWritable(folder));
  return exitCodeOf(outcome);
}

/** The runs of a document, with the names of their files. */
function runsIn(outcome: LoadOutcome): readonly (LoadDocument & { name: string })[] {
  if (outcome.kind === 'comparison') return [...outcome.runs.a, ...outcome.runs.b];
  if (outcome.kind !== 'load-set') return [];
  return outcome.runs.map((run, index) => ({ ...run, name: `run-${index + 1}.json` }));
}

function exitCodeOf(outcome: LoadOutcome): ExitCode {
  switch (outcome.kind) {
    case 'load':
      return exitCodeOfLoad([outcome]);
    case 'load-set':
      return exitCodeOfLoad(outcome.runs);
    case 'find-max':
      return exitCodeOfFindMax(outcome.verdict);
    case 'comparison':
      return exitCodeOfComparison(outcome.verdict);
  }
}
