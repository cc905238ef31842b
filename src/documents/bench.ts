import { z } from 'zod';
import { baseFields } from './base.ts';
import { type DocumentOf, group, list, number, text } from './fields.ts';

const stepTimeSchema = z.object({
  name: text('Name of the step.'),
  nsMedian: number('Median time of one run of the step, in nanoseconds.'),
});

const stepSchema = stepTimeSchema.extend({
  nsDeviation: number('Median distance of the samples from that median, in nanoseconds.'),
  share: number('Share of the whole, 0 to 1; 0 for a step that not every request takes.'),
});

/** Schema of {@link BenchDocument}. */
export const benchSchema = z.object({
  ...baseFields,
  kind: z.literal('bench'),
  steps: list('The steps; those of the whole come first.', stepSchema),
  whole: stepTimeSchema
    .nullable()
    .meta({ description: 'What the shares are of; null where it was not measured.' }),
  machine: group('The machine that was measured on.', {
    cpu: text('Model of the processor.'),
    node: text('Version of Node.js.'),
    loadAverage: list('Load average over 1, 5 and 15 minutes.', z.number()),
  }),
});

/** Micro-benchmarks of the steps of the fast path. */
export type BenchDocument = DocumentOf<typeof benchSchema>;

/** One step of the fast path. */
export type BenchStep = BenchDocument['steps'][number];
