import type { Asked } from './asked.ts';
import type { Breach } from './breach.ts';
import type { Token } from './issued.ts';

/** Time after the end of a token in which clocks may disagree, ms; see {@link marginOf}. */
export const LATE_MS = 9_900;

/** Time before the end of a token in which clocks may disagree, ms; see {@link marginOf}. */
export const EARLY_MS = 2_000;

/** One answer to each gap of the interface about the life of tokens, for a whole log. */
export interface Reading {
  /** True if a refresh_token that is sent again ends all tokens of its chain. */
  readonly replayEndsFamily: boolean;
  /** True if the refresh of a platform token ends it. */
  readonly refreshEnds: boolean;
  /** True if a refused refresh uses its refresh_token up. */
  readonly refusalBurns: boolean;
}

export const READINGS: readonly Reading[] = [false, true].flatMap((replayEndsFamily) =>
  [false, true].flatMap((refreshEnds) =>
    [false, true].map((refusalBurns) => ({ replayEndsFamily, refreshEnds, refusalBurns })),
  ),
);

/** Requests by which a reading ends a token early. */
export function endsOf(token: Token, tokens: readonly Token[], reading: Reading): Asked[] {
  const ends: Asked[] = [];
  if (reading.replayEndsFamily) {
    const root = token.root ?? token;
    for (const one of tokens)
      if (one === root || one.root === root) ends.push(...one.refreshes.slice(1));
  }
  if (reading.refreshEnds && !token.isUser)
    ends.push(...token.refreshes.filter(({ outcome }) => outcome !== 'refused'));
  return ends;
}

/**
 * Checks whether a refreshed token like one was ever refreshed, or used. A service may accept none at all, which
 * other rules say.
 */
export type Works = (what: 'refreshes' | 'uses', like: Token) => boolean;

export function worksIn(tokens: readonly Token[]): Works {
  const refreshed = tokens.filter(({ parent }) => parent !== null);
  return (what, { parent, isUser }) =>
    parent === null ||
    refreshed.some(
      (one) => one.isUser === isUser && one[what].some(({ outcome }) => outcome === 'accepted'),
    );
}

/** Time for which a token is valid, ms; 0 if its answer did not say. */
export const lifeOf = ({ by }: Token): number => by.got.lifeMs ?? 0;

/** A margin, ms; at most a quarter of the token's life. */
export const marginOf = (token: Token, ms: number): number => Math.min(ms, lifeOf(token) / 4);

/** A breach of a rule on the life of tokens. */
export const breachBy = (
  rule: string,
  reason: string,
  key: Asked,
  others: readonly Asked[],
  isLasting = true,
): Breach => ({
  rule: `lifecycle/${rule}`,
  reason,
  key: key.id,
  exchanges: [...others.map(({ id }) => id), key.id],
  place: 0,
  isLasting,
});
