import { z } from 'zod';
import type { RuleLevel } from '../interface/index.ts';
import { baseFields, count, type DocumentBase } from './base.ts';

/** A rule that turned red beside the one that was broken. */
export interface AlsoRed {
  rule: string;
  level: RuleLevel;
  /** What the checker said of it. */
  reason: string;
  /** Why the fault breaks it by necessity; null where it does not: a false accusation. */
  necessity: string | null;
}

/** One rule broken on purpose, and what the checker made of it. */
export interface SelfcheckRow {
  /** The rule that was broken. */
  rule: string;
  side: 'service' | 'client';
  level: RuleLevel;
  /** How it was broken. */
  how: string;
  /** Killed: the checker turned that rule red. */
  verdict: 'killed' | 'survived';
  /** What the checker said of that rule. */
  reason: string;
  alsoRed: readonly AlsoRed[];
  /** Rules that could not be judged, so broken; they accuse nobody. */
  undecided: readonly string[];
  durationMs: number;
}

/** What the checker made of a side with nothing broken. */
export interface SoundSubject {
  side: 'service' | 'client';
  /** Rules that turned red all the same. */
  red: readonly string[];
  /** Rules that could not be judged. */
  undecided: readonly string[];
  /** Why none could: the checker broke off. */
  problem?: string | undefined;
}

/** The checker held against every fault: `fareproof selfcheck --json`. */
export interface SelfcheckDocument extends DocumentBase {
  kind: 'selfcheck';
  seed: number;
  /** Proven: every fault was killed, and no rule was accused falsely. */
  verdict: 'proven' | 'fell-short' | 'inconclusive';
  summary: {
    readonly killed: number;
    readonly survived: number;
    /** Rules, over all rows, that turned red without necessity. */
    readonly falselyAccused: number;
  };
  sound: readonly SoundSubject[];
  rules: readonly SelfcheckRow[];
}

const side = z.enum(['service', 'client']);
const level = z.enum(['must', 'should']);
const ids = z.array(z.string());

/** Shape of {@link SelfcheckDocument}. */
export const selfcheckSchema: z.ZodType<SelfcheckDocument> = z.looseObject({
  ...baseFields,
  kind: z.literal('selfcheck'),
  seed: z.int(),
  verdict: z.enum(['proven', 'fell-short', 'inconclusive']),
  summary: z.looseObject({ killed: count, survived: count, falselyAccused: count }),
  sound: z.array(z.looseObject({ side, red: ids, undecided: ids, problem: z.string().optional() })),
  rules: z.array(
    z.looseObject({
      rule: z.string(),
      side,
      level,
      how: z.string(),
      verdict: z.enum(['killed', 'survived']),
      reason: z.string(),
      alsoRed: z.array(
        z.looseObject({
          rule: z.string(),
          level,
          reason: z.string(),
          necessity: z.string().nullable(),
        }),
      ),
      undecided: ids,
      durationMs: z.number().min(0),
    }),
  ),
});
