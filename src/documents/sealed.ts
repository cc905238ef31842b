import type { GapFinding as ReadableFinding, RuleResult as ReadableResult } from './conformance.ts';
import type { Exchange as ReadableExchange } from './exchange.ts';

/**
 * Words for a reader, which code that judges can put into a sentence and nothing else: it must not decide by
 * them. Any text is such words.
 */
export interface Words {
  toString(): string;
}

/** A document as judges see it. */
type Sealed<T> = T extends readonly (infer Item)[]
  ? readonly Sealed<Item>[]
  : T extends object
    ? {
        readonly [Key in keyof T]: Key extends 'purpose' | 'reason' | 'words'
          ? Words
          : Sealed<T[Key]>;
      }
    : T;

/** One request and its answer, as judges see them. */
export type Exchange = Sealed<ReadableExchange>;

/** Result of a rule, as judges see it. */
export type RuleResult = Sealed<ReadableResult>;

/** Behaviour where the interface leaves a question open, as judges see it. */
export type GapFinding = Sealed<ReadableFinding>;
