import type { Readable } from 'node:stream';
import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import { documentOf } from '../files/document.ts';
import { parseJson, readStream, readTextFile } from '../files/text.ts';
import { TOOL } from '../tool.ts';

/** Folder of relative paths, and the input that `-` stands for. */
interface Input {
  readonly cwd: string;
  readonly stdin: Readable;
}

/**
 * Reads the run documents of files, each with one document or a list of them; `-` is stdin.
 *
 * @throws ConfigurationError `DOCUMENT_NONE` if there is none, `DOCUMENT_NOT_JSON`, or as
 *   {@link readTextFile} and {@link documentOf}
 */
export async function readDocuments(
  files: readonly string[],
  input: Input,
): Promise<RunDocument[]> {
  const documents = (await Promise.all(files.map((file) => readDocumentsOf(file, input)))).flat();
  if (documents.length > 0) return documents;
  throw new ConfigurationError(
    'DOCUMENT_NONE',
    `There is no run document in ${files.map(nameOf).join(', ')}: the list is empty. Give a run.json that fareproof wrote.`,
  );
}

async function readDocumentsOf(file: string, input: Input): Promise<RunDocument[]> {
  const name = nameOf(file);
  const text =
    file === '-' ? await readStream(input.stdin, name) : await readTextFile(file, input.cwd);
  const json = parseJson(text, name, 'DOCUMENT_NOT_JSON');
  const documents: unknown[] = Array.isArray(json) ? json : [json];
  return documents.map((one) => documentOf(one, name));
}

function nameOf(file: string): string {
  return file === '-' ? 'stdin' : file;
}

/**
 * Judges the stored exchanges of a document again, by the side that it judged. A document that holds
 * no judgement of exchanges, as of load, stays as it is.
 *
 * @throws ConfigurationError `RECHECK_IMPOSSIBLE` for one that does not hold what it was judged by
 */
export async function recheckDocument(document: RunDocument): Promise<RunDocument> {
  if (document.kind !== 'conformance') return document;
  const { recheckClient, recheckService } = await import('../../conformance/index.ts');
  // The exit code was that of the command that judged first.
  const { exit: _exit, ...stored } = document;
  if (document.side === 'service') return recheckService(stored);
  const again = recheckClient(document);
  if (again) {
    const judged = again.scenarios.map((one, at) => ({ ...document.scenarios?.[at], ...one }));
    return { ...stored, ...again, scenarios: judged } satisfies ConformanceDocument;
  }
  throw new ConfigurationError(
    'RECHECK_IMPOSSIBLE',
    'The document does not hold what was seen of the client; certify again to have one that does.',
  );
}

/**
 * Makes one document of the shards of a load.
 *
 * @throws ConfigurationError `PART_NONE` for another document, and as mergeDocuments
 */
export async function mergedDocument(documents: readonly RunDocument[]) {
  const { mergeDocuments } = await import('../../load/index.ts');
  const parts = documents.flatMap((document) => (document.kind === 'load' ? [document] : []));
  if (parts.length < documents.length) {
    throw new ConfigurationError(
      'PART_NONE',
      'A document is not a shard of a load; give the run.json files of all shards.',
    );
  }
  return { ...mergeDocuments(parts), tool: TOOL };
}
