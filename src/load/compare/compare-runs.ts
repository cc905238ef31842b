import type { LatencySummaryUs } from '../latency-histogram.ts';
import { createRandom } from '../seeded-random.ts';
import { differenceOfMeans } from './bootstrap.ts';
import { comparisonInWords, MOST_RUNS_NAMED } from './comparison-in-words.ts';

/** What a comparison takes of a load run document. */
export interface RunSample {
  startedAt: string;
  latencyUs: { response: LatencySummaryUs; service: LatencySummaryUs };
  achieved: { planned: number; failed: number };
  verdict: 'held' | 'fell-short' | 'invalid';
  /** Of its file, for the report. */
  name?: string | undefined;
}

export type ComparisonVerdict = 'better' | 'worse' | 'equivalent' | 'inconclusive';

/** How far a quantile of the candidate lies from that of the base, percent of the base. */
export interface QuantileShift {
  /** 0 to 1. */
  q: number;
  /** Below 0 is faster. */
  shiftPercent: number;
  low: number;
  high: number;
  verdict: ComparisonVerdict;
}

/** What a comparison came to. */
export interface Comparison {
  verdict: ComparisonVerdict;
  reason: string;
  quantiles: QuantileShift[];
  marginPercent: number;
  /** Of each interval, before the correction. */
  confidence: number;
  /** How the confidence is kept over several quantiles. */
  correction: string;
  paired: boolean;
  /** Runs a side that would decide it, where it is inconclusive; null where it is not. */
  runsNeeded: number | null;
}

export interface CompareOptions {
  base: readonly RunSample[];
  candidate: readonly RunSample[];
  /** Shifts within plus or minus this are equivalent; default 5. */
  marginPercent?: number | undefined;
  seed: number;
}

const QUANTILES = [
  { q: 0.5, of: 'p50' },
  { q: 0.9, of: 'p90' },
  { q: 0.99, of: 'p99' },
] as const;
const CONFIDENCE = 0.95;
const DEFAULT_MARGIN_PERCENT = 5;
/** With fewer runs a side, how runs scatter is itself unknown. */
export const LEAST_RUNS = 5;
/** So much more of the requests failing is worse, however fast those failures are. */
const ERROR_MARGIN = 0.01;

/**
 * Compares two builds; the run is the sample, since requests of one run share its luck.
 *
 * Per quantile: the mean shift of the logarithm over runs with a bootstrap-t interval, held against
 * the margin. An interval wholly beyond it is worse (or better), one wholly within is equivalent.
 * Bonferroni keeps the confidence over the quantiles.
 */
export function compareRuns(options: CompareOptions): Comparison {
  const { base, candidate } = options;
  const marginPercent = options.marginPercent ?? DEFAULT_MARGIN_PERCENT;
  const paired = areInterleaved(base, candidate);
  const frame = {
    marginPercent,
    confidence: CONFIDENCE,
    correction: `Bonferroni over ${QUANTILES.length} quantiles`,
    paired,
  };
  const refusal = whyNotComparable(base, candidate);
  if (refusal !== null) {
    return {
      ...frame,
      verdict: 'inconclusive',
      reason: refusal.reason,
      quantiles: [],
      runsNeeded: refusal.runsNeeded,
    };
  }
  const quantiles = QUANTILES.map(({ q, of }) =>
    judgeShift(q, logsOf(base, of), logsOf(candidate, of), paired, marginPercent, options.seed),
  );
  const more = meanErrorShare(candidate) - meanErrorShare(base);
  if (more > ERROR_MARGIN) {
    const reason = `${(more * 100).toFixed(1)} percentage points more of the candidate's requests fail.`;
    return { ...frame, verdict: 'worse', reason, quantiles, runsNeeded: null };
  }
  const verdict = overall(quantiles);
  const runsNeeded =
    verdict === 'inconclusive'
      ? runsThatWouldDo(quantiles, marginPercent, Math.min(base.length, candidate.length))
      : null;
  return {
    ...frame,
    verdict,
    reason: comparisonInWords({ ...frame, verdict, quantiles, runsNeeded }),
    quantiles,
    runsNeeded,
  };
}

/** Pairs that ran one after the other share what drifts, and are compared as pairs. */
function areInterleaved(base: readonly RunSample[], candidate: readonly RunSample[]): boolean {
  if (base.length !== candidate.length) return false;
  const inOrder = [
    ...base.map((run) => ({ run, side: 0 })),
    ...candidate.map((run) => ({ run, side: 1 })),
  ].sort((x, y) => Date.parse(x.run.startedAt) - Date.parse(y.run.startedAt));
  return inOrder.every(({ side }, index) => index % 2 === 0 || side !== inOrder[index - 1]?.side);
}

function whyNotComparable(
  base: readonly RunSample[],
  candidate: readonly RunSample[],
): { reason: string; runsNeeded: number | null } | null {
  const invalid = [...base, ...candidate].filter(({ verdict }) => verdict === 'invalid').length;
  if (invalid > 0) {
    return {
      reason: `${invalid} of the runs are invalid: their generator was saturated, so they say nothing of the target. Run them again.`,
      runsNeeded: null,
    };
  }
  if ([...base, ...candidate].some(({ latencyUs }) => latencyUs.response.count === 0)) {
    return { reason: 'A run has no latencies to compare.', runsNeeded: null };
  }
  const fewest = Math.min(base.length, candidate.length);
  if (fewest >= LEAST_RUNS) return null;
  return {
    reason: `There are ${base.length} runs of the base and ${candidate.length} of the candidate; from fewer than ${LEAST_RUNS} a side nothing can be said of how runs scatter.`,
    runsNeeded: LEAST_RUNS,
  };
}

/** Oldest first, so that pairs are those that ran side by side. */
function logsOf(runs: readonly RunSample[], of: 'p50' | 'p90' | 'p99'): number[] {
  return [...runs]
    .sort((x, y) => Date.parse(x.startedAt) - Date.parse(y.startedAt))
    .map(({ latencyUs }) => Math.log(Math.max(latencyUs.response[of], 1)));
}

function judgeShift(
  q: number,
  a: readonly number[],
  b: readonly number[],
  paired: boolean,
  marginPercent: number,
  seed: number,
): QuantileShift {
  const confidence = 1 - (1 - CONFIDENCE) / QUANTILES.length;
  const random = createRandom(seed, `bootstrap ${q}`);
  const { estimate, low, high } = differenceOfMeans({ a, b, paired, confidence, random });
  const shift = {
    q,
    shiftPercent: toPercent(estimate),
    low: toPercent(low),
    high: toPercent(high),
  };
  return { ...shift, verdict: judgeInterval(shift, marginPercent) };
}

function judgeInterval(
  { low, high }: { low: number; high: number },
  marginPercent: number,
): ComparisonVerdict {
  if (low > marginPercent) return 'worse';
  if (high < -marginPercent) return 'better';
  return low >= -marginPercent && high <= marginPercent ? 'equivalent' : 'inconclusive';
}

function overall(quantiles: readonly QuantileShift[]): ComparisonVerdict {
  const order: readonly ComparisonVerdict[] = ['worse', 'inconclusive', 'better'];
  return (
    order.find((wanted) => quantiles.some(({ verdict }) => verdict === wanted)) ?? 'equivalent'
  );
}

/** The width of an interval goes with the root of the runs; what is missing of it tells how many more. */
function runsThatWouldDo(
  quantiles: readonly QuantileShift[],
  marginPercent: number,
  runs: number,
): number {
  const needed = quantiles.map(({ shiftPercent, low, high }) => {
    const room = Math.max(Math.abs(Math.abs(shiftPercent) - marginPercent), marginPercent / 4);
    return runs * ((high - low) / 2 / room) ** 2;
  });
  return Math.min(MOST_RUNS_NAMED, Math.max(runs + 1, Math.ceil(Math.max(...needed))));
}

function meanErrorShare(runs: readonly RunSample[]): number {
  const shares = runs.map(({ achieved }) =>
    achieved.planned > 0 ? achieved.failed / achieved.planned : 0,
  );
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** Beyond ten times as slow the number says no more. */
const toPercent = (log: number): number =>
  Math.round((Math.exp(Math.min(log, Math.log(10))) - 1) * 10_000) / 100;
