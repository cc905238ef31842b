import { ConfigurationError } from '../../../interface/errors.ts';
import type { NamedDocument } from '../../../load/index.ts';
import { readTextFile } from '../../files/text.ts';
import type { Io } from '../../io.ts';

/**
 * Reads run documents from files.
 *
 * @throws ConfigurationError `COMPARE_FILE_KIND` for a file that is not JSON, `FILE_NOT_READ`, and as
 *   parseDocument
 */
export async function readDocuments(paths: readonly string[], io: Io): Promise<NamedDocument[]> {
  const { parseDocument } = await import('../../../documents/run-document.ts');
  const documents: NamedDocument[] = [];
  for (const name of paths) {
    const text = await readTextFile(name, io.cwd);
    documents.push({ name, document: parseDocument(parseJson(text, name)) });
  }
  return documents;
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError('COMPARE_FILE_KIND', `${path}: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
