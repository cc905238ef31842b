import type { SignatureDiagnosis } from '../../../documents/parsed-request.ts';
import { explainSignature, type SignaturePairs } from '../../../interface/signature.ts';
import { fieldMistakes, rareMistakes } from './field-mistakes.ts';
import type { Mistake } from './mistake.ts';
import { acceptsKey } from './recipe/digest.ts';
import type { Pairs } from './recipe/pairs.ts';
import { DOCUMENTED_RECIPE, type Recipe, signBy } from './recipe/recipe.ts';
import { RECIPE_MISTAKES } from './recipe-mistakes.ts';
import type { SigningContext } from './signing-context.ts';

/** Extent of the search for mistakes: pairs of them take a fraction of a second. */
export type MistakeSearch = 'none' | 'singles' | 'pairs';

/**
 * Checks a signature by the documented algorithm and, if it is wrong, searches for the known mistake,
 * or pair of mistakes, that produces it.
 *
 * @param sent the pairs as the request carries them, in their order
 * @throws FareproofError `SIGNATURE_NO_PAIRS` or `SIGNATURE_VALUE_UNSUPPORTED`
 * @see interface.md, "Signature algorithm"
 */
export function diagnoseSignature(
  sent: SignaturePairs,
  signingKey: string,
  signature: string,
  context: SigningContext = {},
  search: MistakeSearch = 'pairs',
): SignatureDiagnosis {
  const { canonical, signature: expected } = explainSignature(sent, signingKey);
  if (signature.toLowerCase() === expected) return rightSignature(canonical);
  const pairs = Object.entries(sent);
  for (const mistakes of candidates(pairs, context, search)) {
    const signedText = textProducing(signature, recipeWith(mistakes), pairs, signingKey);
    if (signedText !== null) {
      return { verdict: 'explained', mistakes: mistakes.map(stored), signedText, canonical };
    }
  }
  return { verdict: 'unexplained', mistakes: [], signedText: null, canonical };
}

/** The diagnosis of a right signature of a text. */
export function rightSignature(canonical: string): SignatureDiagnosis {
  return { verdict: 'right', mistakes: [], signedText: canonical, canonical };
}

/** Single mistakes before pairs: the simpler explanation is the likelier. */
function* candidates(
  pairs: Pairs,
  context: SigningContext,
  search: MistakeSearch,
): Generator<readonly Mistake[]> {
  if (search === 'none') return;
  const mistakes = [...RECIPE_MISTAKES, ...fieldMistakes(pairs, context)];
  for (const mistake of [...mistakes, ...rareMistakes(context)]) yield [mistake];
  if (search === 'pairs') yield* combinations(mistakes);
}

function* combinations(mistakes: readonly Mistake[]): Generator<readonly Mistake[]> {
  for (const [index, first] of mistakes.entries()) {
    for (const second of mistakes.slice(index + 1)) {
      if (second.part !== first.part || first.part === 'fields') yield [first, second];
    }
  }
}

function recipeWith(mistakes: readonly Mistake[]): Recipe {
  return mistakes.reduce((recipe, mistake) => mistake.apply(recipe), DOCUMENTED_RECIPE);
}

/** Hex digits match in either case; Base64 is case-sensitive. */
function textProducing(wanted: string, recipe: Recipe, pairs: Pairs, key: string): string | null {
  if (!acceptsKey(recipe, key)) return null;
  const { signature, signedText } = signBy(recipe, pairs, key);
  return signature === wanted || signature === wanted.toLowerCase() ? signedText : null;
}

function stored({ id, statement, advice }: Mistake): SignatureDiagnosis['mistakes'][number] {
  return { id, statement, advice };
}
