import { ConfigurationError } from '../../../interface/errors.ts';
import type { BenchDocument, LoadDocument, RunDocument } from '../../../report/index.ts';
import { readTextFile } from '../../files/text.ts';
import type { Io } from '../../io.ts';

/** A load run with the file it came from. */
export type NamedRun = LoadDocument & { name: string };

/** A bench with the file it came from. */
export type NamedBench = BenchDocument & { name: string };

/** Both sides of a comparison, which are of one kind. */
export type ComparedSides =
  | { kind: 'load'; base: NamedRun[]; candidate: NamedRun[] }
  | { kind: 'bench'; base: NamedBench[]; candidate: NamedBench[] };

/**
 * Reads both sides of a comparison: run documents of load, or of bench.
 *
 * @throws ConfigurationError `COMPARE_FILE_KIND` for anything else, or both at once, `FILE_NOT_READ`,
 *   and as parseDocument
 */
export async function readSides(
  basePaths: readonly string[],
  candidatePaths: readonly string[],
  io: Io,
): Promise<ComparedSides> {
  const [base, candidate] = [await readAll(basePaths, io), await readAll(candidatePaths, io)];
  const benches = [...base, ...candidate].filter(({ document }) => document.kind === 'bench');
  if (benches.length === 0) {
    return { kind: 'load', base: runsOf(base), candidate: runsOf(candidate) };
  }
  return { kind: 'bench', base: benchesOf(base), candidate: benchesOf(candidate) };
}

/**
 * Reads run documents of load. A file holds one run, or the list that `load --runs` writes; a run that
 * is in both is counted once, since twice would make it look surer than it is.
 *
 * @throws ConfigurationError as {@link readSides}
 */
export async function readRuns(paths: readonly string[], io: Io): Promise<NamedRun[]> {
  return runsOf(await readAll(paths, io));
}

interface ReadDocument {
  path: string;
  document: RunDocument;
}

async function readAll(paths: readonly string[], io: Io): Promise<ReadDocument[]> {
  const { parseDocument } = await import('../../../report/index.ts');
  const read: ReadDocument[] = [];
  for (const path of paths) {
    read.push({ path, document: parseDocument(parseJson(await readTextFile(path, io.cwd), path)) });
  }
  return read;
}

function runsOf(read: readonly ReadDocument[]): NamedRun[] {
  return once(
    read.flatMap(({ path, document }) => {
      if (document.kind === 'load') return [{ ...document, name: path }];
      if (document.kind !== 'load-set') return refuse(path, document, 'run documents of load');
      return document.runs.map((run, index) => ({ ...run, name: `${path} ${index + 1}` }));
    }),
    identityOf,
  );
}

function benchesOf(read: readonly ReadDocument[]): NamedBench[] {
  return once(
    read.map(({ path, document }) =>
      document.kind === 'bench'
        ? { ...document, name: path }
        : refuse(path, document, 'documents of bench on both sides, or of load'),
    ),
    identityOfBench,
  );
}

function refuse(path: string, { kind }: RunDocument, wanted: string): never {
  throw new ConfigurationError(
    'COMPARE_FILE_KIND',
    `${path}: is a document of kind ${kind}; give ${wanted}.`,
  );
}

/** Without those that came before. */
function once<T>(items: readonly T[], identity: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => seen.size < seen.add(identity(item)).size);
}

/** Of a run, wherever it is stored. */
export const identityOf = ({ startedAt, finishedAt, histograms }: LoadDocument): string =>
  `${startedAt} ${finishedAt} ${histograms.response}`;

/** Of a bench, wherever it is stored. */
export const identityOfBench = ({ startedAt, finishedAt, steps }: BenchDocument): string =>
  `${startedAt} ${finishedAt} ${JSON.stringify(steps)}`;

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError('COMPARE_FILE_KIND', `${path}: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
