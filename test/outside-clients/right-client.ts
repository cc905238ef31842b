import type { Deviation } from './habits.ts';

/** A right client in an odd style. */
export interface RightClient {
  /** The style, as a predicate of "a client". */
  readonly style: string;
  readonly deviation: Deviation;
  /** Verdicts of its certification; several where the speed of the machine decides. */
  readonly verdicts: readonly ('conformant' | 'incomplete')[];
}

export const right = (style: string, deviation: Deviation): RightClient => ({
  style,
  deviation,
  verdicts: ['conformant'],
});

/** A client that relies on an answer to a gap that the reference server does not give. */
export const open = (style: string, deviation: Deviation): RightClient => ({
  ...right(style, deviation),
  verdicts: ['incomplete'],
});
