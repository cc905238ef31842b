import { z } from 'zod';
import { baseFields, type DocumentBase } from './base.ts';
import { type LoadDocument, loadSchema } from './load.ts';

/** Several load runs of one command. */
export interface LoadSetDocument extends DocumentBase {
  kind: 'load-set';
  runs: readonly LoadDocument[];
}

/** Shape of {@link LoadSetDocument}. */
export const loadSetSchema: z.ZodType<LoadSetDocument> = z.looseObject({
  ...baseFields,
  kind: z.literal('load-set'),
  runs: z.array(loadSchema),
});
