import type { ComparisonDocument } from '../../documents/comparison.ts';
import type { RuleComparisonDocument } from '../../documents/rule-comparison.ts';
import {
  type ComparisonSettings,
  compareDocuments,
  historyDocument,
  type LoadFlags,
  type NamedDocument,
  type NamedRun,
  planLoad,
  type RunOutput,
  readFlags,
  readToolFigures,
  runSet,
  runsOf,
  selfTestDocument,
  sidesOf,
} from '../../load/index.ts';
import { runOptionsOf } from '../../load/options.ts';
import { documentOf, runFileOf } from '../files/document.ts';
import { readHistory } from '../files/history.ts';
import { parseJson, readTextFile } from '../files/text.ts';
import { withLoadTargets } from '../load/target.ts';
import type { Surroundings } from '../surroundings.ts';
import { TOOL } from '../tool.ts';
import { compareRules, isOfRules } from './rules.ts';

/** Margin and names of a comparison. */
export type AskedComparison = Pick<ComparisonSettings, 'marginPercent' | 'names'>;

/**
 * Compares the runs of two builds, by files; or two checks, or two certifications.
 *
 * @throws ConfigurationError `FILE_NOT_READ`, and as {@link compareNamed}
 */
export async function compareFiles(
  files: { readonly base: readonly string[]; readonly candidate: readonly string[] },
  asked: AskedComparison,
  surroundings: Pick<Surroundings, 'cwd'>,
): Promise<ComparisonDocument | RuleComparisonDocument> {
  const base = await readDocuments(files.base, surroundings);
  return compareNamed(base, await readDocuments(files.candidate, surroundings), asked);
}

/**
 * Compares the runs of two builds; or two checks, or two certifications.
 *
 * @throws ConfigurationError `COMPARE_FILE_KIND`, and as compareDocuments
 */
export async function compareNamed(
  base: readonly NamedDocument[],
  candidate: readonly NamedDocument[],
  asked: AskedComparison,
): Promise<ComparisonDocument | RuleComparisonDocument> {
  const settings = { ...asked, tool: TOOL, nowMs: Date.now() };
  return [...base, ...candidate].some(isOfRules)
    ? compareRules(base, candidate, settings)
    : compareDocuments(sidesOf(base, candidate), settings);
}

/**
 * Compares one build with itself: runs of files, or runs that are recorded now.
 *
 * @throws as {@link compareFiles}, and as a load
 */
export async function compareWithItself(
  runs: readonly string[] | { readonly recording: LoadFlags; readonly output: RunOutput },
  { marginPercent }: Pick<AskedComparison, 'marginPercent'>,
  surroundings: Surroundings,
) {
  const signal = surroundings.interruption();
  const named =
    'recording' in runs
      ? await recordRuns(runs.recording, runs.output, signal, surroundings)
      : runsOf(await readDocuments(runs, surroundings));
  const document = selfTestDocument(named, { marginPercent, tool: TOOL, nowMs: Date.now() });
  return { ...document, ...(signal.aborted && { interrupted: true }) };
}

/**
 * Compares the newest load of a history with those before it.
 *
 * @param paths files, and folders of runs
 * @throws ConfigurationError as readHistory and historyDocument
 */
export async function compareHistory(
  paths: readonly string[],
  asked: Pick<AskedComparison, 'marginPercent'> & { readonly last: number },
  surroundings: Pick<Surroundings, 'cwd' | 'note'>,
): Promise<ComparisonDocument> {
  const documents: NamedDocument[] = [];
  for await (const { path, document } of readHistory(paths, surroundings)) {
    if (document.kind === 'load' || document.kind === 'load-set')
      documents.push({ name: path, document });
  }
  return historyDocument(documents, { ...asked, tool: TOOL, nowMs: Date.now() });
}

/** Reads run documents, and results of other load generators, from files. */
export async function readDocuments(
  paths: readonly string[],
  surroundings: Pick<Surroundings, 'cwd'>,
): Promise<NamedDocument[]> {
  const documents: NamedDocument[] = [];
  for (const path of paths) {
    const name = await runFileOf(path, surroundings);
    const json = parseJson(await readTextFile(name, surroundings.cwd), name, 'COMPARE_FILE_KIND');
    documents.push({ name, document: readToolFigures(json, name) ?? documentOf(json, name) });
  }
  return documents;
}

/** Options of the recorded runs, unless others are given. */
const DEFAULTS = { duration: '2s', warmup: '500ms', runs: 20 };

/** Records runs; one that an interruption cut short is left out. */
async function recordRuns(
  asked: LoadFlags,
  output: RunOutput,
  signal: AbortSignal,
  surroundings: Surroundings,
): Promise<NamedRun[]> {
  const { runs = DEFAULTS.runs, ...recording } = readFlags({ ...DEFAULTS, ...asked });
  return withLoadTargets(asked, surroundings, async (target) => {
    const load = await planLoad({ ...runOptionsOf(recording), ...target, signal, output });
    const set = await runSet(load, { runs, tool: TOOL });
    return set.runs
      .map((run, index) => ({ ...run, name: `run ${index + 1}` }))
      .filter(({ interrupted }) => !interrupted);
  });
}
