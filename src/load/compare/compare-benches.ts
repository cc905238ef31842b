import type { StepShift } from '../../documents/comparison.ts';
import { REST } from '../measure-steps.ts';
import { createRandom } from '../seeded-random.ts';
import type { ComparisonFrame } from './compare-runs.ts';
import {
  type CompareOptions,
  conclude,
  confidenceOfEach,
  judgeShift,
  leastRuns,
  oldestFirst,
  settingsOf,
  tooFew,
} from './shifts.ts';

/** Fields of a bench document that a comparison uses. */
export interface BenchSample {
  startedAt: string;
  steps: readonly { name: string; nsMedian: number }[];
  /** The whole that the steps are of; null if it was not measured. */
  whole: { name: string; nsMedian: number } | null;
}

/** Result of a comparison of bench documents: steps, the whole first, and no quantiles. */
export interface BenchComparison extends ComparisonFrame {
  readonly steps: readonly StepShift[];
  /** Steps that some document lacks. */
  readonly notCompared: readonly string[];
}

/** Fewer pairs cannot give the confidence that so many steps need. */
const LEAST_PAIRS = 12;
/** Resolution of the times in a document. */
const STEP_NS = 0.01;

/**
 * Compares benches of two builds, step by step, as compareRuns does quantiles. The document is the
 * sample: the scatter within one says nothing about the next process.
 */
export function compareBenches(options: CompareOptions<BenchSample>): BenchComparison {
  const { base, candidate, seed } = options;
  const all = [...base, ...candidate].map(timesOf);
  const names = [...new Set(all.flatMap((times) => [...times.keys()]))];
  const common = names.filter((name) => all.every((times) => times.has(name)));
  const settings = settingsOf(options, common.length, 'steps');
  const paired = settings.paired && base.length >= LEAST_PAIRS;
  const frame = {
    ...settings,
    paired,
    quantiles: [],
    notCompared: names.filter((name) => !common.includes(name)),
  };
  const least = leastRuns(common.length);
  const few = tooFew(base, candidate, { least, noun: 'document' });
  const open = { ...frame, verdict: 'inconclusive' as const, steps: [] };
  if (common.length === 0) {
    return { ...open, reason: 'The documents have no step in common.', runsNeeded: null };
  }
  if (few !== null) return { ...open, reason: few, runsNeeded: least };
  const of = (side: readonly BenchSample[], name: string): number[] =>
    oldestFirst(side).map((sample) => timesOf(sample).get(name) as number);
  const steps = common.map((name) => ({
    name,
    ...judgeShift({
      base: of(base, name),
      candidate: of(candidate, name),
      paired,
      marginPercent: settings.marginPercent,
      confidence: confidenceOfEach(common.length),
      stepOf: () => STEP_NS,
      random: createRandom(seed, `bootstrap ${name}`),
    }),
  }));
  const runs = Math.min(base.length, candidate.length);
  return { ...frame, ...conclude(steps, frame, { of: 'step', runs }), steps };
}

/** Nanoseconds by step; without the rest of the whole, which is a difference of the others. */
function timesOf({ steps, whole }: BenchSample): Map<string, number> {
  return new Map(
    [...(whole ? [whole] : []), ...steps]
      .filter(({ name, nsMedian }) => name !== REST && nsMedian > 0)
      .map(({ name, nsMedian }) => [name, nsMedian]),
  );
}
