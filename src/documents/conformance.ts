import { z } from 'zod';
import type { AllowanceKind, RuleLevel } from '../interface/index.ts';
import { baseFields, count, type DocumentBase, type Target, targetSchema } from './base.ts';
import { type Exchange, exchangeSchema } from './exchange.ts';

/** What a rule came to, worst first. */
export const RULE_VERDICTS = [
  'fail',
  'warn',
  'inconclusive',
  'untestable',
  'waived',
  'excluded',
  'pass',
] as const;

/**
 * `fail`: a must is broken. `warn`: a should is broken. `inconclusive`: tried, and nothing can be
 * said. `untestable`: the profile lacks something. `excluded`: the suite leaves it out. `waived`:
 * failed, and a waiver covers it.
 */
export type RuleVerdict = (typeof RULE_VERDICTS)[number];

/** How one rule came out. */
export interface RuleResult {
  id: string;
  level: RuleLevel;
  verdict: RuleVerdict;
  reason: string;
  /** Whose clock was moved or waited for: the embedded one, the target's by its control API, ours. */
  clock: 'virtual' | 'control' | 'wall' | null;
  /** Ids of the {@link Exchange}s that show it. */
  exchanges: readonly string[];
  /** What the rule says; left out, the catalogue's own words. */
  statement?: string | undefined;
  /** Heading of the interface under which it stands. */
  section?: string | undefined;
  expected?: string | undefined;
  got?: string | undefined;
  /** A command that repeats the telling request. */
  curl?: string | undefined;
  /** What would make a rule possible to judge that was not: another partner, a code, a flag. */
  remedy?: string | undefined;
}

/** One scenario of a certification. */
export interface ScenarioResult {
  name: string;
  verdict: string;
  /** Exit code of the client's process; null where there was none. */
  exitCode: number | null;
  /** What the client did not do that the scenario needs. */
  missing: readonly string[];
  reason?: string | undefined;
}

/** What a target did where the interface leaves the question open; observed, never judged. */
export interface GapObservation {
  id: string;
  question: string;
  /** Words, or any JSON value; null where nothing was seen. */
  observed?: unknown;
}

/** A waiver of the run: a rule that may fail until a date. */
export interface AppliedWaiver {
  rule: string;
  reason: string;
  /** ISO 8601 date. */
  until: string;
  /** Why it did nothing: it matches no rule, or the rule passes. */
  problem?: string | undefined;
}

/** Requests sent that count against a partner's allowances. */
export type Spend = Readonly<Record<AllowanceKind, number>>;

/** Rules by verdict. */
export type ConformanceSummary = Readonly<Record<RuleVerdict, number>>;

/** A run that judged a service or a partner's client, rule by rule. */
export interface ConformanceDocument extends DocumentBase {
  kind: 'conformance';
  side: 'service' | 'client';
  target: Target;
  suite: string;
  seed: number | string;
  verdict: 'conformant' | 'not-conformant' | 'incomplete';
  complete: boolean;
  summary: ConformanceSummary;
  /** Every rule of the document's side, each once. */
  rules: readonly RuleResult[];
  gaps: readonly GapObservation[];
  /** By partner id. */
  spend: Readonly<Record<string, Spend>>;
  exchanges: readonly Exchange[];
  /** Of a certification, in the order they were run. */
  scenarios?: readonly ScenarioResult[] | undefined;
  waivers?: readonly AppliedWaiver[] | undefined;
  /** What each partner was planned to spend, as `check --plan` prints it. */
  plan?: unknown;
}

const ruleSchema = z.looseObject({
  id: z.string(),
  level: z.enum(['must', 'should']),
  verdict: z.enum(RULE_VERDICTS),
  reason: z.string(),
  clock: z.enum(['virtual', 'control', 'wall']).nullable(),
  exchanges: z.array(z.string()),
  statement: z.string().optional(),
  section: z.string().optional(),
  expected: z.string().optional(),
  got: z.string().optional(),
  curl: z.string().optional(),
  remedy: z.string().optional(),
});

/** Shape of {@link ConformanceDocument}. */
export const conformanceSchema: z.ZodType<ConformanceDocument> = z.looseObject({
  ...baseFields,
  kind: z.literal('conformance'),
  side: z.enum(['service', 'client']),
  target: targetSchema,
  suite: z.string(),
  seed: z.union([z.number(), z.string()]),
  verdict: z.enum(['conformant', 'not-conformant', 'incomplete']),
  complete: z.boolean(),
  summary: z.looseObject({
    pass: count,
    fail: count,
    warn: count,
    inconclusive: count,
    untestable: count,
    excluded: count,
    waived: count,
  }),
  rules: z.array(ruleSchema),
  gaps: z.array(z.looseObject({ id: z.string(), question: z.string(), observed: z.unknown() })),
  spend: z.record(z.string(), z.looseObject({ platform: count, user: count, refresh: count })),
  exchanges: z.array(exchangeSchema),
  scenarios: z
    .array(
      z.looseObject({
        name: z.string(),
        verdict: z.string(),
        exitCode: z.int().nullable(),
        missing: z.array(z.string()),
        reason: z.string().optional(),
      }),
    )
    .optional(),
  waivers: z
    .array(
      z.looseObject({
        rule: z.string(),
        reason: z.string(),
        until: z.string(),
        problem: z.string().optional(),
      }),
    )
    .optional(),
  plan: z.unknown().optional(),
});
