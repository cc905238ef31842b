import { explainSignature, type SignaturePairs } from '../../../interface/signature.ts';
import { DOCUMENTED_RECIPE, isFeasible, type Pairs, type Recipe, signBy } from './recipe.ts';
import {
  fieldMistakes,
  type Mistake,
  RECIPE_MISTAKES,
  rareMistakes,
  type SigningContext,
} from './recipe-mistakes.ts';

/** What a signature turned out to be. */
export interface SignatureDiagnosis {
  readonly verdict: 'right' | 'explained' | 'unexplained';
  /** The mistakes that together give the signature sent; none, one or two. */
  readonly mistakes: readonly Pick<Mistake, 'id' | 'statement' | 'advice'>[];
  /** The text that the client signed, where a mistake explains the signature. */
  readonly signedText: string | null;
  /** The text that it should have signed. */
  readonly canonical: string;
}

/**
 * Says whether a signature is right, and if not, which known mistake, or pair of mistakes, gives it.
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
): SignatureDiagnosis {
  const { canonical, signature: expected } = explainSignature(sent, signingKey);
  if (signature.toLowerCase() === expected) {
    return { verdict: 'right', mistakes: [], signedText: canonical, canonical };
  }
  const pairs = Object.entries(sent);
  for (const mistakes of candidates(pairs, context)) {
    const signedText = textGiving(signature, recipeWith(mistakes), pairs, signingKey);
    if (signedText !== null) {
      return { verdict: 'explained', mistakes: mistakes.map(publicPart), signedText, canonical };
    }
  }
  return { verdict: 'unexplained', mistakes: [], signedText: null, canonical };
}

/** Single mistakes before pairs: the simplest explanation is the likelier. */
function* candidates(pairs: Pairs, context: SigningContext): Generator<readonly Mistake[]> {
  const mistakes = [...RECIPE_MISTAKES, ...fieldMistakes(pairs, context)];
  for (const mistake of mistakes) yield [mistake];
  for (const mistake of rareMistakes(context)) yield [mistake];
  if (!context.singlesOnly) yield* pairsOf(mistakes);
}

function* pairsOf(mistakes: readonly Mistake[]): Generator<readonly Mistake[]> {
  for (const [index, first] of mistakes.entries()) {
    for (const second of mistakes.slice(index + 1)) {
      if (second.part !== first.part || first.part === 'fields') yield [first, second];
    }
  }
}

const recipeWith = (mistakes: readonly Mistake[]): Recipe =>
  mistakes.reduce((recipe, mistake) => mistake.apply(recipe), DOCUMENTED_RECIPE);

/** Hex digits in either case; Base64 has a case of its own. */
function textGiving(wanted: string, recipe: Recipe, pairs: Pairs, key: string): string | null {
  if (!isFeasible(recipe, key)) return null;
  const { signature, signedText } = signBy(recipe, pairs, key);
  return signature === wanted || signature === wanted.toLowerCase() ? signedText : null;
}

const publicPart = ({
  id,
  statement,
  advice,
}: Mistake): SignatureDiagnosis['mistakes'][number] => ({
  id,
  statement,
  advice,
});
