import { z } from 'zod';
import { count, type DocumentOf, flag, group, instant, text, texts } from './fields.ts';

/** The version of every run document that this release writes. */
export const SCHEMA_VERSION = 1;

/** Schema of the exit code of the command that wrote a document. */
export const exitSchema = group(
  'Exit code of the command, and why it is that; left out where no command gave a verdict, as in a run of the library, or of several.',
  {
    code: count('Exit code of the process.'),
    reason: text('Why it has this exit code, such as `--strict, 1 warning`.'),
  },
);

/** Schema of what to do after a run. */
const nextSchema = group('What to do next; left out where nothing is known.', {
  words: text('Its purpose, such as `find the highest rate that holds`.'),
  command: text('The command, quoted for a shell.'),
});

/** Fields of every run document, to be spread into the schema of a kind. */
export const baseFields = {
  schemaVersion: z
    .literal(SCHEMA_VERSION)
    .meta({ description: 'Version of the document; rises when a field changes or goes.' }),
  tool: group('The program that wrote the document.', {
    name: text('Name of the program.'),
    version: text('Version of the program.'),
  }),
  startedAt: instant('Start of the run, ISO 8601.'),
  finishedAt: instant('End of the run, ISO 8601.'),
  label: text('Build that the run is of, as `--label` names it; left out without one.').optional(),
  notes: texts(
    'Sentences for the reader: what was assumed, what was cut short; left out where there is none.',
  ).optional(),
  interrupted: flag(
    'The run was ended from outside; the document holds what was measured until then. Left out otherwise.',
  ).optional(),
  exit: exitSchema.optional(),
  next: nextSchema.optional(),
};

/** Exit code of a command, and the reason in words. */
export type Exit = DocumentOf<typeof exitSchema>;

/** Next step after a run, and the command for it. */
export type NextStep = DocumentOf<typeof nextSchema>;

/** Schema of a target. */
export const targetSchema = group('The target of the run.', {
  name: text('Name of the target, from its profile.'),
  baseUrl: text('Base URL of the target.'),
  environment: text('`production`, `test`, or `production and test`.'),
});

/** The target of a run, as its document names it. */
export type JudgedTarget = DocumentOf<typeof targetSchema>;

/** The program that wrote a document. */
export type Tool = DocumentOf<typeof baseFields.tool>;
