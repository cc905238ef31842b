import { decodeEscapes } from './decoded-text.ts';

/** A text to look for, and the secret that it gives away. */
export interface Needle {
  readonly text: string;
  readonly secret: string;
  /** How many characters of its beginning give enough of the secret away. */
  readonly prefix: number;
}

/** From here on the beginning of a secret is redacted too: it may be most of it. */
const SHORTEST_PREFIX = 8;
/** Less would be found by chance in any text. */
const SHORTEST_NEEDLE = 4;

/** Hexadecimal, as signatures are: the same secret in either case. */
const HEX = /^[0-9a-f]+$/i;

/**
 * What to look for in a text of which a number of layers of escapes is resolved: the secret as it is,
 * its encodings as a whole, and, since a secret may look like an escape, what it is then resolved to.
 *
 * @param layers of escapes that are resolved, at most
 */
export function needlesOf(secret: string, layers: number): readonly Needle[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  const hex = bytes.toString('hex');
  const texts = new Set([
    secret,
    secret.replaceAll(' ', '+'),
    // Bytes of UTF-8 taken for Latin-1, as headers are read.
    bytes.toString('latin1'),
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    hex,
    hex.toUpperCase(),
    ...(HEX.test(secret) ? [secret.toLowerCase(), secret.toUpperCase()] : []),
  ]);
  const needles = [...texts].map((text) => ({ text, secret, prefix: SHORTEST_PREFIX }));
  let resolved = decodeEscapes(secret)?.text;
  for (let layer = 0; layer < layers && resolved !== undefined; layer++) {
    const shorterBy = secret.length - resolved.length;
    const prefix = Math.max(SHORTEST_NEEDLE, SHORTEST_PREFIX - shorterBy);
    if (resolved.length >= SHORTEST_NEEDLE) needles.push({ text: resolved, secret, prefix });
    resolved = decodeEscapes(resolved)?.text;
  }
  return needles;
}
