import type { Certificate } from '../../../conformance/index.ts';

/** What was certified, in a line: of a document that may hold anything. */
export function headlineOfDocument({ document, issuedAt }: Certificate): string {
  const target = document['target'] as { readonly name?: unknown } | undefined;
  const name = typeof target?.name === 'string' ? plain(target.name) : 'a client';
  const verdict = typeof document['verdict'] === 'string' ? plain(document['verdict']) : 'unknown';
  return `${name}: ${verdict}, issued ${plain(issuedAt)}`;
}

/** Nothing of a file may speak to the terminal. */
function plain(text: unknown): string {
  return String(text)
    .replace(/[\0-\x1f\x7f-\x9f]/g, ' ')
    .slice(0, 200);
}
