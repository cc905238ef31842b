import type { Mistake } from '../recipe/recipe.ts';
import type { Pairs } from '../recipe/text.ts';
import type { SigningContext } from '../signing-context.ts';
import { rareDigestMistakes } from './digest-mistakes.ts';
import { rareFieldMistakes } from './field-mistakes.ts';
import { RARE_TEXT_MISTAKES } from './text-mistakes.ts';
import { RARE_VALUE_MISTAKES } from './value-mistakes.ts';

/** Mistakes that are rare, or too many to be tried in pairs. */
export function* rareMistakes(
  sent: Pairs,
  signingKey: string,
  context: SigningContext,
): Generator<Mistake> {
  yield* rareDigestMistakes(signingKey);
  yield* RARE_VALUE_MISTAKES;
  yield* RARE_TEXT_MISTAKES;
  yield* rareFieldMistakes(sent, context);
}
