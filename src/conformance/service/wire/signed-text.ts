import { hash } from 'node:crypto';
import type { Exchange } from '../../../documents/exchange.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import { changeDigit, exchangeDigits } from '../contract/altered-text.ts';

/** Text that was signed for a request, as its document stores it. */
export type SignedText = NonNullable<Exchange['signed']>;

/** A right signature and what it was made of. */
interface Right {
  readonly signature: string;
  /** The text S. */
  readonly text: string;
  readonly signingKey: string;
}

const HEX_DIGITS = 32;

/** Ways to spoil a signature that can be repeated on another one, by name. */
const ALTERATIONS: ReadonlyMap<string, (right: Right) => string> = new Map([
  ...Array.from({ length: HEX_DIGITS }, (_, at): [string, (right: Right) => string] => [
    `digit ${at + 1} changed`,
    ({ signature }) => changeDigit(signature, at),
  ]),
  ['two digits exchanged', ({ signature }) => exchangeDigits(signature)],
  ['digits in reverse order', ({ signature }) => Array.from(signature).reverse().join('')],
  ['a digit 0 after it', ({ signature }) => `${signature}0`],
  ['without its last digit', ({ signature }) => signature.slice(0, -1)],
  ['in upper case', ({ signature }) => signature.toUpperCase()],
  ['zeros in its place', () => '0'.repeat(HEX_DIGITS)],
  ['nothing in its place', () => ''],
  ['MD5(S), without the key, in its place', ({ text }) => hash('md5', text)],
  [
    'MD5 of S and the key, hashed once, in its place',
    ({ text, signingKey }) => hash('md5', text + signingKey),
  ],
  [
    'MD5(S) after the key in its place',
    ({ text, signingKey }) => hash('md5', signingKey + hash('md5', text)),
  ],
]);

/** Name of the alteration that makes the signature that was sent; null if none does. */
export function alterationOf(right: Right, sent: string): string | null {
  for (const [name, alter] of ALTERATIONS) if (alter(right) === sent) return name;
  return null;
}

/** Signature that an alteration makes of a right one; null for an unknown alteration. */
export function alteredSignature(alteration: string, right: Right): string | null {
  return ALTERATIONS.get(alteration)?.(right) ?? null;
}

/** Key that a signature was made with, as far as it may be stored. */
export function keyName(signingKey: string, own: PartnerCredentials): SignedText['key'] {
  if (signingKey === own.signingKey) return 'own';
  if (signingKey === '') return 'empty';
  return signingKey === own.id ? 'partner-id' : 'other';
}
