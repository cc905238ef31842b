import { z } from 'zod';
import { baseFields, targetSchema } from './base.ts';
import { type DocumentOf, flag, group, list, measured, number, perSecond, text } from './fields.ts';
import { latencySchema } from './latency.ts';

const trialSchema = z.object({
  rate: perSecond('Requests that were due'),
  held: flag('Whether the objective held.'),
  valid: flag('False where the generator or the machine, not the target, was the limit.'),
  achievedRate: perSecond('Successful responses'),
  latencyUs: latencySchema,
  errors: number('Failed share of the planned requests, 0 to 1.'),
  durationS: number('Measured window, in seconds.'),
  coreWait: measured(
    'Share of the time in which a generator was ready to run and got no core, 0 to 1; null where unknown.',
  ),
  reason: text('Why the trial has this outcome.'),
  interrupted: flag(
    'Cut short by an interruption; the search does not count it. Left out otherwise.',
  ).optional(),
});

/** Schema of {@link FindMaxDocument}. */
export const findMaxSchema = z.object({
  ...baseFields,
  kind: z.literal('find-max'),
  target: targetSchema,
  objective: text('The objective as it was written, such as `p99<20ms,errors<0.1%`.'),
  interval: group('The interval in which the highest rate lies.', {
    low: perSecond('Highest rate at which the objective held'),
    high: measured(
      'Lowest rate at which it did not, requests a second; null where it held at every rate tried.',
    ),
  }),
  trials: list('The trials, in the order they were run.', trialSchema),
  verdict: text(
    'How the search ended: `found`, `nothing-held`, `nothing-fell-short`, or why it could not be decided.',
  ),
  reason: text('Why, in a sentence.'),
  seed: number('Seed of the requests.'),
});

/** A search for the highest rate at which an objective holds. */
export type FindMaxDocument = DocumentOf<typeof findMaxSchema>;

/** One rate that was tried. */
export type Trial = FindMaxDocument['trials'][number];
