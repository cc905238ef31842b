import type { Random } from '../seeded-random.ts';

/** An estimate with the interval that holds the true value at the confidence asked for. */
export interface Interval {
  estimate: number;
  low: number;
  high: number;
}

/** The interval of a difference of means, paired or not. */
export interface DifferenceOptions {
  a: readonly number[];
  b: readonly number[];
  /** True if a[i] and b[i] were measured side by side, so that what drifts hits both. */
  paired: boolean;
  /** Such as 0.95. */
  confidence: number;
  random: Random;
  resamples?: number;
  /**
   * Standard deviation with which a single value is known, such as what rounding leaves of it; equal
   * values would else be taken for exact ones. Default 0.
   */
  valueError?: number;
  /** The interval reaches at least so far to both sides of the estimate; default 0. */
  leastHalfWidth?: number;
}

const DEFAULT_RESAMPLES = 4000;
/** Of all that an interval may miss, so much may be spent on where the differences seen end. */
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
 * A resample that happens to hold one and the same value nearly throughout would have next to no
 * error, and its pivot would be without bound. So no error is below what the values themselves are
 * known to, and the interval ends where the differences seen end: that these hold the true shift is
 * the surer statement as soon as there are enough values.
 */
export function differenceOfMeans(options: DifferenceOptions): Interval {
  const { a, b, paired, random, valueError = 0, leastHalfWidth = 0 } = options;
  const differences = paired ? b.map((value, index) => value - (a[index] as number)) : null;
  const sets = differences ? [differences] : [b, a];
  // Of a pair both values are known to that.
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
 * The least and the largest difference between any two values, or of any pair, and how likely a shift
 * lies outside: as likely as that all values of one side lie beyond all of the other by chance.
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

/** How likely all values of one side lie beyond all of the other, either way, where both are alike. */
function chanceApart(a: number, b: number): number {
  let waysToDraw = 1;
  for (let index = 1; index <= a; index++) waysToDraw *= (b + index) / index;
  return 2 / waysToDraw;
}

/** So many values a side bound the interval; with fewer its ends may lie anywhere. */
export function valuesThatBound(confidence: number): number {
  let count = 1;
  while (chanceApart(count, count) > (1 - confidence) * MOST_SPENT_ON_RANGE) count++;
  return count;
}

/**
 * One set is a mean of differences; two are the first minus the second.
 *
 * @param valueError of each value, beside what they scatter
 * @param random draws as many of each set as it has, with replacement; without it all are taken
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
