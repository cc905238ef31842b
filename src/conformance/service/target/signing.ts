import { hash } from 'node:crypto';
import { sign } from '../../../interface/signature.ts';
import type { Fields } from '../contract/request.ts';
import type { SignedFields } from '../contract/target.ts';

/** Of these fields the pairs that enter the signature. */
export function pairsOf(fields: Fields, signedFields: SignedFields): Fields {
  if (signedFields === 'all') return fields;
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => signedFields.includes(name.trim())),
  );
}

/** Signs the text S as it is, by step 6 alone. */
export function signText(text: string, signingKey: string): string {
  return hash('md5', hash('md5', text) + signingKey);
}

/** Signs pairs; the text of none of them where there are none, so that a request can still be sent. */
export function signPairs(pairs: Fields, signingKey: string): string {
  return Object.keys(pairs).length === 0 ? signText('', signingKey) : sign(pairs, signingKey);
}
