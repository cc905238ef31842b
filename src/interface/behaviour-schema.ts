import { z } from 'zod';
import { DEFAULT_BEHAVIOUR } from './default-behaviour.ts';
import { ANSWER_SCHEMAS, GAPS } from './gaps.ts';

type Answers = typeof ANSWER_SCHEMAS;

/**
 * Behaviour file: answers to the gaps by gap id, as `serve --behaviour FILE` reads it and
 * `check --save-behaviour FILE` writes it; a key that is left out has its default.
 */
export const behaviourSchema = z.strictObject(
  Object.fromEntries(
    GAPS.map(({ id, question, settings }) => {
      const answer: z.ZodType = ANSWER_SCHEMAS[id];
      const description = `${question} ${settings}`;
      return [id, answer.default(DEFAULT_BEHAVIOUR[id]).meta({ description })];
    }),
  ) as unknown as { [Id in keyof Answers]: z.ZodDefault<Answers[Id]> },
);

/** Answers to some of the gaps, as a user writes them. */
export type BehaviourInput = Readonly<z.input<typeof behaviourSchema>>;
