import type { Certificate } from '../../../conformance/index.ts';
import { cutText, escapeTerminalLine } from '../../../report/index.ts';

/** What was certified, in a line: of a document that may hold anything. */
export function headlineOfDocument({ document, issuedAt }: Certificate): string {
  const target = document['target'] as { readonly name?: unknown } | undefined;
  const name = typeof target?.name === 'string' ? plain(target.name) : 'a client';
  const verdict = typeof document['verdict'] === 'string' ? plain(document['verdict']) : 'unknown';
  return `${name}: ${verdict}, issued ${plain(issuedAt)}`;
}

/** A text of the file's, escaped and cut to fit a terminal. */
function plain(text: string): string {
  return escapeTerminalLine(cutText(text, 200));
}
