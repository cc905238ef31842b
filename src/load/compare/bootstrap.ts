import type { Random } from '../seeded-random.ts';

/** An estimate with its confidence interval. */
export interface Interval {
  estimate: number;
  low: number;
  high: number;
}

/** Samples whose means are compared. */
export interface DifferenceOptions {
  a: readonly number[];
  b: readonly number[];
  /** True if a[i] and b[i] were measured one after the other, so that drift affects both. */
  paired: boolean;
  /** Such as 0.95. */
  confidence: number;
  random: Random;
  resamples?: number;
  /**
   * Standard deviation of a single value, such as from rounding; else equal values would count as
   * exact. Default 0.
   */
  valueError?: number;
  /** Least half width of the interval; default 0. */
  leastHalfWidth?: number;
}

const DEFAULT_RESAMPLES = 4000;
/** Largest share of the error probability spent on bounding the interval by the observed range. */
const MOST_SPENT_ON_RANGE = 0.6;

interface Sample {
  mean: number;
  /** Standard error of the mean. */
  error: number;
}

/**
 * The difference b - a of two means with a bootstrap-t interval (Efron and Tibshirani, An
 * Introduction to the Bootstrap, section 12.5). Studentised, since the plain percentile interval is
 * too narrow for the handful of runs that one has.
 *
 * A resample of nearly equal values would have almost no error, and its pivot no bound. So the error
 * is at least that of the values themselves, and the interval ends where the observed differences
 * end: that these contain the true shift is the safer statement as soon as there are enough values.
 */
export function differenceOfMeans(options: DifferenceOptions): Interval {
  const { a, b, paired, random, valueError = 0, leastHalfWidth = 0 } = options;
  const differences = paired ? b.map((value, index) => value - (a[index] as number)) : null;
  const sets = differences ? [differences] : [b, a];
  // Both values of a pair have that error.
  const floor = paired ? valueError * Math.SQRT2 : valueError;
  const whole = combine(sets, floor);
  const seen = rangeSeen(a, b, differences);
  const missed = 1 - options.confidence;
  const isBounded = seen.missed <= missed * MOST_SPENT_ON_RANGE;
  const tail = (isBounded ? missed - seen.missed : missed) / 2;
  const pivots = drawPivots(whole, options.resamples ?? DEFAULT_RESAMPLES, () =>
    combine(sets, floor, random),
  );
  const low = whole.mean - quantileOf(pivots, 1 - tail) * whole.error;
  const high = whole.mean - quantileOf(pivots, tail) * whole.error;
  return {
    estimate: whole.mean,
    low: Math.min(isBounded ? Math.max(low, seen.low) : low, whole.mean - leastHalfWidth),
    high: Math.max(isBounded ? Math.min(high, seen.high) : high, whole.mean + leastHalfWidth),
  };
}

function drawPivots(whole: Sample, resamples: number, draw: () => Sample): Float64Array {
  const drawn = new Float64Array(resamples);
  let count = 0;
  for (let round = 0; round < resamples; round++) {
    const resampled = draw();
    const distance = resampled.mean - whole.mean;
    if (resampled.error > 0) drawn[count++] = distance / resampled.error;
    else if (distance !== 0) drawn[count++] = distance > 0 ? Infinity : -Infinity;
  }
  return drawn.subarray(0, count).sort();
}

/**
 * The least and the largest difference between any two values, or of any pair, and the probability of
 * a shift outside: that all values of one side lie beyond all of the other by chance.
 */
function rangeSeen(
  a: readonly number[],
  b: readonly number[],
  differences: readonly number[] | null,
): { low: number; high: number; missed: number } {
  if (differences) {
    const missed = 2 ** (1 - differences.length);
    return { low: Math.min(...differences), high: Math.max(...differences), missed };
  }
  return {
    low: Math.min(...b) - Math.max(...a),
    high: Math.max(...b) - Math.min(...a),
    missed: chanceApart(a.length, b.length),
  };
}

/** Probability that all values of one side lie beyond all of the other, where both are alike. */
function chanceApart(a: number, b: number): number {
  let waysToDraw = 1;
  for (let index = 1; index <= a; index++) waysToDraw *= (b + index) / index;
  return 2 / waysToDraw;
}

/** Least number of values on each side that bounds the interval. */
export function valuesThatBound(confidence: number): number {
  let count = 1;
  while (chanceApart(count, count) > (1 - confidence) * MOST_SPENT_ON_RANGE) count++;
  return count;
}

/**
 * One set is a mean of differences; two are the first minus the second.
 *
 * @param valueError error of each value, in addition to the scatter
 * @param random draws resamples with replacement; without it all values are taken
 */
function combine(
  sets: readonly (readonly number[])[],
  valueError: number,
  random?: Random,
): Sample {
  const [first, second] = sets.map((values) => describe(values, valueError, random));
  if (first === undefined) return { mean: 0, error: 0 };
  if (second === undefined) return first;
  return { mean: first.mean - second.mean, error: Math.hypot(first.error, second.error) };
}

/** In one pass and without a copy, since a comparison does this ten thousand times. */
function describe(values: readonly number[], valueError: number, random?: Random): Sample {
  const count = values.length;
  // Distances from one of the values: what they have in common would drown what they differ by.
  const origin = values[0] ?? 0;
  let sum = 0;
  let squares = 0;
  for (let index = 0; index < count; index++) {
    const drawn = random ? Math.floor(random() * count) : index;
    const distance = (values[drawn] as number) - origin;
    sum += distance;
    squares += distance * distance;
  }
  const scatter = squares - (sum * sum) / count;
  // Equal values scatter by what is rounded, which is nothing.
  const variance = scatter > 1e-12 * squares && count > 1 ? scatter / (count - 1) : 0;
  return {
    mean: origin + sum / count,
    error: Math.sqrt((variance + valueError * valueError) / count),
  };
}

function quantileOf(sorted: Float64Array, share: number): number {
  const at = Math.min(sorted.length - 1, Math.max(0, Math.round(share * (sorted.length - 1))));
  return sorted[at] ?? 0;
}
