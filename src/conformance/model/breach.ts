/** A breach of a rule that a log shows. */
export interface Breach {
  readonly rule: string;
  /** Action of the service, in a sentence. */
  readonly reason: string;
  /** Exchange that shows it, and those before it that it follows from. */
  readonly key: string;
  readonly exchanges: readonly string[];
  /** Number of the request in its allowance, from 1; 0 for none. */
  readonly place: number;
  /** False if a rate limit may be the cause, as nothing rested for a minute. */
  readonly isLasting: boolean;
  /** Time since the same was last accepted, ms: the shorter, the more it says of the cause. */
  readonly sinceMs?: number | undefined;
  /** True if its cause concerns all partners. */
  readonly isOfAll?: true | undefined;
}
