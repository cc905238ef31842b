import type { RunDocument } from '../documents/run-document.ts';

/** Renders a run document as run.json; several as a list. */
export function toJson(...documents: readonly RunDocument[]): string {
  const [only, ...more] = documents;
  return `${JSON.stringify(more.length === 0 ? only : documents, null, 2)}\n`;
}
