import { explainSignature } from '../../../../interface/signature.ts';
import { misreadText } from '../../../signature/misreadings.ts';
import type { Mistake } from '../../../signature/recipe.ts';
import type { CheckContext } from '../../contract/check.ts';
import type { Fields } from '../../contract/messages.ts';

/** The text that is signed where a target leaves further fields of a token request out of its signature. */
export function textWithout(ctx: CheckContext, pairs: Fields, further: Fields): string {
  const known = Object.entries(ctx.signedPairs(pairs)).filter(([name]) => !(name in further));
  return explainSignature(Object.fromEntries(known), '').canonical;
}

/** The text that is signed by another reading; null if it is what the rules sign, or not known. */
export function otherTextOf(
  ctx: CheckContext,
  pairs: Fields,
  reading: Mistake,
  ofQuery: boolean = false,
): string | null {
  if (ofQuery && ctx.facts.estimateFields !== 'all') return null;
  const signed = ofQuery ? pairs : ctx.signedPairs(pairs);
  const text = misreadText(reading, signed);
  return text === explainSignature(signed, '').canonical ? null : text;
}
