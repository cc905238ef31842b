import { checkPairs, type MistakeSearch } from '../../conformance/signature/check-signature.ts';
import type { SignaturePairs } from '../../interface/index.ts';

/** A wrong signature, and how far to look for its mistake. */
export interface SearchQuestion {
  readonly pairs: SignaturePairs;
  readonly signingKey: string;
  readonly signature: string;
  readonly search: MistakeSearch;
}

/** Names the mistakes behind a wrong signature; null if none is known. Nothing of the key is in it. */
export function namedMistakes({
  pairs,
  signingKey,
  signature,
  search,
}: SearchQuestion): string | null {
  const { verdict, mistakes } = checkPairs(pairs, signingKey, signature, search);
  if (verdict !== 'explained') return null;
  return mistakes.map(({ id, statement }) => `${statement} (${id})`).join(', and ');
}
