import type { Tool } from '../documents/base.ts';
import type { RunDocument } from '../documents/run-document.ts';

/** The fields of every document, for one that is made of others: from the first start to the last end. */
export function frameOf(
  documents: readonly Pick<RunDocument, 'startedAt' | 'finishedAt'>[],
  tool: Tool,
  nowMs: number,
): Pick<RunDocument, 'schemaVersion' | 'tool' | 'startedAt' | 'finishedAt'> {
  const now = new Date(nowMs).toISOString();
  return {
    schemaVersion: 1,
    tool,
    startedAt: documents.map(({ startedAt }) => startedAt).sort()[0] ?? now,
    finishedAt:
      documents
        .map(({ finishedAt }) => finishedAt)
        .sort()
        .at(-1) ?? now,
  };
}
