import type { Mistake } from '../recipe.ts';
import type { SigningContext } from '../signing-context.ts';
import { DIGEST_MISTAKES, DIGIT_MISTAKES } from './digests.ts';
import { otherValues } from './fields.ts';
import { keyMistakes } from './keys.ts';
import { LIST_MISTAKES } from './lists.ts';
import { constantMistakes, otherTextMistakes, rareFieldMistakes } from './rare-fields.ts';
import { TEXT_MISTAKES } from './texts.ts';
import { VALUE_MISTAKES } from './values.ts';
import { WRITING_MISTAKES } from './writings.ts';

/**
 * Mistakes that are rare.
 *
 * @param all false to leave out those that are too many to be tried with others
 */
export function* rareMistakes(
  signingKey: string,
  context: SigningContext,
  all = true,
): Generator<Mistake> {
  // A text of the request is likelier than a part of the key that is the same.
  yield* otherTextMistakes(context);
  yield* keyMistakes(signingKey);
  yield* DIGIT_MISTAKES;
  yield* DIGEST_MISTAKES;
  yield* VALUE_MISTAKES;
  yield* TEXT_MISTAKES;
  yield* WRITING_MISTAKES;
  yield* LIST_MISTAKES;
  yield* rareFieldMistakes(context);
  if (!all) return;
  yield* constantMistakes(context);
  yield* otherValues(context.manyValues?.());
}
