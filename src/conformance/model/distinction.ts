/** A circumstance in which a service may forget a rule, in words that follow what it did. */
export type Circumstance<T> = readonly [words: string, has: (one: T) => boolean];

/**
 * Circumstances that all have that were accepted, and none alike that was refused, in words; none where nothing was
 * refused: then the service follows the rule in no circumstance.
 */
export function distinctionOf<T>(
  accepted: readonly T[],
  refused: readonly T[],
  circumstances: readonly Circumstance<T>[],
): string {
  if (refused.length === 0) return '';
  const own = circumstances.filter(([, has]) => accepted.every(has) && !refused.some(has));
  return own.map(([words]) => `, ${words}`).join('');
}
