import { z } from 'zod';
import type { StimulusKind } from '../../../documents/parsed-request.ts';
import { CLIENT_RULES } from '../../../interface/catalogue.ts';
import { matcherOf } from '../../suite.ts';

/** A deliberate deviation of the server. */
export type Action =
  | { readonly answer: { readonly status: number; readonly carrying: RefusalContent } }
  | { readonly brokenJson: true }
  | { readonly delayMs: number }
  | { readonly cut: true }
  | { readonly carpool: { readonly tag: 0 | 1 | 2; readonly as: 'text' | 'number' } }
  | { readonly unknownFields: true }
  | { readonly issueElsewhere: true };

/** Content of the body of a refusal. */
export type RefusalContent = 'error' | 'nothing' | 'token' | 'estimate';

/** An action of the server, and the request that triggers it. */
export interface Stimulus {
  /** `token` is any token request, `refresh` only one by refresh_token. */
  readonly on: 'token' | 'refresh' | 'estimate';
  /** The earliest request of that kind that triggers it; the first is 1. */
  readonly nth: number;
  /** True if every later request of that kind triggers it again. */
  readonly always: boolean;
  readonly do: Action;
}

/** A scenario for clients, as in suites/client/*.yaml. */
export interface Scenario {
  readonly name: string;
  readonly description: string;
  readonly mode: 'platform' | 'user';
  /** `FAREPROOF_ESTIMATES`. */
  readonly estimates: number;
  /** `FAREPROOF_INTERVAL_MS`. */
  readonly intervalMs: number;
  /** Least number of estimate requests with which a client has not stopped short. */
  readonly atLeast: number;
  readonly expiresInSeconds: number;
  /** Time after which the client is terminated. */
  readonly timeLimitMs: number;
  /** True if a client may still be running at the time limit. */
  readonly mayOutlast: boolean;
  /** The rule that a client breaks by stopping short after a stimulus. */
  readonly goesOnRule: string | null;
  /** True if the expiry of the first token is a stimulus. */
  readonly outlivesToken: boolean;
  /** Globs over the rules that the scenario is meant to judge. */
  readonly judges: readonly string[];
  readonly stimuli: readonly Stimulus[];
}

const ids: readonly string[] = CLIENT_RULES.map(({ id }) => id);
const rule = z.string().refine((id) => ids.includes(id), 'must be a client rule');
const glob = z
  .string()
  .refine((text) => ids.some(matcherOf(text)), 'must match a client rule, such as client/quota-*');

const actionSchema: z.ZodType<Action> = z.union([
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

/** Schema of a scenario file; unknown fields are refused. */
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
          do: actionSchema,
        }),
      )
      .default([]),
  })
  .refine(({ atLeast, estimates }) => atLeast <= estimates, {
    path: ['atLeast'],
    message: 'must not be more than estimates',
  });

/** The kind of a stimulus, as run documents name it. */
export function kindOfStimulus({ on, always, do: action }: Stimulus): StimulusKind {
  if ('answer' in action) return on === 'token' && always ? 'refusal' : 'failure';
  if ('brokenJson' in action || 'delayMs' in action) return 'failure';
  if ('cut' in action) return 'lost-answer';
  if ('carpool' in action) return 'carpool';
  return 'unknownFields' in action ? 'unknown-fields' : 'newer-token';
}

const ORDINALS = ['', '', 'second ', 'third ', 'fourth ', 'fifth ', 'sixth '];
const REQUESTS = { token: 'token request', refresh: 'refresh', estimate: 'estimate request' };

/** The request that triggers a stimulus, such as `a second estimate request`. */
export function waitsFor({ on, nth }: Pick<Stimulus, 'on' | 'nth'>): string {
  const ordinal = ORDINALS[nth];
  if (ordinal === undefined) return `${REQUESTS[on]} number ${nth}`;
  return `${ordinal === '' && on === 'estimate' ? 'an' : 'a'} ${ordinal}${REQUESTS[on]}`;
}
