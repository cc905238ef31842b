import {
  type NamedDocument,
  type NamedRun,
  planLoad,
  readToolFigures,
  runSet,
} from '../../../load/index.ts';
import { documentOf, runFileOf } from '../../files/document.ts';
import { parseJson, readTextFile } from '../../files/text.ts';
import type { Io } from '../../io.ts';
import { TOOL } from '../../tool.ts';
import { optionsFor } from '../load/run.ts';
import { readLoadSettings } from '../load/settings.ts';
import { withLoadTargets } from '../load/target.ts';
import { LoadWatch } from '../load/watch.ts';
import type { CompareFlags } from './flags.ts';

/** Settings of the recorded runs, unless the flags set others. */
const DEFAULTS = { duration: '2s', warmup: '500ms', runs: '20' };

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
  const { rate, connections, duration, warmup, runs } = { ...DEFAULTS, ...flags };
  const load = {
    duration,
    warmup,
    runs,
    ...(rate !== undefined && { rate }),
    ...(connections !== undefined && { connections }),
  };
  const settings = await readLoadSettings(load, io);
  return withLoadTargets(flags, io, async (target) => {
    const set = await runSet(await planLoad(optionsFor(settings, target, signal)), {
      runs: settings.runs,
      tool: TOOL,
      observer: new LoadWatch(io, null),
    });
    return set.runs
      .map((run, index) => ({ ...run, name: `run ${index + 1}` }))
      .filter(({ interrupted }) => !interrupted);
  });
}
