import { z } from 'zod';
import { ESTIMATE_SHAPES } from '../interface/target-profile.ts';
import { baseFields, targetSchema } from './base.ts';
import {
  count,
  type DocumentOf,
  flag,
  group,
  instant,
  list,
  measured,
  microseconds,
  number,
  oneOf,
  perSecond,
  record,
  text,
  texts,
} from './fields.ts';
import { latencySchema } from './latency.ts';

const cpu = measured('Processor time in use, in cores; null where unknown.');
const eventLoopUtilization = measured('Event loop utilization, 0 to 1; null where unknown.');

const seriesPointSchema = group('One second of a run.', {
  t: number('Seconds since the start of the measured window; negative in the warm-up.'),
  rate: perSecond('Successful responses'),
  p50: microseconds('Response time of the successes, 50th percentile, 0 for none'),
  p99: microseconds('Response time of the successes, 99th percentile, 0 for none'),
  max: microseconds('Response time of the successes, maximum, 0 for none'),
  failed: number('Number of failed requests.'),
  sent: count(
    'Number of requests that were sent in it; left out where the engine does not count it.',
  ).optional(),
  ready: count(
    'Number of requests that could be sent in it: they were due, and a connection was free. Left out where the engine does not count it.',
  ).optional(),
  plannedRate: perSecond('Requests that were due; left out in the closed model').optional(),
  drained: z.literal(true).optional().meta({
    description:
      'Set if less than half of the second lies in the measured window: its responses are late ones, and their number is no rate of the target.',
  }),
  generator: z
    .object({
      cpu,
      eventLoopUtilization: number('Event loop utilization, 0 to 1.'),
      sendLagP99Us: measured('Send lag, 99th percentile, in microseconds; null where unknown.'),
      coreWait: measured(
        'Share of the time in which a generator was ready to run and got no core, 0 to 1; null where unknown.',
      ),
    })
    .optional()
    .meta({
      description:
        'All generators together: cores added up, of the rest the highest. Left out where none reported its health in the second.',
    }),
});

const thresholdTermsSchema = z.object({
  expression: text('The threshold as it was written, such as `p99<20ms` or `errors<0.1%`.'),
  metric: text(
    'Metric, such as `p99`, `service.p99.9`, `max`, `rate`, `errors`, `reconnected` or `p99{carpoolSeats}`.',
  ),
  shape: oneOf(ESTIMATE_SHAPES, 'The shape whose requests it bounds; left out for all.').optional(),
  stage: count('The stage whose requests it bounds, counted from 1; left out for all.').optional(),
  unit: oneOf(
    ['us', 'requests/s', 'share'],
    'Unit: microseconds, requests a second, or a share from 0 to 1.',
  ),
  comparison: oneOf(['<', '<=', '>', '>='], 'Comparison of the observed value with the bound.'),
  bound: number('The bound, in the unit.'),
  isDefault: flag(
    'True for the bound of errors that holds where none was given; left out otherwise.',
  ).optional(),
});

const thresholdResultSchema = thresholdTermsSchema.extend({
  observed: measured(
    'Observed value, in the unit; of a latency with failed requests counted as slower than any bound. Null where nothing was measured, or where failed requests decide it.',
  ),
  ofSuccesses: number(
    'The latency of the successful requests alone; only where failed ones make a difference.',
  ).optional(),
  shortByFailures: z.literal(true).optional().meta({
    description:
      'Set if the successful requests alone would have held it: failed ones count as slower than any bound.',
  }),
  held: flag('Whether the threshold held.'),
  judged: z.literal(false).optional().meta({
    description:
      'Set if the outcome proves nothing: the generator did not do what the threshold needs, only requests around a stall of it miss the threshold, or the run was interrupted before it was missed.',
  }),
});

const generatorSchema = group('Health of the generator over the measured window.', {
  workers: count('Number of generator threads.'),
  cpu,
  coreWait: measured(
    'Share of the time in which a generator was ready to run and got no core, 0 to 1, the highest of the generators; null where unknown.',
  ),
  eventLoopUtilization: number('Event loop utilization, 0 to 1, the highest of the generators.'),
  sendLagUs: z
    .object({
      p50: microseconds('50th percentile'),
      p90: microseconds('90th percentile'),
      p99: microseconds('99th percentile'),
      max: microseconds('Maximum'),
    })
    .nullable()
    .meta({
      description:
        'Send lag: from the time at which a request could be sent to its sending; null where the engine does not measure it.',
    }),
  stoodStillS: number(
    'Time for which a generator was stopped, or its machine suspended, in seconds, the longest of the generators; left out where none was.',
  ).optional(),
  saturated: flag(
    'Whether the generator did not do what a threshold needs, so that it may have been what was measured.',
  ),
  reasons: texts('What the generator did not do, and advice.'),
});

const agentSchema = group('A process that ran some of the generators, and its health.', {
  name: text('Its name.'),
  workers: count('Number of its generators.'),
  cores: count('Number of cores that it may use.'),
  clockErrorUs: number(
    'Bound of the error with which its clock was compared, in microseconds; left out where none was compared. Latencies do not depend on it.',
  ).optional(),
  sent: count('Number of requests that it sent.'),
  cpu,
  coreWait: measured(
    'Share of the time in which one of its generators was ready to run and got no core, 0 to 1, the highest; null where unknown.',
  ),
  eventLoopUtilization: number('Event loop utilization, 0 to 1, the highest of its generators.'),
  sendLagP99Us: measured(
    'Send lag, 99th percentile, in microseconds; null where nothing was sent.',
  ),
  missingUpdates: count(
    'Number of its updates that did not arrive; left out where all did.',
  ).optional(),
  lost: group('Its loss during the run; left out where it stayed.', {
    atS: number(
      'Time at which it was noticed, in seconds from the start of the measured window; negative in the warm-up.',
    ),
    how: oneOf(
      ['ended', 'silent'],
      '`ended`: its process or connection ended; `silent`: it answered no more.',
    ),
    requestsUnaccounted: measured(
      'Number of requests that were planned for it in the window and whose outcome is unknown; null in the closed model.',
    ),
  }).optional(),
});

const serverSchema = z
  .object({
    cpu,
    rssBytes: measured('Resident memory, in bytes; null where unknown.'),
    eventLoopUtilization,
    gcMs: measured('Time in garbage collection, in milliseconds; null where unknown.'),
  })
  .nullable()
  .meta({
    description: 'Health of the server over the measured window; null where it cannot be observed.',
  });

const partFields = {
  planned: count('Number of requests planned.'),
  ok: count('Number of successful responses.'),
  failed: count('Number of requests that failed or were never sent.'),
  latencyUs: latencySchema,
};

/** Schema of {@link LoadDocument}. */
export const loadSchema = z.object({
  ...baseFields,
  kind: z.literal('load'),
  target: targetSchema,
  model: oneOf(
    ['open', 'closed'],
    '`open`: requests follow a schedule; `closed`: each connection sends when its response is there.',
  ),
  engine: text('The engine that sent the requests.'),
  intended: group('What was asked for.', {
    rate: measured('Requests a second, the mean of the stages; null in the closed model.'),
    connections: measured(
      'Open model: the most connections; closed model: connections in use. Null where unknown.',
    ),
    durationS: number('Measured window, in seconds.'),
    warmupS: number('Warm-up before the measured window, in seconds.'),
    arrivals: oneOf(['constant', 'poisson'], 'Distribution of the planned times.')
      .nullable()
      .meta({ description: 'Distribution of the planned times; null in the closed model.' }),
  }),
  achieved: group('What was reached in the measured window.', {
    rate: perSecond('Successful responses'),
    planned: count('Number of requests planned.'),
    sent: count('Number of requests sent.'),
    ok: count('Number of successful responses.'),
    failed: count('Number of requests that failed or were never sent.'),
    reconnected: count(
      'Number of requests that were sent again, since the target closed their kept connection without a response; each is counted once, from its planned time. Left out where the engine sends none again.',
    ).optional(),
    checked: count(
      'Number of responses with status 200 whose shape was checked, malformed ones included.',
    ),
  }),
  latencyUs: latencySchema,
  shapes: list(
    'Requests by shape; only of a mix of several shapes that the engine can tell apart.',
    group('The requests of one shape.', {
      shape: oneOf(ESTIMATE_SHAPES, 'The shape, as in the mix.'),
      ...partFields,
    }),
  ).optional(),
  stages: list(
    'Requests by the stage in which they were planned; only with several stages.',
    group('The requests of one stage.', {
      stage: count('Number of the stage, from 1; the warm-up is none.'),
      fromRate: perSecond('Planned rate at its start'),
      toRate: perSecond('Planned rate at its end'),
      startS: number('Start, in seconds from the start of the measured window.'),
      durationS: number('Duration, in seconds.'),
      ...partFields,
    }),
  ).optional(),
  histograms: group('HDR histograms in microseconds: V2, compressed, base64.', {
    response: text('Response time of the successful requests.'),
    service: text('Service time of the successful requests.'),
    all: text('Response time of all requests, failed ones included.'),
  }),
  series: list('The measured window by second.', seriesPointSchema),
  statuses: record('Number of responses by HTTP status.', count('Number of responses.')),
  errors: record('Number of failures by error code.', count('Number of failures.')),
  faultSamples: list(
    'A malformed response of each kind; only where there was one.',
    group('The first response with a fault.', {
      fault: text('Its error code, as in `errors`.'),
      problem: text('The first problem: its place in the body, and what was expected.'),
      body: text('Beginning of the body; everything that may be a secret is replaced.'),
    }),
  ).optional(),
  thresholds: list('Each threshold of the run.', thresholdResultSchema),
  generator: generatorSchema,
  agents: list('The agents, where they ran the generators.', agentSchema).optional(),
  server: serverSchema,
  verdict: oneOf(
    ['held', 'fell-short', 'invalid'],
    '`held`: every threshold held; `fell-short`: one did not; `invalid`: the target could not be judged.',
  ),
  reason: text('Why, in a sentence.'),
  invalidBy: oneOf(
    ['unreachable', 'loss', 'resources', 'standstill', 'lateness', 'interruption'],
    'Only of an invalid run: `unreachable`: no request got a connection; `loss`: an agent or its updates were lost; `resources`: no file or port was left for a connection; `standstill`: the generator was stopped or suspended; `lateness`: the generator was late, or had no core; `interruption`: the run was interrupted before a threshold was missed.',
  ).optional(),
  part: group(
    'Part of a load that this is (`--part`); `report --merge` makes the whole of all parts.',
    {
      number: count('Number of the part, from 1.'),
      of: count('Number of parts.'),
      startAt: instant('Start of all parts.'),
      data: text('Measurements and options that the parts are merged by: JSON, deflated, base64.'),
    },
  ).optional(),
  machine: group('The machine of the command; left out by earlier releases.', {
    cpu: text('Model of the processor.'),
    cores: count('Number of cores that it may use.'),
  }).optional(),
  seed: number('Seed of the requests: the same seed brings the same requests.'),
  workload: group('The requests that were sent.', {
    identity: oneOf(['platform', 'user'], 'Whose tokens were used.'),
    partnerId: text('Id of the partner.'),
    mix: record('Weights by shape of the estimate request, such as `plain`.', z.number()),
    requests: count('Number of different requests, sent in turn.'),
  }),
});

const spreadSchema = z
  .object({
    median: number('Median of the runs.'),
    min: number('Lowest value of a run.'),
    max: number('Highest value of a run.'),
  })
  .meta({ id: 'spread', description: 'A figure over several runs.' });

/** Schema of {@link RunsSpread}. */
export const runsSpreadSchema = group('Several runs, invalid and interrupted ones left out.', {
  runs: count('Number of runs that it is of.'),
  rate: spreadSchema.meta({ description: 'Successful responses, requests a second.' }),
  p50: spreadSchema.meta({ description: 'Response time, 50th percentile, in microseconds.' }),
  p90: spreadSchema.meta({ description: 'Response time, 90th percentile, in microseconds.' }),
  p99: spreadSchema.meta({ description: 'Response time, 99th percentile, in microseconds.' }),
  p99_9: spreadSchema.meta({ description: 'Response time, 99.9th percentile, in microseconds.' }),
  failed: spreadSchema.meta({ description: 'Failed share of the planned requests, 0 to 1.' }),
});

/** Schema of {@link LoadSetDocument}. */
export const loadSetSchema = z.object({
  ...baseFields,
  kind: z.literal('load-set'),
  runs: list('The runs, in the order they were run.', loadSchema),
  spread: runsSpreadSchema.nullable().meta({
    description: 'Median and spread of the runs; null if none is valid and whole.',
  }),
});

/** A load run and its verdict. */
export type LoadDocument = DocumentOf<typeof loadSchema>;

/** Several load runs of one command. */
export type LoadSetDocument = DocumentOf<typeof loadSetSchema>;

/** A figure over several runs. */
export type Spread = RunsSpread['rate'];

/** Median and spread of several runs. */
export type RunsSpread = DocumentOf<typeof runsSpreadSchema>;

/** One second of a run. */
export type SeriesPoint = LoadDocument['series'][number];

/** The requests of one shape. */
export type ShapeResult = NonNullable<LoadDocument['shapes']>[number];

/** The requests of one stage. */
export type StageResult = NonNullable<LoadDocument['stages']>[number];

/** A threshold as text and parsed. */
export type ThresholdTerms = DocumentOf<typeof thresholdTermsSchema>;

/** A threshold and its outcome. */
export type ThresholdResult = DocumentOf<typeof thresholdResultSchema>;

/** Health of the generator. */
export type GeneratorHealth = DocumentOf<typeof generatorSchema>;

/** An agent of a run. */
export type AgentResult = NonNullable<LoadDocument['agents']>[number];

/** Health of the server. */
export type ServerHealth = NonNullable<DocumentOf<typeof serverSchema>>;
