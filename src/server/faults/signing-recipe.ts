import { hash } from 'node:crypto';
import { explainSignature } from '../../interface/index.ts';
import type { Signer } from '../service/signature-check.ts';

/** A pair with its untrimmed name. */
export type Pair = readonly [name: string, value: unknown];

/** Steps of the signature algorithm that are done otherwise; those left out are as they should be. */
export interface SigningRecipe {
  /** Step 2. */
  readonly order?: (a: Pair, b: Pair) => number;
  /** Step 3; true for a pair that is skipped. */
  readonly skips?: (value: unknown, name: string) => boolean;
  /** Text of a list or an object (step 4). */
  readonly list?: (value: readonly unknown[]) => string;
  /** Text of a number. */
  readonly number?: (value: number) => string;
  /** Text of a value, before it is trimmed. */
  readonly text?: (text: string, name: string) => string;
  readonly trimName?: (text: string) => string;
  readonly trimValue?: (text: string, name: string) => string;
  /** A term of a trimmed name and value (step 5). */
  readonly term?: (name: string, text: string) => string;
  /** Strips the joined terms. */
  readonly strip?: (joined: string) => string;
  /** The bytes of the joined terms. */
  readonly encode?: (canonical: string) => string | Uint8Array;
}

/** Trims ASCII whitespace. */
export function trimAscii(text: string): string {
  return text.replace(/^[\t-\r ]+|[\t-\r ]+$/g, '');
}

/** Signs by an altered recipe. Pairs that the sound algorithm cannot sign have no signature here either. */
export function signingBy(recipe: SigningRecipe): Signer {
  return (pairs, key, settings) => {
    const { sortedKeys, skippedKeys } = explainSignature(pairs, key, settings);
    const isEmpty = recipe.skips ?? ((_, name) => skippedKeys.includes(name));
    // Where an order leaves two names equal, the order of the request decides.
    const names = recipe.order ? Object.keys(pairs) : sortedKeys;
    const sorted = names.map((name): Pair => [name, pairs[name]]);
    if (recipe.order) sorted.sort(recipe.order);
    const textOf = (name: string, value: unknown): string => {
      if (typeof value === 'string') return recipe.text?.(value, name) ?? value;
      if (typeof value === 'number' && recipe.number) return recipe.number(value);
      if (Array.isArray(value) && recipe.list) return recipe.list(value);
      const [term = ''] = explainSignature({ v: value }, key, settings).terms;
      return term.slice(2);
    };
    const terms = sorted
      .filter(([name, value]) => !isEmpty(value, name))
      .map(([name, value]) => {
        const trimmedName = (recipe.trimName ?? trimAscii)(name);
        const text = (recipe.trimValue ?? trimAscii)(textOf(name, value), name);
        return recipe.term?.(trimmedName, text) ?? `${trimmedName}=${text}`;
      });
    const joined = terms.join('&');
    const canonical = recipe.strip?.(joined) ?? joined.replace(/^&+|(?<!&)&+$/g, '');
    return hash('md5', hash('md5', recipe.encode?.(canonical) ?? canonical) + key);
  };
}
