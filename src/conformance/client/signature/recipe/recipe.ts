import { type DigestChoices, digestOf } from './digest.ts';
import { type PairChoices, type Pairs, type TextChoices, textOf } from './text.ts';

/**
 * A signature algorithm in which each step is a choice, so that wrong choices of a client can be
 * tried. {@link DOCUMENTED_RECIPE} has the right ones (interface.md, "Signature algorithm").
 */
export interface Recipe extends PairChoices, TextChoices, DigestChoices {}

/** The documented algorithm. */
export const DOCUMENTED_RECIPE: Recipe = {
  fields: (pairs) => pairs,
  order: 'bytes',
  empties: 'skipped',
  zero: 'kept',
  trimmed: 'both',
  lists: 'compact',
  values: 'plain',
  terms: 'pairs',
  joint: '&',
  ends: 'stripped',
  text: 'plain',
  charset: 'utf-8',
  algorithm: 'md5',
  inner: 'lower',
  outer: 'keyed',
  keyPlace: 'last',
  separator: '',
  keyText: 'as-is',
  notation: 'hex',
};

/** A signature, and the text that was signed. */
export interface RecipeSignature {
  readonly signedText: string;
  readonly signature: string;
}

/** Signs by a recipe; characters that its charset lacks become `?`. */
export function signBy(recipe: Recipe, sent: Pairs, signingKey: string): RecipeSignature {
  const signedText = textOf(recipe, recipe.fields(sent));
  return { signedText, signature: digestOf(recipe, signedText, signingKey) };
}

/** A known way to sign wrongly: one part of the recipe, chosen wrongly. */
export interface Mistake {
  /** Permanent id, such as `order-locale`. */
  readonly id: string;
  /** The mistake, as a predicate of "the signature": `is made of unsorted pairs`. */
  readonly statement: string;
  /** The right way. */
  readonly advice: string;
  /** The part of the recipe that is wrong; two mistakes in one part exclude each other. */
  readonly part: keyof Recipe;
  readonly apply: (recipe: Recipe) => Recipe;
}
