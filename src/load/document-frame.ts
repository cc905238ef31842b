import type { Tool } from '../documents/base.ts';
import type { RunDocument } from '../documents/run-document.ts';

/** The fields of every document, for one that is made of others: from the first start to the last end. */
export function frameOf(
  documents: readonly Pick<RunDocument, 'startedAt' | 'finishedAt'>[],
  tool: Tool,
  nowMs: number,
): Pick<RunDocument, 'schemaVersion' | 'tool' | 'startedAt' | 'finishedAt'> {
  const now = new Date(nowMs).toISOString();
  const sorted = (of: 'startedAt' | 'finishedAt'): string[] =>
    documents.map((document) => document[of]).sort();
  return {
    schemaVersion: 1,
    tool,
    startedAt: sorted('startedAt')[0] ?? now,
    finishedAt: sorted('finishedAt').at(-1) ?? now,
  };
}
