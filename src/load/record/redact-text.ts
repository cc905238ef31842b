import { estimateResponseSchema } from '../../interface/index.ts';

/** Shorter secrets occur by chance in any text. */
const SHORTEST_SECRET = 4;
/** Runs of characters that a token, a key or a signature may be, in any encoding. */
const LIKE_A_SECRET = /[A-Za-z0-9+/_=%.|~\\-]{16,}/g;

const FIELD_NAMES: ReadonlySet<string> = new Set(Object.keys(estimateResponseSchema.element.shape));

/**
 * Redacts the text of an answer: secrets by their value, and everything that looks like one, which
 * leaves words, numbers and the names of documented fields.
 */
export function redactText(text: string, secrets: readonly string[]): string {
  const known = [...new Set(secrets)]
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return known
    .reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)
    .replace(LIKE_A_SECRET, (run) => (FIELD_NAMES.has(run) ? run : '[redacted]'));
}
