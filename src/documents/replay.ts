import { z } from 'zod';
import { baseFields, targetSchema } from './base.ts';
import { spendSchema } from './conformance.ts';
import { exchangeSchema } from './exchange.ts';
import { type DocumentOf, list, oneOf, text, texts } from './fields.ts';

/** Schema of {@link ReplayDocument}. */
export const replaySchema = z.object({
  ...baseFields,
  kind: z.literal('replay'),
  target: targetSchema,
  run: text('Run document that the exchange is from.'),
  verdict: oneOf(
    ['as-expected', 'not-as-expected', 'answered', 'inconclusive'],
    '`answered`: nothing is expected of the request; `inconclusive`: no whole response came, or a refusal for the rate, or the request alone does not show whether its rule is kept.',
  ),
  expected: oneOf(['accepted', 'refused'], 'The response that the request must get.')
    .nullable()
    .meta({ description: 'The response that the request must get; null where it may get any.' }),
  reason: text('Why it has this verdict.'),
  rerun: texts('Commands that judge the broken rules again that it is evidence of.'),
  renewed: texts('What is new in the request.'),
  kept: texts('What is as it was, though a well-formed request would have it otherwise or new.'),
  before: list('Requests that were sent before it, for its tokens.', exchangeSchema),
  now: exchangeSchema,
  former: exchangeSchema,
  spend: spendSchema.nullable().meta({
    description: 'Requests that counted for a partner of the profile; null where they are free.',
  }),
});

/** One exchange of a run, sent again: output of `fareproof replay --json`. */
export type ReplayDocument = DocumentOf<typeof replaySchema>;

/** Exchanges of a broken rule, and why one cannot be sent again; null if it can. */
export interface ListedRule {
  readonly rule: string;
  readonly exchanges: readonly {
    readonly id: string;
    readonly purpose: string;
    readonly status: number | null;
    readonly obstacle: string | null;
  }[];
}
