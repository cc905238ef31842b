import type { RunDocument } from '../../documents/run-document.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import { TOOL } from '../tool.ts';

/**
 * Makes one document of the parts of a load.
 *
 * @throws ConfigurationError `PART_NONE` for another document, and as mergeDocuments
 */
export async function mergedDocument(documents: readonly RunDocument[]) {
  const { mergeDocuments } = await import('../../load/index.ts');
  const parts = documents.flatMap((document) => (document.kind === 'load' ? [document] : []));
  if (parts.length < documents.length) {
    throw new ConfigurationError('PART_NONE', 'A document to be merged is no part of a load.');
  }
  return { ...mergeDocuments(parts), tool: TOOL };
}
