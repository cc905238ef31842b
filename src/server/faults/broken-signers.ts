import { hash } from 'node:crypto';
import type { SignaturePairs, SignatureSettings } from '../../interface/index.ts';
import { explainSignature } from '../../interface/index.ts';
import type { Signer } from '../signature-check.ts';
import type { Replacement } from './parts.ts';

// Each signer breaks one step of the algorithm and leaves the signature of a usual request as it is:
// only requests that need the broken step are judged wrongly.

/** Sorts only where grant_type comes before nostr; else takes the pairs in the order of the body. */
export function withoutSorting(sound: Signer): Signer {
  return (pairs, key, settings) => {
    const order = Object.keys(pairs);
    if (order.indexOf('grant_type') <= order.indexOf('nostr')) return sound(pairs, key, settings);
    const terms = order.flatMap((name) => termsOf(name, pairs[name], key, settings));
    return seal(terms, key);
  };
}

/** Signs empty values as `key=`. */
export function withEmptyValues(): Signer {
  return (pairs, key, settings) => {
    const { sortedKeys, skippedKeys } = explainSignature(pairs, key, settings);
    const terms = sortedKeys.flatMap((name) =>
      skippedKeys.includes(name) ? [`${name}=`] : termsOf(name, pairs[name], key, settings),
    );
    return seal(terms, key);
  };
}

/** Signs keys and values with their surrounding whitespace. */
export function withoutTrimming(sound: Signer): Signer {
  return (pairs, key, settings) => {
    const isPadded = (value: unknown): boolean =>
      typeof value === 'string' && value !== value.trim();
    const needsTrimming = Object.entries(pairs).some((pair) => pair.some(isPadded));
    if (!needsTrimming) return sound(pairs, key, settings);
    const { sortedKeys, skippedKeys } = explainSignature(pairs, key, settings);
    const terms = sortedKeys
      .filter((name) => !skippedKeys.includes(name))
      .flatMap((name) => {
        const value = pairs[name];
        if (typeof value === 'string') return [`${name}=${value}`];
        return termsOf(name, value, key, settings);
      });
    return seal(terms, key);
  };
}

/** Keeps leading and trailing ampersands of the joined terms. */
export function withoutStripping(): Signer {
  return (pairs, key, settings) => {
    const { terms } = explainSignature(pairs, key, settings);
    return digest(terms.join('&'), key);
  };
}

/** Signs other values than those of the pairs. */
export function withValues(change: (value: unknown) => unknown): Replacement<'tokenSigner'> {
  return (sound) => (pairs, key, settings) => sound(mapValues(pairs, change), key, settings);
}

/** `Object.fromEntries`, since assigning would lose a pair named `__proto__`. */
function mapValues(pairs: SignaturePairs, change: (value: unknown) => unknown): SignaturePairs {
  return Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name, change(value)]));
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
  const text = terms.join('&');
  let start = 0;
  let end = text.length;
  while (text[start] === '&') start++;
  while (end > start && text[end - 1] === '&') end--;
  return digest(text.slice(start, end), key);
}

function digest(canonical: string, key: string): string {
  return hash('md5', hash('md5', canonical) + key);
}
