import { documentOf } from '../../../app/files/document.ts';
import { parseJson, readStream, readTextFile } from '../../../app/files/text.ts';
import type { RunDocument } from '../../../documents/run-document.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { Io } from '../../io.ts';

/**
 * Reads the run documents of files, each with one document or a list of them; `-` is stdin.
 *
 * @throws ConfigurationError `DOCUMENT_NONE` if there is none, `DOCUMENT_NOT_JSON`, or as
 *   {@link readTextFile} and {@link documentOf}
 */
export async function readDocuments(files: readonly string[], io: Io): Promise<RunDocument[]> {
  const documents = (await Promise.all(files.map((file) => readDocumentsOf(file, io)))).flat();
  if (documents.length > 0) return documents;
  throw new ConfigurationError(
    'DOCUMENT_NONE',
    `There is no run document in ${files.map(nameOf).join(', ')}: the list is empty. Give a run.json that fareproof wrote.`,
  );
}

async function readDocumentsOf(file: string, io: Io): Promise<RunDocument[]> {
  const name = nameOf(file);
  const text = file === '-' ? await readStream(io.stdin, name) : await readTextFile(file, io.cwd);
  const json = parseJson(text, name, 'DOCUMENT_NOT_JSON');
  const documents: unknown[] = Array.isArray(json) ? json : [json];
  return documents.map((one) => documentOf(one, name));
}

function nameOf(file: string): string {
  return file === '-' ? 'stdin' : file;
}
