import { decodeEscapes } from './decoded-text.ts';

/** A text to search for, and the secret that it reveals. */
export interface Needle {
  readonly text: string;
  readonly secret: string;
  /** Number of leading characters that reveal enough of the secret to be redacted. */
  readonly prefix: number;
}

/** Minimum length of a prefix that is redacted: it may be most of the secret. */
const SHORTEST_PREFIX = 8;
/** Minimum length of a needle: shorter ones occur by chance in any text. */
const SHORTEST_NEEDLE = 4;

/** Hexadecimal, like a signature: the secret is the same in either case. */
const HEX = /^[0-9a-f]+$/i;

/**
 * Texts to search for in a text of which up to `layers` layers of escapes are resolved: the secret
 * itself, its encodings, and, since a secret may look like an escape, its resolved forms.
 */
export function needlesOf(secret: string, layers: number): readonly Needle[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  const hex = bytes.toString('hex');
  const texts = new Set([
    secret,
    secret.replaceAll(' ', '+'),
    // UTF-8 bytes read as Latin-1, as in headers.
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
