import type { Recipe } from './recipe/recipe.ts';

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
