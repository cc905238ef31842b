import type { Orders } from '../../src/conformance/client/judging/rule-result.ts';
import type { Deviation } from './habits.ts';

/** A right client in an odd style. */
export interface RightClient {
  /** The style, as a predicate of "a client". */
  readonly style: string;
  readonly deviation: Deviation;
  /** Declaration of whether it orders rides for users; `yes` if left out. */
  readonly orders?: Orders;
  /** Scenarios that its design breaks a rule in, such as pools of several processes, which exceed the allowance. */
  readonly wrongIn?: readonly string[];
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

/** A client of which some scenario sees too little: it refreshes less often than others. */
export const sparing = (style: string, deviation: Deviation): RightClient => ({
  ...right(style, deviation),
  verdicts: ['incomplete', 'conformant'],
});
