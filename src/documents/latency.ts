import { z } from 'zod';
import { count, type DocumentOf, group, microseconds } from './fields.ts';

/** Schema of a distribution of latencies. */
const latencySummarySchema = z
  .object({
    min: microseconds('Minimum, exact'),
    p50: microseconds('50th percentile'),
    p90: microseconds('90th percentile'),
    p99: microseconds('99th percentile'),
    p99_9: microseconds('99.9th percentile'),
    p99_99: microseconds('99.99th percentile'),
    max: microseconds('Maximum, exact'),
    mean: microseconds('Mean, exact'),
    count: count('Number of requests.'),
  })
  .meta({ id: 'latencySummary', description: 'A distribution of latencies; all 0 for none.' });

/** Schema of the latencies of a run. */
export const latencySchema = group('Latencies of the measured window, in microseconds.', {
  response: latencySummarySchema.meta({
    description:
      'Response time of the successful requests: from the planned time of a request to the end of its response.',
  }),
  service: latencySummarySchema.meta({
    description:
      'Service time of the successful requests: from the sending of a request to the end of its response.',
  }),
  all: latencySummarySchema.meta({
    description:
      'Response time of all requests, failed ones included, to the moment of the failure.',
  }),
});

/** Latencies of requests, microseconds: from the planned time, and from the sending. */
export type LatencyUs = DocumentOf<typeof latencySchema>;

/** A distribution of latencies, microseconds; all 0 for none. */
export type LatencySummaryUs = LatencyUs['response'];
