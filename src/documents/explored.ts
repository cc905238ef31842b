import { z } from 'zod';
import { DURATION_WORDS } from '../interface/limits.ts';
import {
  count,
  type DocumentOf,
  flag,
  group,
  list,
  number,
  record,
  text,
  texts,
} from './fields.ts';

const twistsSchema = list(
  'Ways in which the request varies: the name of each, and the seed of what it draws.',
  z.object({ name: text('Name of the way.'), seed: number('Seed of what it draws.') }),
);

const requestFields = {
  id: count('Number of the step in the walk, by which others name it.'),
  partner: count("Number of the walk's partner, from 0."),
  twists: twistsSchema,
  twice: z.literal(true).optional().meta({ description: 'Set for two requests at once.' }),
};

const stepSchema = z.discriminatedUnion('do', [
  z.object({
    ...requestFields,
    do: z.literal('token'),
    grant: z.enum(['platform', 'user', 'refresh']).meta({ description: 'Kind of token.' }),
    user: text('User whose token it is.').optional(),
    of: count('Step whose refresh_token it sends.').optional(),
  }),
  z.object({
    ...requestFields,
    do: z.literal('estimate'),
    as: z.enum(['platform', 'user']).meta({ description: 'Header that it is sent with.' }),
    of: count('Step whose access_token it sends.'),
  }),
  z.object({
    id: requestFields.id,
    do: z.literal('wait'),
    seconds: number('Seconds by which the clock is moved.'),
  }),
  z.object({
    id: requestFields.id,
    do: z.literal('lock'),
    of: count('Step of the estimate whose lock is looked at.'),
  }),
]);

const walkSchema = group('The steps as data, which can be played again.', {
  startsAt: count('Seconds since midnight UTC at which the walk starts.'),
  longLock: flag(
    `Whether the second partner of the walk has the lock of ${DURATION_WORDS.longEstimateLock}.`,
  ),
  steps: list('Steps, in order; each names what it needs of earlier ones.', stepSchema),
});

const findFields = {
  rule: text('Id of the rule that it breaks.'),
  reason: text('What the service did.'),
  words: texts('The steps in words.'),
  walk: walkSchema,
};

/** Schema of {@link StoredCase}. */
export const caseSchema = z.object({ kind: z.literal('case'), ...findFields });

/** A walk that shows how a rule is broken, as a file. */
export type StoredCase = DocumentOf<typeof caseSchema>;

/** Schema of what a run explored. */
export const exploredSchema = group('What `--explore` tried; left out without it.', {
  seed: number('Seed of the walks.'),
  seconds: number('Time that exploring took, in seconds.'),
  walks: count('Walks of fresh partners.'),
  steps: count('Steps of the walks.'),
  requests: count('Requests, those that confirmed and shrank finds included.'),
  actions: record('Steps by what they do.', z.int()),
  expected: record('Requests by what the interface lets one expect of them.', z.int()),
  open: record('Requests by the class of what the interface leaves open in them.', z.int()),
  unconfirmed: count('Surprises that did not come again, or have another cause than a rule.'),
  notExplored: text('Why nothing was explored; left out where something was.').optional(),
  finds: list(
    'Walks that show how a rule is broken, each with the fewest steps.',
    z.object({
      ...findFields,
      file: text('Path of its case in the folder of the run.'),
      exchanges: texts('Ids of its exchanges.'),
    }),
  ),
});

/** Outcome of exploring. */
export type Explored = DocumentOf<typeof exploredSchema>;
