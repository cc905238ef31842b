import { z } from 'zod';
import { baseFields } from './base.ts';
import { levelSchema } from './conformance.ts';
import { count, type DocumentOf, flag, group, list, number, oneOf, text, texts } from './fields.ts';

const side = oneOf(['service', 'client'], 'Side of the checker.');

const access = (description: string) => oneOf(['control', 'metered'], description);

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
  access: access('What it gave to be judged by; left out, a control API.').optional(),
  red: texts('Ids of rules that were found broken all the same.'),
  undecided: texts('Ids of rules that could not be judged.'),
  problem: text('Why none could be judged; left out where they were.').optional(),
});

const judgedFormSchema = z.object({
  told: flag('True if the rule came out as broken.'),
  reason: text('Verdict of the checker on the rule, and its reason.'),
});

const formSchema = z.object({
  form: text('Name of the fault: `RULE_ID`, or `RULE_ID#place`.'),
  rule: text('Id of the rule that it breaks.'),
  how: text('How it breaks the rule.'),
  needsControl: flag('True for a form that metered partners are known not to show.'),
  verdict: oneOf(
    ['killed', 'survived'],
    '`survived`: not detected, although no control API is needed, or there was one.',
  ),
  control: judgedFormSchema,
  metered: judgedFormSchema,
  whole: list(
    'Other rules that the whole check found broken; only for some forms.',
    z.object({
      access: access('What the target gave to be judged by.'),
      alsoRed: list('Other rules that were found broken.', alsoRedSchema),
      problem: text('Why nothing was judged; left out where it was.').optional(),
    }),
  ).optional(),
});

const formAreaSchema = z.object({
  area: text('Area of the rules.'),
  forms: count('Forms that were judged.'),
  control: count('Forms that are detected with a control API.'),
  metered: count('Forms that are detected with metered partners.'),
  declared: count('Forms that are known to need a control API, and are not detected without.'),
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
  forms: group(
    'Ways of breaking a rule, each judged by its rule, with and without a control API; left out where none were judged.',
    {
      which: oneOf(['none', 'sample', 'all'], 'Forms that were chosen.'),
      known: count('Forms of the rules that were broken.'),
      summary: group('Number of forms by verdict.', {
        killed: count('Forms that are detected, as far as they can be.'),
        survived: count('Forms that are not detected, and should be.'),
        falselyAccused: count('Rules found broken without necessity by the whole check.'),
      }),
      areas: list('Forms by area.', formAreaSchema),
      rows: list('One row for each form.', formSchema),
    },
  ).optional(),
});

/** The checker tried on every fault: output of `fareproof selfcheck --json`. */
export type SelfcheckDocument = DocumentOf<typeof selfcheckSchema>;

/** One rule broken on purpose, and the verdict of the checker. */
export type SelfcheckRow = SelfcheckDocument['rules'][number];

/** A rule that was found broken besides the one that was. */
export type AlsoRed = SelfcheckRow['alsoRed'][number];

/** Forms that were judged. */
export type SelfcheckForms = NonNullable<SelfcheckDocument['forms']>;

/** One form, and the verdicts of the checker. */
export type FormRow = SelfcheckForms['rows'][number];

/** Forms of one area. */
export type FormArea = SelfcheckForms['areas'][number];

/** Verdict of the checker on a side with nothing broken. */
export type SoundSubject = SelfcheckDocument['sound'][number];

/** Rules that failed without necessity. */
export function falselyAccused({ alsoRed }: { readonly alsoRed: readonly AlsoRed[] }): AlsoRed[] {
  return alsoRed.filter(({ necessity }) => necessity === null);
}
