import { hash } from 'node:crypto';
import {
  explainSignature,
  type SignaturePairs,
  type SignatureSettings,
} from '../../interface/index.ts';
import type { SignatureCheck, Signer } from '../signature-check.ts';
import { because, type FaultsOf, fault, withMethods } from './fault.ts';
import type { Replacement } from './parts.ts';

const HEX = /^[0-9a-f]{32}$/i;

/** Faults of the rules on signatures. */
export const SIGNATURE_FAULTS: FaultsOf<'signature'> = {
  'signature/valid-accepted': fault('A correct signature is refused.', {
    signatures: (check) => withMethods(check, { isTokenSigned: () => false }),
  }),
  'signature/invalid-refused': fault(
    'Any 32 hex digits pass for a signature.',
    { signatures: accepting(() => true) },
    because(
      'a signature made with another key, or over other fields, is 32 hex digits too',
      'signature/wrong-key-refused',
      'signature/covers-fields',
      'token/nostr-case',
    ),
  ),
  'signature/wrong-key-refused': fault(
    'Any 32 hex digits pass that are not the right ones with some digits changed.',
    { signatures: accepting(isFarFromRight) },
    because(
      'a signature made with an unknown key looks like one made over other fields, or like chance',
      'signature/invalid-refused',
      'signature/covers-fields',
      'token/nostr-case',
    ),
  ),
  'signature/covers-fields': fault(
    'Any 32 hex digits pass that are not the right ones with some digits changed.',
    { signatures: accepting(isFarFromRight) },
    because(
      'a signature made over other fields looks like one made with an unknown key, or like chance',
      'signature/invalid-refused',
      'signature/wrong-key-refused',
      'token/nostr-case',
    ),
  ),
  'signature/key-order': fault(
    'Where nostr comes before grant_type, pairs enter in the order of the body.',
    { tokenSigner: withoutSorting },
  ),
  'signature/empty-skipped': fault('A pair with an empty value enters as `key=`.', {
    tokenSigner: () => withEmptyValues,
  }),
  'signature/zero-kept': fault('A pair whose value is the number 0 is skipped.', {
    tokenSigner: withValues((value) => (value === 0 ? '' : value)),
  }),
  'signature/trimmed': fault('Key and value enter with their surrounding whitespace.', {
    tokenSigner: withoutTrimming,
  }),
  'signature/array-json': fault('A list enters as its elements joined by commas.', {
    tokenSigner: withValues((value) => (Array.isArray(value) ? value.join(',') : value)),
  }),
  'signature/utf8': fault('Each non-ASCII character of a text enters as a question mark.', {
    tokenSigner: withValues((value) =>
      typeof value === 'string' ? value.replace(/[^\0-\x7f]/gu, '?') : value,
    ),
  }),
  'signature/ampersands-stripped': fault('Leading and trailing `&` of the joined terms stay.', {
    tokenSigner: () => (pairs, key, settings) =>
      digest(explainSignature(pairs, key, settings).terms.join('&'), key),
  }),
};

/** Accepts further signatures than the right one, as long as they are 32 hex digits. */
function accepting(
  accepts: (signature: string, right: string) => boolean,
): (check: SignatureCheck) => SignatureCheck {
  return (check) =>
    withMethods(check, {
      isTokenSigned: (partner, fields, signature) => {
        if (check.isTokenSigned(partner, fields, signature)) return true;
        const right = check.tokenSignature(partner, fields);
        return right !== null && HEX.test(signature) && accepts(signature.toLowerCase(), right);
      },
    });
}

/** False for the right signature with some digits changed, and for one digit repeated. */
function isFarFromRight(signature: string, right: string): boolean {
  const agreeing = signature.split('').filter((digit, at) => digit === right[at]).length;
  return agreeing < 16 && new Set(signature).size > 1;
}

// Each signer breaks one step of the algorithm and leaves the signature of a usual request as it is:
// only requests that need the broken step are judged wrongly.

/** Sorts only where grant_type comes before nostr; else takes the pairs in the order of the body. */
function withoutSorting(sound: Signer): Signer {
  return (pairs, key, settings) => {
    const order = Object.keys(pairs);
    if (order.indexOf('grant_type') <= order.indexOf('nostr')) return sound(pairs, key, settings);
    return seal(
      order.flatMap((name) => termsOf(name, pairs[name], key, settings)),
      key,
    );
  };
}

/** Signs empty values as `key=`. */
function withEmptyValues(pairs: SignaturePairs, key: string, settings: SignatureSettings): string {
  const { sortedKeys, skippedKeys } = explainSignature(pairs, key, settings);
  const terms = sortedKeys.flatMap((name) =>
    skippedKeys.includes(name) ? [`${name}=`] : termsOf(name, pairs[name], key, settings),
  );
  return seal(terms, key);
}

/** Signs keys and values with their surrounding whitespace. */
function withoutTrimming(sound: Signer): Signer {
  return (pairs, key, settings) => {
    const isPadded = (value: unknown): boolean =>
      typeof value === 'string' && value !== value.trim();
    const needsTrimming = Object.entries(pairs).some((pair) => pair.some(isPadded));
    if (!needsTrimming) return sound(pairs, key, settings);
    const { sortedKeys, skippedKeys } = explainSignature(pairs, key, settings);
    const signedKeys = sortedKeys.filter((name) => !skippedKeys.includes(name));
    const terms = signedKeys.flatMap((name) => {
      const value = pairs[name];
      return typeof value === 'string' ? [`${name}=${value}`] : termsOf(name, value, key, settings);
    });
    return seal(terms, key);
  };
}

/** Signs other values than those of the pairs; assigning them would lose a pair named `__proto__`. */
function withValues(change: (value: unknown) => unknown): Replacement<'tokenSigner'> {
  return (sound) => (pairs, key, settings) => {
    const changed = Object.entries(pairs).map(([name, value]) => [name, change(value)]);
    return sound(Object.fromEntries(changed) as SignaturePairs, key, settings);
  };
}

function termsOf(
  name: string,
  value: unknown,
  key: string,
  settings: SignatureSettings,
): readonly string[] {
  return explainSignature(Object.fromEntries([[name, value]]), key, settings).terms;
}

/** The remaining steps, as they should be. */
function seal(terms: readonly string[], key: string): string {
  return digest(terms.join('&').replace(/^&+|(?<!&)&+$/g, ''), key);
}

function digest(canonical: string, key: string): string {
  return hash('md5', hash('md5', canonical) + key);
}
