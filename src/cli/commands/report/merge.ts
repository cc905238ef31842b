import type { RunDocument } from '../../../documents/run-document.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { exitOfLoad } from '../../output/exit-codes.ts';
import { TOOL } from '../../tool.ts';

/**
 * Makes one document of the parts of a load, with its exit code.
 *
 * @throws ConfigurationError `PART_NONE` for another document, and as mergeDocuments
 */
export async function mergedDocument(documents: readonly RunDocument[]) {
  const { mergeDocuments } = await import('../../../load/index.ts');
  const parts = documents.flatMap((document) => (document.kind === 'load' ? [document] : []));
  if (parts.length < documents.length) {
    throw new ConfigurationError('PART_NONE', 'A document to be merged is no run of load --part.');
  }
  const merged = { ...mergeDocuments(parts), tool: TOOL };
  return { ...merged, exit: exitOfLoad(merged) };
}
