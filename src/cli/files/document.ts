import { parseDocument, type RunDocument } from '../../documents/run-document.ts';
import { ConfigurationError } from '../../interface/errors.ts';

/**
 * Reads the run document of a file.
 *
 * @param json content of the file
 * @param name of the file, which every message starts with
 * @throws ConfigurationError as {@link parseDocument}
 */
export function documentOf(json: unknown, name: string): RunDocument {
  try {
    return parseDocument(json);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.code, `${name}: ${error.message}`, { cause: error });
  }
}
