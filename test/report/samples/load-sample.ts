import { build, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';
import type { BenchDocument } from '../../../src/documents/bench.ts';
import type { ComparisonDocument } from '../../../src/documents/comparison.ts';
import type { FindMaxDocument } from '../../../src/documents/find-max.ts';
import type { LatencySummaryUs, LatencyUs } from '../../../src/documents/latency.ts';
import type {
  LoadDocument,
  LoadSetDocument,
  RunsSpread,
  SeriesPoint,
} from '../../../src/documents/load.ts';

const AT = Date.parse('2025-11-20T10:30:00.000Z');

const TOOL = { name: 'fareproof', version: '0.1.0' };
const TARGET = {
  name: 'staging',
  baseUrl: 'https://rides.example.test/api',
  environment: 'production',
};

/** Numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** An open run of that many seconds, with a slow half minute and health every second. */
export function loadSample(seconds = 60, changes: Partial<LoadDocument> = {}): LoadDocument {
  const random = seeded(11);
  const latencyUs = latencies();
  return {
    schemaVersion: 1,
    kind: 'load',
    tool: TOOL,
    startedAt: new Date(AT).toISOString(),
    finishedAt: new Date(AT + (seconds + 5) * 1000).toISOString(),
    target: TARGET,
    model: 'open',
    engine: 'native',
    intended: { rate: 5000, connections: 256, durationS: seconds, warmupS: 5 },
    achieved: {
      rate: 4997.6,
      planned: 5000 * seconds,
      sent: 5000 * seconds - 3,
      ok: 5000 * seconds - 144,
      failed: 144,
    },
    latencyUs,
    histograms: histograms(),
    series: Array.from({ length: seconds }, (_, t) => point(t, random)),
    statuses: { 200: 5000 * seconds - 144, 503: 141 },
    errors: { 'status-503': 141, timeout: 3 },
    thresholds: [
      {
        expression: 'p99<20ms',
        metric: 'p99',
        unit: 'us',
        comparison: '<',
        bound: 20_000,
        observed: latencyUs.response.p99,
        held: true,
      },
      {
        expression: 'errors<0.01%',
        metric: 'errors',
        unit: 'share',
        comparison: '<',
        bound: 0.0001,
        observed: 144 / (5000 * seconds),
        held: false,
      },
      {
        expression: 'rate>4900',
        metric: 'rate',
        unit: 'requests/s',
        comparison: '>',
        bound: 4900,
        observed: 4997.6,
        held: true,
      },
    ],
    generator: {
      workers: 2,
      cpu: 0.81,
      eventLoopUtilization: 0.46,
      sendLagUs: { p50: 38, p99: 410, max: 2950 },
      saturated: false,
      saturationLimits: 'send lag p99 over 1 ms and over 5 % of the response p99',
    },
    server: { cpu: 0.93, rssBytes: 118_000_000, eventLoopUtilization: 0.71, gcMs: 412 },
    verdict: 'fell-short',
    seed: 7,
    ...changes,
  };
}

function point(t: number, random: () => number): SeriesPoint {
  const slow = t % 60 > 34 && t % 60 < 44 ? 4 : 1;
  return {
    t,
    rate: 5000 - (slow > 1 ? 240 : 0) + Math.round((random() - 0.5) * 40),
    plannedRate: 5000,
    p50: Math.round(410 * slow + random() * 60),
    p99: Math.round(3800 * slow + random() * 900),
    max: Math.round(9000 * slow + random() * 12_000),
    failed: slow > 1 ? Math.round(random() * 30) : 0,
    generator: {
      cpu: 0.75 + random() * 0.1,
      eventLoopUtilization: 0.4 + random() * 0.1,
      sendLagP99Us: 300 + random() * 200,
      coreWait: 0.001,
    },
    server: {
      cpu: 0.8 + (slow > 1 ? 0.18 : random() * 0.1),
      eventLoopUtilization: 0.66 + (slow > 1 ? 0.3 : random() * 0.1),
      rssBytes: 110_000_000 + t * 40_000,
    },
  };
}

interface Distribution {
  readonly summary: LatencySummaryUs;
  /** As documents store it. */
  readonly text: string;
}

/** Made once each: a document of samples has many. */
const distributions = new Map<string, Distribution>();

function distribution(seed: number, factor: number): Distribution {
  const key = `${seed} ${factor}`;
  const made = distributions.get(key) ?? makeDistribution(seed, factor);
  distributions.set(key, made);
  return made;
}

function makeDistribution(seed: number, factor: number): Distribution {
  const random = seeded(seed);
  const histogram = build({ numberOfSignificantValueDigits: 3 });
  for (let at = 0; at < 20_000; at += 1) {
    const tail = random() < 0.02 ? 8 : 1;
    histogram.recordValue(
      Math.round(factor * tail * 350 * Math.exp((random() + random() - 1) * 1.1)),
    );
  }
  return { summary: summaryOf(histogram), text: encodeIntoCompressedBase64(histogram) };
}

function histograms(): LoadDocument['histograms'] {
  return { response: distribution(3, 1.25).text, service: distribution(3, 1).text };
}

function summaryOf(histogram: Histogram): LatencySummaryUs {
  const at = (percentile: number): number => histogram.getValueAtPercentile(percentile);
  return {
    min: histogram.minNonZeroValue,
    p50: at(50),
    p90: at(90),
    p99: at(99),
    p99_9: at(99.9),
    p99_99: at(99.99),
    max: histogram.maxValue,
    mean: histogram.mean,
    count: histogram.totalCount,
  };
}

function summary(seed: number, factor: number): LatencySummaryUs {
  return { ...distribution(seed, factor).summary };
}

function latencies(seed = 3, factor = 1): LatencyUs {
  return { response: summary(seed, 1.25 * factor), service: summary(seed, factor) };
}

/** A run of two shapes in three stages; no request of the last stage was planned before it ended. */
export function stagedSample(seconds = 20): LoadDocument {
  const part = (seed: number, factor: number, planned: number, failed = 0) => ({
    planned,
    ok: planned - failed,
    failed,
    latencyUs: latencies(seed, factor),
  });
  const none = latencies();
  const nothing = Object.fromEntries(Object.keys(none.response).map((name) => [name, 0]));
  const empty = { ...none.response, ...nothing };
  return loadSample(seconds, {
    shapes: [
      { shape: 'plain', ...part(41, 1, 80_000) },
      { shape: 'carpoolSeats', ...part(42, 4, 20_000, 144) },
    ],
    stages: [
      { stage: 1, fromRate: 2500, toRate: 2500, startS: 0, durationS: 8, ...part(43, 1, 20_000) },
      { stage: 2, fromRate: 2500, toRate: 10_000, startS: 8, durationS: 8, ...part(44, 3, 50_000) },
      {
        stage: 3,
        fromRate: 10_000,
        toRate: 10_000,
        startS: 16,
        durationS: 4,
        planned: 0,
        ok: 0,
        failed: 0,
        latencyUs: { response: empty, service: empty },
      },
    ],
    thresholds: [
      {
        expression: 'p99{carpoolSeats}<30ms',
        metric: 'p99{carpoolSeats}',
        shape: 'carpoolSeats',
        unit: 'us',
        comparison: '<',
        bound: 30_000,
        observed: latencies(42, 4).response.p99,
        held: true,
      },
    ],
  });
}

const SPREAD: RunsSpread = {
  runs: 2,
  rate: { median: 4997.6, min: 4980, max: 5003.2 },
  p50: { median: 410, min: 402, max: 433 },
  p90: { median: 980, min: 941, max: 1020 },
  p99: { median: 3480, min: 3300, max: 3910 },
  p99_9: { median: 8100, min: 7400, max: 9900 },
  failed: { median: 0.0004, min: 0, max: 0.0009 },
};

/** Three runs of one command, one of them invalid. */
export function loadSetSample(): LoadSetDocument {
  const { schemaVersion, tool, startedAt, finishedAt } = loadSample();
  return {
    schemaVersion,
    kind: 'load-set',
    tool,
    startedAt,
    finishedAt,
    runs: [
      loadSample(20, { verdict: 'held', thresholds: [] }),
      loadSample(20),
      loadSample(20, {
        verdict: 'invalid',
        generator: {
          ...loadSample(2).generator,
          saturated: true,
          reasons: ['send lag p99 of 4.1 ms is 31 % of the response p99'],
        },
      }),
    ],
    spread: SPREAD,
  };
}

/** A search that ends between 7,750 and 7,980 requests a second. */
export function findMaxSample(changes: Partial<FindMaxDocument> = {}): FindMaxDocument {
  const rates = [1000, 2000, 4000, 8000, 6000, 7000, 7500, 7750, 7980, 7750, 7980, 8100];
  return {
    schemaVersion: 1,
    kind: 'find-max',
    tool: TOOL,
    startedAt: new Date(AT).toISOString(),
    finishedAt: new Date(AT + 143_000).toISOString(),
    target: TARGET,
    objective: 'p99<20ms,errors<0.1%',
    interval: { low: 7750, high: 7980 },
    trials: rates.map((rate, at) => ({
      rate,
      held: rate <= 7750,
      valid: at !== 11,
      achievedRate: rate <= 7750 ? rate - 3 : 7790,
      latencyUs: latencies(at + 1, rate / 4000),
      errors: rate <= 7750 ? 0 : 0.004,
      ...(rate > 7750 ? { reason: 'the backlog grew; ended after 4 s' } : {}),
    })),
    ...changes,
  };
}

/** Ten interleaved pairs; the candidate is slower at the tail. */
export function comparisonSample(changes: Partial<ComparisonDocument> = {}): ComparisonDocument {
  const runs = (factor: number): ComparisonDocument['runs']['a'] =>
    Array.from({ length: 10 }, (_, at) => ({
      name: `run-${at + 1}/run.json`,
      startedAt: new Date(AT + at * 60_000).toISOString(),
      latencyUs: latencies(at + 20, factor),
    }));
  return {
    schemaVersion: 1,
    kind: 'comparison',
    tool: TOOL,
    startedAt: new Date(AT).toISOString(),
    finishedAt: new Date(AT + 1_200_000).toISOString(),
    verdict: 'worse',
    marginPercent: 2,
    quantiles: [
      { q: 0.5, shiftPercent: 0.4, low: -0.3, high: 1.1 },
      { q: 0.9, shiftPercent: 1.9, low: 0.9, high: 3.1 },
      { q: 0.99, shiftPercent: 7.4, low: 4.8, high: 9.9, base: 3480, candidate: 3730 },
      { q: 0.999, shiftPercent: -6.1, low: -9.5, high: -2.8 },
    ],
    runs: { a: runs(1), b: runs(1.07) },
    sides: {
      a: { label: 'staging, https://old.example.test: run-1/run.json and 9 more', spread: SPREAD },
      b: { label: 'staging, https://new.example.test: run-1/run.json and 9 more', spread: null },
    },
    selfTest: { trials: 200, falseAlarms: 9 },
    ...changes,
  };
}

/** The fast path in five steps. */
export function benchSample(): BenchDocument {
  const steps: [string, number][] = [
    ['read the head', 820],
    ['look the token up', 240],
    ['check the quota', 90],
    ['price the route', 1410],
    ['write the answer', 640],
  ];
  const total = steps.reduce((sum, [, ns]) => sum + ns, 0);
  return {
    schemaVersion: 1,
    kind: 'bench',
    tool: TOOL,
    startedAt: new Date(AT).toISOString(),
    finishedAt: new Date(AT + 9000).toISOString(),
    steps: [
      ...steps.map(([name, nsMedian]) => ({ name, nsMedian, share: nsMedian / total })),
      { name: 'whole request', nsMedian: total, share: 0 },
    ],
    whole: { name: 'whole request', nsMedian: total },
  };
}
