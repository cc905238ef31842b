import { z } from 'zod';
import {
  count,
  type DocumentOf,
  flag,
  group,
  list,
  number,
  oneOf,
  record,
  text,
  texts,
} from './fields.ts';
import { stimulusKindSchema } from './parsed-request.ts';

const frameSchema = group('What was asked of the client, and how it ended.', {
  name: text('Name of the scenario.'),
  attempt: count('Attempt of the scenario, from 2; left out for the first.').optional(),
  mode: oneOf(['platform', 'user'], 'Kind of token that the client was asked to use.'),
  estimates: count('Number of estimates asked for, in all processes.'),
  intervalMs: count('Pause between two estimates that was asked for, in ms.').optional(),
  runs: count('Runs one after the other; left out for one.').optional(),
  processes: count('Processes side by side; left out for one.').optional(),
  environment: record(
    'Texts and other variables that the client was given; left out for none.',
    z.string(),
  ).optional(),
  lacks: texts(
    'Variables that the client was not given, as this machine has no data for them; left out for none.',
  ).optional(),
  atLeast: count('Number of estimate requests below which the client stopped short.'),
  stimuli: list(
    'What the scenario does to the client, in order.',
    z.object({
      kind: stimulusKindSchema,
      on: oneOf(
        ['token', 'refresh', 'estimate'],
        'Kind of request that triggers it; left out for any.',
      ).optional(),
      waitsFor: text('What the client has to do first, such as `a refresh`.'),
      given: text('Id of the exchange it was applied to; null where it was not.').nullable(),
    }),
  ),
  ended: oneOf(['by-itself', 'time-limit', 'interrupted'], 'How the client ended.'),
  endedMs: number("When the client ended, by the server's clock, in ms since the epoch."),
  heldUpMs: count(
    "Longest time, in ms, for which the scenario's own server was held up.",
  ).optional(),
  clockStepMs: number(
    "This machine's clock was set by about so many milliseconds meanwhile, or the machine was suspended: nothing is judged by it. Left out of most.",
  ).optional(),
  goesOnRule: text(
    'Rule that a client breaks which stops after the stimulus; null for none.',
  ).nullable(),
  mayOutlast: flag('Whether a client may run until the time limit.'),
});

const recordSchema = group('What `report --recheck` judges the scenario by.', {
  frame: frameSchema,
  judges: texts('Globs of the rules that the scenario judges.'),
  complete: flag('Whether the client could have no token from before.'),
});

const exitCodeSchema = z
  .int()
  .nullable()
  .meta({ description: "Exit code of the client's process; null where there was none." });

/** Schema of {@link ScenarioResult}. */
export const scenarioSchema = z.object({
  name: text('Name of the scenario.'),
  verdict: text('`pass`, `warn`, `fail` or `inconclusive`.'),
  exitCode: exitCodeSchema,
  missing: texts('What the scenario needs and the client did not do.'),
  reason: text(
    'Why the scenario has this verdict; left out of one that passed, or for which `missing` says it.',
  ).optional(),
  notExercised: texts(
    'What the client or this machine left untried, such as `texts`; left out for nothing.',
  ).optional(),
  output: texts(
    'Last lines that the client wrote, redacted; only where it did not pass, and wrote some.',
  ).optional(),
  log: text(
    "Path of the client's output, relative to the folder of the run; only with `output`.",
  ).optional(),
  record: recordSchema,
  earlier: list(
    'Earlier attempts, which this machine may have held up; left out for none. Their violations count.',
    z.object({ exitCode: exitCodeSchema, record: recordSchema }),
  ).optional(),
});

/** One scenario of a certification. */
export type ScenarioResult = DocumentOf<typeof scenarioSchema>;

/** Task of a client in a scenario, and its end. */
export type ScenarioFrame = DocumentOf<typeof frameSchema>;
