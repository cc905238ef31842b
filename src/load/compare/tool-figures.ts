import { z } from 'zod';
import { ConfigurationError } from '../../interface/index.ts';

/** Load generator whose files a comparison reads. */
export type FigureTool = 'autocannon' | 'oha' | 'k6';

/** Figures of one run that another load generator wrote: quantiles only, and no histogram. */
export interface ToolFigures {
  readonly kind: 'figures';
  readonly toolName: FigureTool;
  /** ISO 8601; empty where the file does not say. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly achieved: {
    /** Answers a second. */
    readonly rate: number;
    readonly planned: number;
    readonly ok: number;
    readonly failed: number;
  };
  /** Quantiles in microseconds, those that the file has. */
  readonly latencyUs: {
    readonly response: { p50?: number; p90?: number; p99?: number };
  };
  /** Resolution of the quantiles, microseconds. */
  readonly stepUs: number;
  /** True if the quantiles are of the successful requests alone. */
  readonly ofSuccesses: boolean;
}

const figure = z.number().min(0);
const count = z.int().min(0);

const autocannonSchema = z.object({
  start: z.iso.datetime(),
  finish: z.iso.datetime(),
  '2xx': count,
  non2xx: count,
  errors: count,
  latency: z.object({ p50: figure, p90: figure, p99: figure }),
  requests: z.object({ average: figure }),
});

const ohaSchema = z.object({
  summary: z.object({ requestsPerSec: figure }),
  latencyPercentiles: z.object({ p50: figure, p90: figure, p99: figure }),
  statusCodeDistribution: z.record(z.string(), count),
  errorDistribution: z.record(z.string(), count),
});

/** Without a success oha writes null for each percentile. */
const ohaWithoutSuccess = z.object({
  latencyPercentiles: z.object({ p50: z.null(), p90: z.null(), p99: z.null() }),
});

const k6Trend = z.object({
  med: figure.optional(),
  'p(50)': figure.optional(),
  'p(90)': figure.optional(),
  'p(99)': figure.optional(),
});
const k6Counter = z.object({ count, rate: figure });
const share = z.number().min(0).max(1);
const k6Share = z.union([
  z.object({ values: z.object({ rate: share }) }).transform(({ values }) => values.rate),
  z.object({ value: share }).transform(({ value }) => value),
]);
/** A metric is flat in a summary export, and has `values` in the data of `handleSummary`. */
const k6Durations = z.union([z.object({ values: k6Trend }).transform(valuesOf), k6Trend]);
const k6Requests = z.union([z.object({ values: k6Counter }).transform(valuesOf), k6Counter]);
const k6Schema = z.object({
  metrics: z.object({
    http_req_duration: k6Durations,
    http_reqs: k6Requests,
    http_req_failed: k6Share,
    'http_req_duration{expected_response:true}': k6Durations.optional(),
    // A script of `export k6` has the measured window apart from its warm-up.
    'http_req_duration{scenario:measured}': k6Durations.optional(),
    'http_req_duration{scenario:measured,expected_response:true}': k6Durations.optional(),
    'http_reqs{scenario:measured}': k6Requests.optional(),
    'http_req_failed{scenario:measured}': k6Share.optional(),
  }),
});

function valuesOf<T>({ values }: { values: T }): T {
  return values;
}

/**
 * Reads a file of autocannon (`--json`), oha (`--output-format json`) or k6 (`--summary-export`, or the
 * data of `handleSummary`); null for a document of another kind.
 *
 * @param name of the file, which every message starts with
 * @throws ConfigurationError `COMPARE_FILE_KIND` for a file of such a tool that lacks a figure
 */
export function readToolFigures(json: unknown, name: string): ToolFigures | null {
  if (typeof json !== 'object' || json === null || 'schemaVersion' in json) return null;
  const read = <T>(tool: FigureTool, schema: z.ZodType<T>): T => {
    const result = schema.safeParse(json);
    if (result.success) return result.data;
    const issue = result.error.issues[0];
    const field = issue?.path.join('.') ?? '';
    throw new ConfigurationError(
      'COMPARE_FILE_KIND',
      `${name}: looks like a result of ${tool}, but ${field} is missing or wrong (${issue?.message}); give the file as ${tool} wrote it.`,
    );
  };
  if ('latencyPercentiles' in json) {
    if (ohaWithoutSuccess.safeParse(json).success) {
      throw new ConfigurationError(
        'COMPARE_FILE_KIND',
        `${name}: is a result of oha without a successful answer, and so without the percentiles that are read of it (latencyPercentiles.p50, p90 and p99); find out why its requests failed (errorDistribution), and run it again.`,
      );
    }
    return ohaFigures(read('oha', ohaSchema));
  }
  if ('metrics' in json) return k6Figures(read('k6', k6Schema));
  if ('latency' in json && 'non2xx' in json) {
    return autocannonFigures(read('autocannon', autocannonSchema));
  }
  return null;
}

const US_PER_MS = 1000;
const US_PER_SECOND = 1_000_000;

/** Whole milliseconds, cut: the time is somewhere in the millisecond after it. */
function autocannonFigures(run: z.infer<typeof autocannonSchema>): ToolFigures {
  const us = (ms: number): number => (ms + 0.5) * US_PER_MS;
  const { p50, p90, p99 } = run.latency;
  return figures('autocannon', {
    startedAt: run.start,
    finishedAt: run.finish,
    rate: run.requests.average,
    ok: run['2xx'],
    failed: run.non2xx + run.errors,
    quantiles: { p50: us(p50), p90: us(p90), p99: us(p99) },
    stepUs: US_PER_MS,
  });
}

/** Requests that the end of the run cut off are among the errors of oha, and are no failures. */
const CUT_OFF = 'deadline';

function ohaFigures(run: z.infer<typeof ohaSchema>): ToolFigures {
  const statuses = Object.entries(run.statusCodeDistribution);
  const errors = Object.entries(run.errorDistribution);
  const us = (seconds: number): number => seconds * US_PER_SECOND;
  const { p50, p90, p99 } = run.latencyPercentiles;
  return figures('oha', {
    rate: run.summary.requestsPerSec,
    ok: sum(statuses.filter(([status]) => status.startsWith('2'))),
    failed:
      sum(statuses.filter(([status]) => !status.startsWith('2'))) +
      sum(errors.filter(([message]) => !message.includes(CUT_OFF))),
    quantiles: { p50: us(p50), p90: us(p90), p99: us(p99) },
    stepUs: 1,
  });
}

const sum = (entries: readonly (readonly [string, number])[]): number =>
  entries.reduce((total, [, each]) => total + each, 0);

function k6Figures({ metrics }: z.infer<typeof k6Schema>): ToolFigures {
  const isMeasured = metrics['http_req_duration{scenario:measured}'] !== undefined;
  const ofSuccesses = isMeasured
    ? metrics['http_req_duration{scenario:measured,expected_response:true}']
    : metrics['http_req_duration{expected_response:true}'];
  const trend =
    ofSuccesses ?? metrics['http_req_duration{scenario:measured}'] ?? metrics.http_req_duration;
  const { count: sent } = metrics['http_reqs{scenario:measured}'] ?? metrics.http_reqs;
  const failedShare = metrics['http_req_failed{scenario:measured}'] ?? metrics.http_req_failed;
  const failed = Math.round(sent * failedShare);
  const us = (ms: number | undefined) => (ms === undefined ? undefined : ms * US_PER_MS);
  return figures('k6', {
    // Of the whole run: k6 divides the count of a part by the time of all.
    rate: metrics.http_reqs.rate,
    ok: sent - failed,
    failed,
    quantiles: {
      p50: us(trend.med ?? trend['p(50)']),
      p90: us(trend['p(90)']),
      p99: us(trend['p(99)']),
    },
    stepUs: 1,
    ofSuccesses: ofSuccesses !== undefined,
  });
}

interface Read {
  startedAt?: string;
  finishedAt?: string;
  rate: number;
  ok: number;
  failed: number;
  quantiles: Record<'p50' | 'p90' | 'p99', number | undefined>;
  stepUs: number;
  ofSuccesses?: boolean;
}

function figures(toolName: FigureTool, read: Read): ToolFigures {
  const { startedAt = '', finishedAt = '', rate, ok, failed, quantiles, stepUs } = read;
  const { ofSuccesses = false } = read;
  const known = Object.entries(quantiles).filter(([, us]) => us !== undefined);
  return {
    kind: 'figures',
    toolName,
    startedAt,
    finishedAt,
    achieved: { rate, planned: ok + failed, ok, failed },
    latencyUs: { response: Object.fromEntries(known) },
    stepUs,
    ofSuccesses,
  };
}

/** Meaning of the figures of each tool, and what they leave out. */
export const MEANING_OF_FIGURES: Readonly<Record<FigureTool, string>> = {
  autocannon:
    'whole milliseconds, of answers of any status. Unless it ran with --overallRate, which the file does not say, it is a closed model: what a stall kept from being sent is not in its percentiles.',
  oha: 'seconds, of answers of any status. Unless it ran with -q and --latency-correction, which the file does not say, what a stall kept from being sent is not in its percentiles.',
  k6: 'milliseconds of the answers that it expects, or of all if the file does not tell them apart, from sending to the last byte, without connecting and without waiting for a free VU. Whether an executor with an arrival rate sent the requests, the file does not say.',
};
