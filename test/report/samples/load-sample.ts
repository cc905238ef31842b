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
    intended: {
      rate: 5000,
      connections: 256,
      durationS: seconds,
      warmupS: 5,
      arrivals: 'constant',
    },
    achieved: {
      rate: 4997.6,
      planned: 5000 * seconds,
      sent: 5000 * seconds - 3,
      ok: 5000 * seconds - 144,
      failed: 144,
      checked: 0,
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
      coreWait: 0.001,
      eventLoopUtilization: 0.46,
      sendLagUs: { p50: 38, p90: 120, p99: 410, max: 2950 },
      saturated: false,
      reasons: [],
    },
    server: { cpu: 0.93, rssBytes: 118_000_000, eventLoopUtilization: 0.71, gcMs: 412 },
    verdict: 'fell-short',
    reason: 'Not held: errors<0.01%.',
    next: { words: 'see why requests fail', command: 'fareproof check --suite smoke' },
    seed: 7,
    workload: { identity: 'platform', partnerId: 'partner-1', mix: { plain: 1 }, requests: 4096 },
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
  const { text } = distribution(3, 1.25);
  return { response: text, service: distribution(3, 1).text, all: text };
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
  const response = summary(seed, 1.25 * factor);
  return { response, service: summary(seed, factor), all: response };
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
        latencyUs: { response: empty, service: empty, all: empty },
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
        reason: 'In second 3 the generator sent 4300 requests, and 5000 were to be sent.',
        invalidBy: 'lateness',
        generator: {
          ...loadSample(2).generator,
          saturated: true,
          reasons: ['In second 3 the generator sent 4300 requests, and 5000 were to be sent.'],
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
      durationS: 10,
      coreWait: 0.001,
      reason: rate > 7750 ? 'the backlog grew; ended after 4 s' : 'All thresholds held.',
    })),
    verdict: 'found',
    reason: 'It holds at 7750/s, and not at 7980/s.',
    next: {
      words: 'hold the target to this rate',
      command: "fareproof load --rate 7750 --threshold 'p99<20ms'",
    },
    seed: 7,
    ...changes,
  };
}

/** Ten interleaved pairs; the candidate is slower at the tail. */
export function comparisonSample(changes: Partial<ComparisonDocument> = {}): ComparisonDocument {
  const runs = (factor: number): ComparisonDocument['runs']['a'] =>
    Array.from({ length: 10 }, (_, at) => ({
      ...loadSample(2, {
        startedAt: new Date(AT + at * 60_000).toISOString(),
        latencyUs: latencies(at + 20, factor),
      }),
      name: `run-${at + 1}/run.json`,
    }));
  const shift = (q: number, shiftPercent: number, low: number, high: number) => ({
    q,
    shiftPercent,
    low,
    high,
    verdict: low > 2 ? ('worse' as const) : ('inconclusive' as const),
    base: 3480,
    candidate: 3480 * (1 + shiftPercent / 100),
  });
  return {
    schemaVersion: 1,
    kind: 'comparison',
    tool: TOOL,
    startedAt: new Date(AT).toISOString(),
    finishedAt: new Date(AT + 1_200_000).toISOString(),
    verdict: 'worse',
    marginPercent: 2,
    quantiles: [
      shift(0.5, 0.4, -0.3, 1.1),
      shift(0.9, 1.9, 0.9, 3.1),
      shift(0.99, 7.4, 4.8, 9.9),
      shift(0.999, -6.1, -9.5, -2.8),
    ],
    runs: { a: runs(1), b: runs(1.07) },
    sides: {
      a: { label: 'staging, https://old.example.test: run-1/run.json and 9 more', spread: SPREAD },
      b: { label: 'staging, https://new.example.test: run-1/run.json and 9 more', spread: null },
    },
    confidence: 0.95,
    correction: 'Bonferroni over 4 quantiles',
    paired: true,
    runsNeeded: null,
    reason: 'Slower beyond the margin: p99 +4.8 to +9.9 %.',
    next: {
      words: 'see runs of both sides on one page',
      command: 'fareproof report base-1.json candidate-1.json --out side-by-side.html',
    },
    selfTest: { trials: 200, falseAlarms: 9, inconclusive: 4, runsPerSide: 10 },
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
      ...steps.map(([name, nsMedian]) => ({
        name,
        nsMedian,
        nsDeviation: 2,
        share: nsMedian / total,
      })),
      { name: 'whole request', nsMedian: total, nsDeviation: 2, share: 0 },
    ],
    whole: { name: 'whole request', nsMedian: total },
    notes: [],
    machine: { cpu: 'A processor', node: 'v20.20.0', loadAverage: [0.1, 0.2, 0.3] },
  };
}
