import type { DifferenceOptions, Interval } from './bootstrap.ts';

/**
 * The difference b - a of two means with Student's interval, for sides of which one has a single value
 * or two: a scatter of its own they do not show, so both sides are taken to scatter alike.
 */
export function pooledDifference({
  a,
  b,
  confidence,
  valueError = 0,
  leastHalfWidth = 0,
}: Pick<DifferenceOptions, 'a' | 'b' | 'confidence' | 'valueError' | 'leastHalfWidth'>): Interval {
  const degrees = a.length + b.length - 2;
  const variance = (squaresOf(a) + squaresOf(b)) / degrees + valueError ** 2;
  const error = Math.sqrt(variance * (1 / a.length + 1 / b.length));
  const estimate = meanOf(b) - meanOf(a);
  const halfWidth = Math.max(leastHalfWidth, studentQuantile(confidence, degrees) * error);
  return { estimate, low: estimate - halfWidth, high: estimate + halfWidth };
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Sum of the squared distances from the mean. */
function squaresOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/** The t between whose negative and which a share of Student's distribution lies. */
export function studentQuantile(share: number, degrees: number): number {
  let [low, high] = [0, Math.PI / 2];
  for (let round = 0; round < 60; round++) {
    const middle = (low + high) / 2;
    if (shareWithin(middle, degrees) < share) low = middle;
    else high = middle;
  }
  return Math.tan(low) * Math.sqrt(degrees);
}

/** Share between -t and t = tan(angle) * sqrt(degrees): Abramowitz and Stegun, 26.7.3 and 26.7.4. */
function shareWithin(angle: number, degrees: number): number {
  const isOdd = degrees % 2 === 1;
  const cosine = Math.cos(angle);
  let term = isOdd ? cosine : 1;
  let sum = 0;
  for (let power = isOdd ? 1 : 0; power <= degrees - 2; power += 2) {
    sum += term;
    term *= (cosine ** 2 * (power + 1)) / (power + 2);
  }
  const series = Math.sin(angle) * sum;
  return isOdd ? ((angle + series) * 2) / Math.PI : series;
}
