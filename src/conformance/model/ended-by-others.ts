import { type Asked, isBefore, isOfRate } from './asked.ts';
import { isNewerFor, type Token } from './issued.ts';

/** Fewest refusals that show that a token ends as another partner is issued one. */
const FEWEST_ENDED = 3;

/**
 * Checks whether platform tokens were refused once another partner had been issued one, and never accepted then, while
 * those that their own partner was issued do not explain it.
 */
export function isEndedByOthers(tokens: readonly Token[]): boolean {
  const platform = tokens.filter(({ isUser }) => !isUser);
  const ended: Asked[] = [];
  let isByOwn = true;
  for (const { by, uses } of platform) {
    for (const one of uses) {
      if (!one.isRight || isOfRate(one)) continue;
      const isRefused = one.outcome === 'refused';
      const newer = platform.filter((other) => isNewerFor(other.by, by, one));
      const isByOther = newer.some((other) => other.by.partner !== by.partner);
      const hasOwn = newer.some((other) => other.by.partner === by.partner);
      const mayHaveOwn = platform.some(
        (other) => other.by.partner === by.partner && other.by !== by && isBefore(other.by, one),
      );
      if (isByOther && one.outcome === 'accepted') return false;
      if (isByOther && isRefused) ended.push(one);
      if (isRefused ? isByOther && !mayHaveOwn : hasOwn) isByOwn = false;
    }
  }
  const partners = new Set(ended.map(({ partner }) => partner));
  return !isByOwn && ended.length >= FEWEST_ENDED && partners.size > 1;
}
