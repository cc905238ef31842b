import { explainSignature } from '../../../../interface/signature.ts';
import type { CheckContext } from '../../contract/check.ts';
import type { Fields } from '../../contract/messages.ts';

/** Checks whether a text is what the rules sign of these pairs: another reading may come to the same. */
export const isDocumentedText = (ctx: CheckContext, pairs: Fields, text: string): boolean =>
  text === explainSignature(ctx.signedPairs(pairs), '').canonical;
