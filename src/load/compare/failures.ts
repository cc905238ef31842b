import { createRandom } from '../seeded-random.ts';
import { differenceOfMeans } from './bootstrap.ts';

/** Counts of a run that show how much of it failed. */
export interface RunOutcome {
  achieved: { planned: number; ok: number; failed: number };
}

/** Difference between the failed shares of two sides. */
export interface FailureShift {
  /** Mean over the runs, candidate minus base, percentage points. */
  points: number;
  /** `more`: the candidate fails more often, beyond chance; `perhaps`: more often, maybe by chance. */
  verdict: 'more' | 'perhaps' | 'no-more';
}

/** Of both ends of the interval: 1 % lies beyond the end that counts. */
const CONFIDENCE = 0.98;
/** Standard errors to that end where only counting is left of chance. */
const LEAST_ERRORS = 2.33;
/** A higher share than this is never ignored, chance or not. */
const NOTICEABLE = 0.01;

/**
 * Compares the failed share of the candidate with that of the base; the run is the sample.
 *
 * @param difference interval of the difference, by default the bootstrap's
 */
export function judgeFailures(
  base: readonly RunOutcome[],
  candidate: readonly RunOutcome[],
  seed: number,
  difference = differenceOfMeans,
): FailureShift {
  const [ofBase, ofCandidate] = [countOf(base), countOf(candidate)];
  const planned = ofBase.planned + ofCandidate.planned;
  // One more than there were: no failure in a hundred requests says less than none in a million.
  const share = (ofBase.failed + ofCandidate.failed + 1) / (planned + 1);
  const spread = share * Math.max(1 - share, 1 / (planned + 1));
  const perRun = planned / (base.length + candidate.length);
  const countingError = Math.sqrt(spread / ofBase.planned + spread / ofCandidate.planned);
  const { estimate, low } = difference({
    a: base.map(failedShare),
    b: candidate.map(failedShare),
    paired: false,
    confidence: CONFIDENCE,
    random: createRandom(seed, 'bootstrap failures'),
    valueError: Math.sqrt(spread / perRun),
    leastHalfWidth: LEAST_ERRORS * countingError,
  });
  const points = estimate * 100;
  if (low > 0) return { points, verdict: 'more' };
  return { points, verdict: estimate > NOTICEABLE ? 'perhaps' : 'no-more' };
}

/** `5.0 percentage points`, with at least two digits. */
export function pointsInWords(points: number): string {
  return `${points >= 10 ? points.toFixed(1) : points.toPrecision(2)} percentage points`;
}

/** Failed share of a run, 0 to 1. */
export function failedShare({ achieved }: RunOutcome): number {
  return achieved.planned > 0 ? achieved.failed / achieved.planned : 0;
}

function countOf(runs: readonly RunOutcome[]): { planned: number; failed: number } {
  const sum = (of: 'planned' | 'failed'): number =>
    runs.reduce((total, { achieved }) => total + achieved[of], 0);
  return { planned: sum('planned'), failed: sum('failed') };
}
