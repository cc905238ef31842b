import type { Rule } from '../../../interface/index.ts';

/** A rule of one side that can be broken on purpose. */
export interface Trial {
  readonly rule: Rule;
  /** Description of how it is broken, in a sentence. */
  readonly how: string;
  /** Other rules that necessarily break with it. */
  readonly breaks: readonly { readonly rule: string; readonly reason: string }[];
}

/** Verdict of the checker on one rule. */
export interface Outcome {
  readonly id: string;
  readonly level: Rule['level'];
  readonly verdict: string;
  readonly reason: string;
}

/** One of the two checkers and the subjects that prove it. */
export interface SelfcheckSide {
  /** At most one per rule. */
  readonly trials: readonly Trial[];
  /**
   * Number of subjects in parallel in one thread, if they mostly wait; null if each needs a thread
   * of its own.
   */
  readonly inParallel: number | null;
  /**
   * Judges a subject with that rule broken, or a sound one for null, by every rule of the side. May
   * be called again while a call is under way.
   */
  judge(fault: string | null, seed: number): Promise<readonly Outcome[]>;
}
