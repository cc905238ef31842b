import type { Pairs } from '../recipe/pairs.ts';
import type { Mistake } from '../recipe/recipe.ts';
import type { SigningContext } from '../signing-context.ts';
import { CHAINED_DIGEST_MISTAKES } from './chained-digests.ts';
import { RARE_DIGEST_MISTAKES } from './digest-mistakes.ts';
import { rareFieldMistakes } from './field-mistakes.ts';
import { rareKeyMistakes } from './key-mistakes.ts';
import { RARE_TEXT_MISTAKES } from './text-mistakes.ts';
import { RARE_VALUE_MISTAKES } from './value-mistakes.ts';
import { WRITING_MISTAKES } from './writings.ts';

/** Mistakes that are rare, or too many to be tried in pairs. */
export function* rareMistakes(
  sent: Pairs,
  signingKey: string,
  context: SigningContext,
): Generator<Mistake> {
  yield* rareKeyMistakes(signingKey);
  yield* RARE_DIGEST_MISTAKES;
  yield* CHAINED_DIGEST_MISTAKES;
  yield* RARE_VALUE_MISTAKES;
  yield* RARE_TEXT_MISTAKES;
  yield* WRITING_MISTAKES;
  yield* rareFieldMistakes(sent, context);
}
