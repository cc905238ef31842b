import { hash } from 'node:crypto';
import type { SignaturePairs, SignatureSettings } from '../../interface/index.ts';
import { explainSignature, sign } from '../../interface/index.ts';
import type { FaultSwitches } from './switches.ts';

/** Makes a signature from pairs and a key. */
export type Signer = (pairs: SignaturePairs, signingKey: string) => string;

/**
 * The signer of token requests with one of its steps broken, or the sound one where none is.
 * Every fault leaves the signature of a usual request as it is: only the requests that need the
 * broken step are judged wrongly.
 */
export function signerWith(faults: FaultSwitches, settings: SignatureSettings): Signer {
  const sound: Signer = (pairs, key) => sign(pairs, key, settings);
  if (faults['signature/key-order']) return withoutSorting(sound, settings);
  if (faults['signature/empty-skipped']) return withEmpties(settings);
  if (faults['signature/zero-kept']) {
    return (pairs, key) =>
      sound(
        mapPairs(pairs, (value) => (value === 0 ? '' : value)),
        key,
      );
  }
  if (faults['signature/trimmed']) return untrimmed(sound, settings);
  if (faults['signature/array-json']) {
    return (pairs, key) =>
      sound(
        mapPairs(pairs, (value) => (Array.isArray(value) ? value.join(',') : value)),
        key,
      );
  }
  if (faults['signature/utf8']) {
    return (pairs, key) =>
      sound(
        mapPairs(pairs, (value) => (typeof value === 'string' ? toAscii(value) : value)),
        key,
      );
  }
  if (faults['signature/ampersands-stripped']) {
    return (pairs, key) => digest(explainSignature(pairs, key, settings).terms.join('&'), key);
  }
  return sound;
}

/** Sorts by its habit only: a body that has nostr before grant_type is taken in its own order. */
function withoutSorting(sound: Signer, settings: SignatureSettings): Signer {
  return (pairs, key) => {
    const order = Object.keys(pairs);
    if (order.indexOf('grant_type') <= order.indexOf('nostr')) return sound(pairs, key);
    const terms = order.flatMap((name) => explainOne(name, pairs[name], key, settings));
    return seal(terms, key);
  };
}

function withEmpties(settings: SignatureSettings): Signer {
  return (pairs, key) => {
    const { sortedKeys, skippedKeys } = explainSignature(pairs, key, settings);
    const terms = sortedKeys.flatMap((name) =>
      skippedKeys.includes(name) ? [`${name}=`] : explainOne(name, pairs[name], key, settings),
    );
    return seal(terms, key);
  };
}

function untrimmed(sound: Signer, settings: SignatureSettings): Signer {
  return (pairs, key) => {
    const isPadded = (value: unknown): boolean =>
      typeof value === 'string' && value !== value.trim();
    if (!Object.entries(pairs).some((pair) => pair.some(isPadded))) return sound(pairs, key);
    const { sortedKeys, skippedKeys } = explainSignature(pairs, key, settings);
    const terms = sortedKeys
      .filter((name) => !skippedKeys.includes(name))
      .flatMap((name) => {
        const value = pairs[name];
        if (typeof value === 'string') return [`${name}=${value}`];
        return explainOne(name, value, key, settings);
      });
    return seal(terms, key);
  };
}

function explainOne(
  name: string,
  value: unknown,
  key: string,
  settings: SignatureSettings,
): readonly string[] {
  return explainSignature(Object.fromEntries([[name, value]]), key, settings).terms;
}

/** The rest of the steps, as they should be. */
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

/** `Object.fromEntries`, since assigning would lose a pair named `__proto__`. */
function mapPairs(pairs: SignaturePairs, change: (value: unknown) => unknown): SignaturePairs {
  return Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name, change(value)]));
}

function toAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, '?');
}
