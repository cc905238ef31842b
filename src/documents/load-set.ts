import { z } from 'zod';
import { baseFields } from './base.ts';
import type { DocumentOf } from './fields.ts';
import { loadSchema } from './load.ts';

/** Schema of {@link LoadSetDocument}. */
export const loadSetSchema = z.object({
  ...baseFields,
  kind: z.literal('load-set'),
  runs: z.array(loadSchema).meta({ description: 'The runs, in the order they were run.' }),
});

/** Several load runs of one command. */
export type LoadSetDocument = DocumentOf<typeof loadSetSchema>;
