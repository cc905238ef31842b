import { z } from 'zod';
import { baseFields } from './base.ts';
import { benchSchema } from './bench.ts';
import {
  count,
  type DocumentOf,
  flag,
  group,
  list,
  microseconds,
  number,
  oneOf,
  percent,
  text,
  texts,
} from './fields.ts';
import { loadSchema, runsSpreadSchema } from './load.ts';

/** Verdicts of a comparison, and of each shift in it. */
export const COMPARISON_VERDICTS = ['better', 'worse', 'equivalent', 'inconclusive'] as const;

const shiftFields = {
  shiftPercent: percent('Shift of the candidate from the base; below 0 is faster'),
  low: percent('Lower end of the confidence interval'),
  high: percent('Upper end of the confidence interval'),
  verdict: oneOf(COMPARISON_VERDICTS, 'Verdict on this shift.'),
  marginPercent: percent(
    'The margin that this shift must exceed to be a difference; left out unless the lateness of generators widened that of the comparison',
  ).optional(),
  base: number(
    'Median of the runs of the base: of a quantile in microseconds, of a step in nanoseconds.',
  ),
  candidate: number('Median of the runs of the candidate, in the same unit.'),
};

const quantileShiftSchema = z.object({
  q: z.number().min(0).max(1).meta({ description: 'The quantile, 0 to 1, such as 0.99.' }),
  ...shiftFields,
});

const runName = text('File or label of the run.');

const comparedLoadSchema = loadSchema
  .extend({ name: runName })
  .meta({ id: 'comparedLoad', description: 'A load run: its document and its name.' });

const comparedBenchSchema = benchSchema
  .extend({ name: runName })
  .meta({ id: 'comparedBench', description: 'A bench: its document and its name.' });

const comparedFiguresSchema = z
  .object({
    name: runName,
    toolName: oneOf(['autocannon'], 'The load generator that wrote the file.'),
    counts: group('Requests of the run.', {
      rate: number('Responses a second.'),
      planned: count('Number of requests.'),
      ok: count('Number of responses with a status from 200 to 299.'),
      failed: count('Number of the others.'),
    }),
    quantilesUs: group('Quantiles in microseconds.', {
      p50: microseconds('50th percentile'),
      p90: microseconds('90th percentile'),
      p99: microseconds('99th percentile'),
    }),
  })
  .meta({
    id: 'comparedFigures',
    description: 'Figures of a run, as another load generator left them.',
  });

const sideSchema = group('One side of a comparison.', {
  name: text(
    'Name that it was given, such as a version; left out where it was given none.',
  ).optional(),
  label: text('Its target, if load is compared, and its files.'),
  spread: runsSpreadSchema.nullable().meta({
    description: 'Median and spread of its load runs; null if none is valid and whole.',
  }),
});

const runsSchema = z.array(
  z.union([comparedLoadSchema, comparedBenchSchema, comparedFiguresSchema]),
);

/** Schema of {@link ComparisonDocument}. */
export const comparisonSchema = z.object({
  ...baseFields,
  kind: z.literal('comparison'),
  verdict: oneOf(COMPARISON_VERDICTS, 'Verdict on the candidate.'),
  quantiles: list(
    'Shift of each quantile of the response time; empty for benches.',
    quantileShiftSchema,
  ),
  serviceQuantiles: list(
    'Shift of the service time at the quantiles at which that of the response time is not decided; left out where there are none, and of the closed model. It can make the candidate worse, not better or equivalent, since service time leaves out waiting for a connection.',
    quantileShiftSchema,
  ).optional(),
  steps: list(
    'Shift of each step; left out where load runs are compared.',
    z.object({ name: text('Name of the step.'), ...shiftFields }),
  ).optional(),
  notCompared: texts(
    'Steps that some document lacks; left out where load runs are compared.',
  ).optional(),
  runs: group('The runs of both builds.', {
    a: runsSchema.meta({ description: 'Runs of the base.' }),
    b: runsSchema.meta({ description: 'Runs of the candidate.' }),
  }),
  sides: z.object({ a: sideSchema, b: sideSchema }).optional().meta({
    description:
      'Names and figures of the base (a) and the candidate (b); left out of a self-test.',
  }),
  marginPercent: percent('Shifts within plus or minus this are equivalent'),
  confidence: number('Confidence of the intervals together, 0 to 1.'),
  correction: text('How the confidence is kept over several intervals.'),
  paired: flag('Whether runs were interleaved and compared in pairs.'),
  repeatedPairs: list(
    'Pairs that were run again, since a run of them was invalid; left out where there are none.',
    z.object({
      pair: count('Number of the pair, from 1.'),
      side: oneOf(['base', 'candidate'], 'Side of the invalid run.'),
      reason: text('Why the run was invalid.'),
    }),
  ).optional(),
  leftOut: list(
    'Runs of a history that are not compared; left out where there are none.',
    z.object({ name: runName, reason: text('Why it is left out.') }),
  ).optional(),
  runsNeeded: count(
    'Estimated number of usable runs for each build that would decide it; null where it is decided or cannot be.',
  ).nullable(),
  reason: text('Why, in a sentence.'),
  selfTest: group(
    'The base compared with itself, drawn at random; only of a self-test that has runs enough.',
    {
      trials: count('Number of comparisons.'),
      falseAlarms: count('Comparisons that came out better or worse.'),
      inconclusive: count('Comparisons that could not be decided.'),
      runsPerSide: count('Number of runs on each side of a comparison.'),
    },
  ).optional(),
});

/** Two builds compared; the run is the sample. */
export type ComparisonDocument = DocumentOf<typeof comparisonSchema>;

/** Verdict of a comparison. */
export type ComparisonVerdict = ComparisonDocument['verdict'];

/** Shift of a quantile of the candidate from that of the base. */
export type QuantileShift = ComparisonDocument['quantiles'][number];

/** Shift of a step of the candidate from that of the base. */
export type StepShift = NonNullable<ComparisonDocument['steps']>[number];

/** One run of a comparison. */
export type ComparedRun = ComparisonDocument['runs']['a'][number];

/** Figures of another load generator in a comparison. */
export type ComparedFigures = DocumentOf<typeof comparedFiguresSchema>;

/** One side of a comparison. */
export type ComparedSide = NonNullable<ComparisonDocument['sides']>['a'];

/** One invalid run because of which a pair was run again. */
export type RepeatedPair = NonNullable<ComparisonDocument['repeatedPairs']>[number];
