import { hash } from 'node:crypto';
import {
  explainSignature,
  type SignaturePairs,
  type SignatureSettings,
} from '../../interface/index.ts';
import type { Signer } from '../service/signature-check.ts';
import { accepting, alsoSignedAs, alsoSignedWith } from './accepted-signatures.ts';
import { type FaultsOf, fault } from './fault.ts';
import type { Replacement } from './parts.ts';
import { withMethods } from './with-methods.ts';

const SCOPE_TEXTS = ['public', 'public profile', 'profile', 'public rides.read rides.request'];

/** Faults of the rules on signatures. */
export const SIGNATURE_FAULTS: FaultsOf<'signature'> = {
  'signature/valid-accepted': fault('A correct signature is refused.', {
    signatures: (check) => withMethods(check, { isTokenSigned: () => false }),
  }),
  'signature/invalid-refused': fault('The last digit of a signature is not compared.', {
    signatures: accepting((signature, right) => signature.slice(0, -1) === right.slice(0, -1)),
  }),
  'signature/wrong-key-refused': fault(
    'A signature made with the key of another partner, or with an empty key, passes.',
    {
      signatures: alsoSignedWith((_, partners) => [
        '',
        ...partners.map(({ signingKey }) => signingKey),
      ]),
    },
  ),
  'signature/covers-fields': fault('The scope may be added or changed after signing.', {
    signatures: alsoSignedAs((fields) =>
      [undefined, ...SCOPE_TEXTS].map((scope) => ({ ...fields, scope })),
    ),
  }),
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
