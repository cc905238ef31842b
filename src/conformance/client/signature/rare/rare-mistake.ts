import type { Mistake, Recipe } from '../recipe/recipe.ts';

/**
 * Makes a mistake that may change several parts of the recipe. Rare mistakes are tried one at a time,
 * never in pairs, so that there may be many of them.
 */
export function rareMistake(
  id: string,
  statement: string,
  advice: string,
  changes: Partial<Recipe>,
): Mistake {
  const [part = 'fields'] = Object.keys(changes) as (keyof Recipe)[];
  return { id, statement, advice, part, apply: (recipe) => ({ ...recipe, ...changes }) };
}
