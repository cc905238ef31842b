import { documentOf, runFileOf } from '../../../app/files/document.ts';
import { parseJson, readTextFile } from '../../../app/files/text.ts';
import { withLoadTargets } from '../../../app/load/target.ts';
import { TOOL } from '../../../app/tool.ts';
import {
  type NamedDocument,
  type NamedRun,
  planLoad,
  readFlags,
  readToolFigures,
  runSet,
} from '../../../load/index.ts';
import { runOptionsOf } from '../../../load/options.ts';
import type { Io } from '../../io.ts';
import { contextOf } from '../load/load.ts';
import { TerminalOutput } from '../load/watch.ts';
import { type CompareFlags, recordingOf } from './flags.ts';

/** Settings of the recorded runs, unless the flags set others. */
const DEFAULTS = { duration: '2s', warmup: '500ms', runs: 20 };

/**
 * Reads run documents, and results of other load generators, from files.
 *
 * @throws ConfigurationError `COMPARE_FILE_KIND` for a file that is not JSON, or lacks a figure,
 * `FILE_NOT_READ`, and as documentOf
 */
export async function readDocuments(paths: readonly string[], io: Io): Promise<NamedDocument[]> {
  const documents: NamedDocument[] = [];
  for (const path of paths) {
    const name = await runFileOf(path, io);
    const json = parseJson(await readTextFile(name, io.cwd), name, 'COMPARE_FILE_KIND');
    documents.push({ name, document: readToolFigures(json, name) ?? documentOf(json, name) });
  }
  return documents;
}

/**
 * Records the runs of a self-test; one that an interruption cut short is left out.
 *
 * @throws as load
 */
export async function recordRuns(
  flags: CompareFlags,
  signal: AbortSignal,
  io: Io,
): Promise<NamedRun[]> {
  const { runs, ...recording } = readFlags({ ...DEFAULTS, ...recordingOf(flags) });
  return withLoadTargets(flags, io, async (target) => {
    const context = contextOf(target, { signal, output: new TerminalOutput(io) }, io);
    const set = await runSet(await planLoad({ ...runOptionsOf(recording), ...context }), {
      runs: runs ?? DEFAULTS.runs,
      tool: TOOL,
    });
    return set.runs
      .map((run, index) => ({ ...run, name: `run ${index + 1}` }))
      .filter(({ interrupted }) => !interrupted);
  });
}
