import { ConfigurationError } from '../interface/errors.ts';
import type { LoadDocument } from '../report/index.ts';
import type { Io } from './io.ts';
import { readTextFile } from './read-text.ts';

/** A load run with the file it came from. */
export type NamedRun = LoadDocument & { name: string };

/**
 * Reads the run documents of one side of a comparison. A file holds one run, or the list that
 * `load --runs` writes; a run that is in both is counted once, since twice would make it look surer
 * than it is.
 *
 * @throws ConfigurationError `COMPARE_FILE_KIND` for anything else, `FILE_NOT_READ`, and as parseDocument
 */
export async function readRuns(paths: readonly string[], io: Io): Promise<NamedRun[]> {
  const { parseDocument } = await import('../report/index.ts');
  const runs = new Map<string, NamedRun>();
  const take = (run: LoadDocument, name: string): void => {
    const identity = identityOf(run);
    if (!runs.has(identity)) runs.set(identity, { ...run, name });
  };
  for (const path of paths) {
    const document = parseDocument(parseJson(await readTextFile(path, io.cwd), path));
    if (document.kind === 'load') take(document, path);
    else if (document.kind === 'load-set') {
      for (const [index, run] of document.runs.entries()) take(run, `${path} ${index + 1}`);
    } else {
      throw new ConfigurationError(
        'COMPARE_FILE_KIND',
        `${path}: is a document of kind ${document.kind}; give run documents of load.`,
      );
    }
  }
  return [...runs.values()];
}

/** What a reader should know of the runs before taking the verdict: sentences, mostly none. */
export function notesOn(
  base: readonly LoadDocument[],
  candidate: readonly LoadDocument[],
): string[] {
  const loads = (runs: readonly LoadDocument[]): string =>
    [...new Set(runs.map(loadInWords))].sort().join(' and ');
  const [ofBase, ofCandidate] = [loads(base), loads(candidate)];
  const identities = new Set(base.map(identityOf));
  const shared = candidate.filter((run) => identities.has(identityOf(run))).length;
  return [
    ...(ofBase === ofCandidate
      ? []
      : [
          `The sides were not run alike: the base with ${ofBase}, the candidate with ${ofCandidate}. What shifted may be the load, not the build.`,
        ]),
    ...(shared === 0
      ? []
      : [`${shared} of the candidate's runs are among those of the base; they cannot differ.`]),
  ];
}

function loadInWords({ model, engine, intended }: LoadDocument): string {
  const rate = intended.rate === null ? '' : ` at ${intended.rate}/s`;
  return `the ${model} model${rate}, ${intended.connections} connections, engine ${engine}`;
}

const identityOf = ({ startedAt, finishedAt, histograms }: LoadDocument): string =>
  `${startedAt} ${finishedAt} ${histograms.response}`;

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError('COMPARE_FILE_KIND', `${path}: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
