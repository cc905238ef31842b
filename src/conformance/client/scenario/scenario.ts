import { z } from 'zod';
import { CLIENT_RULES } from '../../../interface/catalogue.ts';
import { matcherOf } from '../../suite.ts';
import type { StimulusKind } from '../traffic/parsed-request.ts';

/** What the server does to a client on purpose, one of these. */
export type Action =
  | { readonly answer: { readonly status: number; readonly carrying: Carried } }
  | { readonly brokenJson: true }
  | { readonly delayMs: number }
  | { readonly cut: true }
  | { readonly carpool: { readonly tag: 0 | 1 | 2; readonly as: 'text' | 'number' } }
  | { readonly unknownFields: true }
  | { readonly issueElsewhere: true };

/** What stands in the body of a refusal. */
export type Carried = 'error' | 'nothing' | 'token' | 'estimate';

/** When the server does something, and what. */
export interface Stimulus {
  /** `token` is any request for a token, `refresh` one by refresh_token. */
  readonly on: 'token' | 'refresh' | 'estimate';
  /** The request of that sort from which on the stimulus waits for its chance; the first is 1. */
  readonly nth: number;
  /** Whether every later request of that sort meets it too. */
  readonly always: boolean;
  readonly do: Action;
}

/** A scenario that a client is run in: suites/client/*.yaml. */
export interface Scenario {
  readonly name: string;
  readonly description: string;
  readonly mode: 'platform' | 'user';
  /** `FAREPROOF_ESTIMATES`. */
  readonly estimates: number;
  /** `FAREPROOF_INTERVAL_MS`. */
  readonly intervalMs: number;
  /** Estimate requests below which a client has stopped short. */
  readonly atLeast: number;
  readonly expiresInSeconds: number;
  /** After this the client is ended. */
  readonly timeLimitMs: number;
  /** Whether a client that is still there by then is in order. */
  readonly mayOutlast: boolean;
  /** The rule that is broken by stopping short after a stimulus. */
  readonly goesOnRule: string | null;
  /** Whether the end of the first token's life is a stimulus. */
  readonly outlivesToken: boolean;
  /** Globs over the rules that the scenario can judge. */
  readonly judges: readonly string[];
  readonly stimuli: readonly Stimulus[];
}

const ids: readonly string[] = CLIENT_RULES.map(({ id }) => id);
const rule = z.string().refine((id) => ids.includes(id), 'must be a client rule');
const glob = z
  .string()
  .refine((text) => ids.some(matcherOf(text)), 'must match a client rule, such as client/quota-*');

const action: z.ZodType<Action> = z.union([
  z.strictObject({
    answer: z.strictObject({
      status: z.int().min(300).max(599),
      carrying: z.enum(['error', 'nothing', 'token', 'estimate']).default('error'),
    }),
  }),
  z.strictObject({ brokenJson: z.literal(true) }),
  z.strictObject({ delayMs: z.int().min(1).max(10_000) }),
  z.strictObject({ cut: z.literal(true) }),
  z.strictObject({
    carpool: z.strictObject({
      tag: z.union([z.literal(0), z.literal(1), z.literal(2)]),
      as: z.enum(['text', 'number']),
    }),
  }),
  z.strictObject({ unknownFields: z.literal(true) }),
  z.strictObject({ issueElsewhere: z.literal(true) }),
]);

/** Shape of a scenario file; what it does not know it refuses. */
export const scenarioSchema: z.ZodType<Scenario> = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9-]+$/, 'must be lower-case letters, digits and dashes'),
    description: z.string().min(1),
    mode: z.enum(['platform', 'user']),
    estimates: z.int().min(1).max(100),
    intervalMs: z.int().min(1).max(10_000),
    atLeast: z.int().min(0).max(100),
    expiresInSeconds: z.int().min(1).default(7200),
    timeLimitMs: z.int().min(1000).max(120_000).default(25_000),
    mayOutlast: z.boolean().default(false),
    goesOnRule: rule.nullable().default(null),
    outlivesToken: z.boolean().default(false),
    judges: z.array(glob).min(1),
    stimuli: z
      .array(
        z.strictObject({
          on: z.enum(['token', 'refresh', 'estimate']),
          nth: z.int().min(1),
          always: z.boolean().default(false),
          do: action,
        }),
      )
      .default([]),
  })
  .refine(({ atLeast, estimates }) => atLeast <= estimates, {
    path: ['atLeast'],
    message: 'must not be more than estimates',
  });

/** What a stimulus counts as. */
export function kindOfStimulus({ on, always, do: act }: Stimulus): StimulusKind {
  if ('answer' in act) return on === 'token' && always ? 'refusal' : 'failure';
  if ('brokenJson' in act || 'delayMs' in act) return 'failure';
  if ('cut' in act) return 'lost-answer';
  if ('carpool' in act) return 'carpool';
  return 'unknownFields' in act ? 'unknown-fields' : 'newer-token';
}

const ORDINALS = ['', 'a', 'a second', 'a third', 'a fourth', 'a fifth', 'a sixth'];

/** What a stimulus waits for, in words: "a second estimate request". */
export function waitsFor({ on, nth }: Pick<Stimulus, 'on' | 'nth'>): string {
  const words = { token: 'token request', refresh: 'refresh', estimate: 'estimate request' };
  return `${ORDINALS[nth] ?? `a ${nth}th`} ${words[on]}`;
}
