import { decodeEscapes } from '../../src/conformance/redaction/escapes.ts';
import { WHOLE_SPELLINGS } from './spellings.ts';

/** Length from which a part of a secret must not be shown. */
export const SHOWN = 8;

/** Layers of escapes that are removed. */
const LAYERS = 3;

/** Parts of every length that must not be shown, of each secret and of what encodes it as a whole. */
export function partsOf(secrets: Iterable<string>): Set<string> {
  const parts = new Set<string>();
  for (const secret of secrets) {
    for (const write of [(text: string) => text, ...WHOLE_SPELLINGS]) {
      const text = write(secret);
      for (let at = 0; at + SHOWN <= text.length; at++) parts.add(text.slice(at, at + SHOWN));
    }
  }
  return parts;
}

/** Parts of secrets in a text, and in what its escapes stand for. */
export function shownIn(text: string, parts: ReadonlySet<string>): string[] {
  const shown = new Set<string>();
  let layer: string | undefined = text;
  for (let depth = 0; depth <= LAYERS && layer !== undefined; depth++) {
    for (let at = 0; at + SHOWN <= layer.length; at++) {
      const part = layer.slice(at, at + SHOWN);
      if (parts.has(part)) shown.add(part);
    }
    layer = decodeEscapes(layer)?.text;
  }
  return [...shown];
}

/**
 * Secrets that a document holds in a spelling, which is looked for as it was written: an escape that the
 * redaction does not know is one that {@link shownIn} does not know either.
 */
export function spelledIn(
  json: string,
  secrets: Iterable<string>,
  spellings: readonly ((text: string) => string)[],
): string[] {
  const texts: string[] = [];
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  const all = texts.join('\n');
  return [...secrets].filter((secret) => spellings.some((spell) => all.includes(spell(secret))));
}
