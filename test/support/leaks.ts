import { layersOf } from '../../src/redaction/layers.ts';
import { WHOLE_SPELLINGS } from './spellings.ts';

/** Length from which a part of a secret must not be shown. */
export const SHOWN = 8;

/**
 * The same for a secret of hex digits, such as a signature. Documents hold thousands of numbers and hashes,
 * and in one run of 600 eight digits of one were eight of a signature by chance.
 */
const SHOWN_OF_HEX = 12;

/** Characters that stand for one byte of a secret, in each of {@link WHOLE_SPELLINGS}. */
const LENGTHS = { hex: 2, base64: 4 / 3 };

/**
 * Parts that must not be shown, of each secret and of what encodes it as a whole. Those of an encoding are
 * as long as {@link SHOWN} bytes take: eight digits of a hex text are four characters of the secret, and
 * often a number that a document holds anyway, such as a time.
 */
export function partsOf(secrets: Iterable<string>): Set<string> {
  const parts = new Set<string>();
  const add = (text: string, length: number): void => {
    for (let at = 0; at + length <= text.length; at++) parts.add(text.slice(at, at + length));
  };
  for (const secret of secrets) {
    const isHex = /^[\da-f]+$/.test(secret);
    add(secret, isHex ? Math.max(SHOWN, Math.min(secret.length, SHOWN_OF_HEX)) : SHOWN);
    for (const write of WHOLE_SPELLINGS) {
      const text = write(secret);
      const inHex = text.length === Buffer.byteLength(secret) * LENGTHS.hex;
      add(text, Math.ceil(SHOWN * (inHex ? LENGTHS.hex : LENGTHS.base64)));
    }
  }
  return parts;
}

/** Parts of secrets in a text, and in what its escapes stand for. */
export function shownIn(text: string, parts: ReadonlySet<string>): string[] {
  const lengths = new Set([...parts].map((part) => part.length));
  const shown = new Set<string>();
  for (const { text: layer } of layersOf(text)) {
    for (const length of lengths) {
      for (let at = 0; at + length <= layer.length; at++) {
        const part = layer.slice(at, at + length);
        if (parts.has(part)) shown.add(part);
      }
    }
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
