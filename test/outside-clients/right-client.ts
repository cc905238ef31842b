import type { Deviation } from './habits.ts';

/** A right client in an odd style. */
export interface RightClient {
  /** The style, as a predicate of "a client". */
  readonly style: string;
  readonly deviation: Deviation;
  /**
   * True if it cannot be judged whole: it relies on an answer to a gap that the reference server does
   * not give, or leaves before a stimulus reaches it.
   */
  readonly isOpen?: boolean;
}

export const right = (style: string, deviation: Deviation): RightClient => ({ style, deviation });

export const open = (style: string, deviation: Deviation): RightClient => ({
  ...right(style, deviation),
  isOpen: true,
});
