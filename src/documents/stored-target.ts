import { z } from 'zod';
import { count, type DocumentOf, flag, group, list, oneOf, text, texts } from './fields.ts';

const signedFields = z.union([z.literal('all'), z.array(z.string())]);

const parameters = z.record(z.string(), z.string()).optional();

/** Schema of {@link StoredTarget}. */
export const storedTargetSchema = z.object({
  baseUrl: text('Base URL.'),
  environment: oneOf(['production', 'test'], 'In `test` the timestamp `_` is not checked.'),
  signature: z.object({
    tokenFields: signedFields.meta({ description: 'Fields signed in a token request.' }),
    estimateFields: signedFields.meta({ description: 'Fields signed in an estimate request.' }),
  }),
  estimates: group(
    'Query parameters that bring each shape of an estimate; without those that it does not offer.',
    {
      plain: parameters,
      express: parameters,
      carpoolSeats: parameters,
      carpoolNoSeats: parameters,
    },
  ),
  control: flag('Whether the target had a control API.'),
  metered: flag('Whether requests were planned within allowances.'),
  partners: texts('Ids of the partners that may be used; empty where fresh ones were made.'),
  usedUp: texts(
    'Exchanges whose refusal proves nothing: earlier runs may have used the allowances up. Left out for none.',
  ).optional(),
  unsent: list(
    'Attempts at checks that sent nothing and should have; left out for none.',
    z.object({
      check: text('Id of the check.'),
      attempt: count('Number of the attempt, from 1.'),
      on: text('Name of the well-formed request that it would have varied.'),
      reason: text('Why it sent nothing.'),
    }),
  ).optional(),
});

/** Facts known about a target before the first request, so that answers can be judged again. */
export type StoredTarget = DocumentOf<typeof storedTargetSchema>;
