import { z } from 'zod';
import type { DeepReadonly } from '../../../documents/fields.ts';
import type { StimulusKind } from '../../../documents/parsed-request.ts';
import { CLIENT_RULES, type ClientRuleId } from '../../../interface/catalogue.ts';
import { matcherOf } from '../../suite.ts';

const ids: readonly string[] = CLIENT_RULES.map(({ id }) => id);
/** Rules that say that a client continues: another client may stop short without breaking a rule. */
const GOES_ON_RULES = [
  'client/lost-answer-handled',
  'client/carpool-tolerated',
  'client/unknown-fields-tolerated',
] as const satisfies readonly ClientRuleId[];
const glob = z
  .string()
  .refine((text) => ids.some(matcherOf(text)), 'must match a client rule, such as client/quota-*');

const refusalSchema = z.enum(['error', 'nothing', 'token', 'estimate']);

const carpoolSchema = z.strictObject({
  tag: z.literal([0, 1, 2]),
  as: z.enum(['text', 'number']),
});

const actionSchema = z.union([
  z.strictObject({
    answer: z.strictObject({
      status: z.int().min(201).max(599),
      carrying: refusalSchema.default('error'),
      forMs: z.int().min(1).max(5000).optional().meta({
        description: 'Time for which later requests of that kind get the same response.',
      }),
      retryAfter: z.literal(true).optional().meta({
        description: 'Names that time, in whole seconds, in a `Retry-After`.',
      }),
      redirects: z.literal(true).optional().meta({
        description: 'Names the same path on another origin, in a `Location`.',
      }),
    }),
  }),
  z.strictObject({ brokenJson: z.literal(true) }),
  z.strictObject({ delayMs: z.int().min(1).max(10_000) }),
  z.strictObject({ cut: z.literal(true) }),
  z.strictObject({ carpool: carpoolSchema }),
  z.strictObject({ unknownFields: z.literal(true), carpool: carpoolSchema.optional() }),
  z.strictObject({ issueElsewhere: z.literal(true) }),
]);

const stimulusSchema = z.strictObject({
  on: z
    .enum(['token', 'refresh', 'estimate'])
    .meta({ description: '`token` is any token request, `refresh` only one by refresh_token.' }),
  nth: z
    .int()
    .min(1)
    .meta({ description: 'The earliest request of that kind that triggers it; the first is 1.' }),
  always: z
    .boolean()
    .default(false)
    .meta({ description: 'True if every later request of that kind triggers it again.' }),
  do: actionSchema,
});

/** Schema of a scenario file, as in suites/client/; unknown fields are refused. */
export const scenarioSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9-]+$/, 'must be lower-case letters, digits and dashes'),
    description: z.string().min(1),
    mode: z.enum(['platform', 'user', 'either']),
    estimates: z.int().min(1).max(100).meta({
      description: '`FAREPROOF_ESTIMATES`, of each process.',
    }),
    intervalMs: z.int().min(1).max(10_000).meta({ description: '`FAREPROOF_INTERVAL_MS`.' }),
    atLeast: z.int().min(0).max(100).meta({
      description: 'Least number of estimate requests with which a client has not stopped short.',
    }),
    runs: z.int().min(1).max(3).default(1).meta({
      description: 'Times that the client is started, one after the other, as one partner.',
    }),
    processes: z.int().min(1).max(4).default(1).meta({
      description: 'Processes of the client side by side, as one partner.',
    }),
    environment: z
      .strictObject({
        FAREPROOF_FROM_NAME: z.string(),
        FAREPROOF_TO_NAME: z.string(),
        FAREPROOF_IMEI: z.string(),
        TZ: z.string(),
        LC_ALL: z.string(),
      })
      .partial()
      .default({})
      .meta({ description: 'Variables for the client; `{word}` is a random word.' }),
    expiresInSeconds: z.int().min(1).default(7200),
    timeLimitMs: z
      .int()
      .min(1000)
      .max(120_000)
      .default(25_000)
      .meta({ description: 'Time after which the client is terminated.' }),
    mayOutlast: z.boolean().default(false).meta({
      description:
        'True if a client may still be running at the time limit: the report then has no note on it.',
    }),
    goesOnRule: z.enum(GOES_ON_RULES).nullable().default(null).meta({
      description:
        'The rule that a client breaks by stopping short after a stimulus; only some rules say that it continues.',
    }),
    refreshTakesMs: z.int().min(0).max(1000).default(0).meta({
      description:
        'Least time until a refresh is answered, in which a client that does not wait for the response sends other requests.',
    }),
    judges: z
      .array(glob)
      .min(1)
      .meta({ description: 'Globs over the rules that the scenario is meant to judge.' }),
    stimuli: z.array(stimulusSchema).default([]),
  })
  .refine((scenario) => scenario.atLeast <= estimatesOf(scenario), {
    path: ['atLeast'],
    message: 'must not be more than estimates',
  });

/** Estimates that a client is asked for in all processes of a scenario. */
export function estimatesOf(
  scenario: Readonly<Record<'estimates' | 'runs' | 'processes', number>>,
): number {
  return scenario.estimates * scenario.runs * scenario.processes;
}

/** A scenario for clients. */
export type Scenario = DeepReadonly<z.infer<typeof scenarioSchema>>;

/** An action of the server, and the request that triggers it. */
export type Stimulus = Scenario['stimuli'][number];

/** Content of the body of a refusal. */
export type RefusalContent = z.infer<typeof refusalSchema>;

/** The kind of a stimulus, as run documents name it. */
export function kindOfStimulus({ on, always, do: action }: Stimulus): StimulusKind {
  if ('answer' in action) return on === 'token' && always ? 'refusal' : 'failure';
  if ('brokenJson' in action || 'delayMs' in action) return 'failure';
  if ('cut' in action) return 'lost-answer';
  if ('unknownFields' in action) return 'unknown-fields';
  return 'carpool' in action ? 'carpool' : 'newer-token';
}

const ORDINALS = ['', '', 'second ', 'third ', 'fourth ', 'fifth ', 'sixth '];
const REQUESTS = { token: 'token request', refresh: 'refresh', estimate: 'estimate request' };

/** The request that triggers a stimulus, such as `a second estimate request`. */
export function waitsFor({ on, nth }: Pick<Stimulus, 'on' | 'nth'>): string {
  const ordinal = ORDINALS[nth];
  if (ordinal === undefined) return `${REQUESTS[on]} number ${nth}`;
  return `${ordinal === '' && on === 'estimate' ? 'an' : 'a'} ${ordinal}${REQUESTS[on]}`;
}
