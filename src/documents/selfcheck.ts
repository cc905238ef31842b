import { z } from 'zod';
import { baseFields } from './base.ts';
import { levelSchema } from './conformance.ts';
import { count, type DocumentOf, list, number, oneOf, text, texts } from './fields.ts';

const side = oneOf(['service', 'client'], 'Side of the checker.');

const alsoRedSchema = z.object({
  rule: text('Id of the rule.'),
  level: levelSchema,
  reason: text('Reason of its verdict.'),
  necessity: text(
    'Why breaking the one rule breaks this one too; null for a false accusation.',
  ).nullable(),
});

const rowSchema = z.object({
  rule: text('Id of the rule that was broken.'),
  side,
  level: levelSchema,
  how: text('How it was broken.'),
  verdict: oneOf(['killed', 'survived'], '`killed`: the checker found the rule broken.'),
  reason: text("Reason of the checker's verdict on that rule."),
  alsoRed: list('Other rules that were found broken.', alsoRedSchema),
  undecided: texts('Ids of rules that could not be judged.'),
  durationMs: number('Time taken, in milliseconds.').min(0),
});

const soundSchema = z.object({
  side,
  red: texts('Ids of rules that were found broken all the same.'),
  undecided: texts('Ids of rules that could not be judged.'),
  problem: text('Why none could be judged.').optional(),
});

/** Schema of {@link SelfcheckDocument}. */
export const selfcheckSchema = z.object({
  ...baseFields,
  kind: z.literal('selfcheck'),
  seed: z.int().meta({ description: 'Seed of random values.' }),
  verdict: oneOf(
    ['proven', 'fell-short', 'inconclusive'],
    '`proven`: every fault was found, and no rule was accused falsely.',
  ),
  summary: z.object({
    killed: count('Faults that were found.'),
    survived: count('Faults that were not found.'),
    falselyAccused: count('Rules found broken without necessity, over all rows.'),
  }),
  sound: list('Verdict of the checker on each side with nothing broken.', soundSchema),
  rules: list('One row for each rule that was broken.', rowSchema),
});

/** The checker tried on every fault: output of `fareproof selfcheck --json`. */
export type SelfcheckDocument = DocumentOf<typeof selfcheckSchema>;

/** One rule broken on purpose, and the verdict of the checker. */
export type SelfcheckRow = SelfcheckDocument['rules'][number];

/** A rule that was found broken besides the one that was. */
export type AlsoRed = SelfcheckRow['alsoRed'][number];

/** Verdict of the checker on a side with nothing broken. */
export type SoundSubject = SelfcheckDocument['sound'][number];
