/**
 * Splits text of the catalogue at its backticks, which mark code. Text with an odd number of
 * backticks stays as it is.
 */
export function proseParts(text: string): readonly (string | { readonly code: string })[] {
  const parts = text.split('`');
  if (parts.length % 2 === 0) return [text];
  return parts.map((words, at) => (at % 2 === 0 ? words : { code: words }));
}

/** `Median` for `median`; `p99` stays. */
export function capitalized(name: string): string {
  return /^p\d/.test(name) ? name : name.slice(0, 1).toUpperCase() + name.slice(1);
}
