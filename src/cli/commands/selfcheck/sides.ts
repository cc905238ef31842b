import type { Rule } from '../../../interface/index.ts';

/** A rule of one side that can be broken on purpose. */
export interface Trial {
  readonly rule: Rule;
  /** How it is broken, in a sentence. */
  readonly how: string;
  /** Other rules that break with it by necessity. */
  readonly breaks: readonly { readonly rule: string; readonly reason: string }[];
}

/** What the checker said of one rule. */
export interface Outcome {
  readonly id: string;
  readonly level: Rule['level'];
  readonly verdict: string;
  readonly reason: string;
}

/** One of the two checkers, with what it is proven by. */
export interface SelfcheckSide {
  /** One for each rule at most. */
  readonly trials: readonly Trial[];
  /**
   * Subjects at once in one thread, where they spend their time waiting; null where they keep a
   * thread busy, and each thread judges one.
   */
  readonly atOnce: number | null;
  /**
   * Starts a subject with that rule broken, or a sound one for null, judges it by every rule of the
   * side, and ends it. May be called again while a call is under way.
   */
  judge(fault: string | null, seed: number): Promise<readonly Outcome[]>;
}

/** The sides that `selfcheck` knows, by the name that stands in its document. */
export const SIDES: Readonly<Record<string, () => Promise<SelfcheckSide>>> = {
  service: async () => (await import('./service-side.ts')).serviceSide,
  client: async () => (await import('./client-side.ts')).clientSide,
};
