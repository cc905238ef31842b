import { createRandom } from '../seeded-random.ts';
import { differenceOfMeans } from './bootstrap.ts';

/** What of a run tells how much of it failed. */
export interface RunOutcome {
  achieved: { planned: number; ok: number; failed: number };
}

/** How the shares of failed requests of two sides stand to each other. */
export interface FailureShift {
  /** Mean over the runs, candidate less base, percentage points. */
  points: number;
  /** `more`: the candidate fails more, by more than chance; `perhaps`: more, and it may be chance. */
  verdict: 'more' | 'perhaps' | 'no-more';
}

/** Both ends of the interval together: 1 % of it at the end that counts. */
const CONFIDENCE = 0.98;
/** Standard errors to that end, of shares so even over the runs that only counting is left of chance. */
const LEAST_ERRORS = 2.33;
/** More than this may not pass unseen, chance or not; a share. */
const NOTICEABLE = 0.01;

/** Holds the share of requests that failed against that of the base; the run is the sample. */
export function judgeFailures(
  base: readonly RunOutcome[],
  candidate: readonly RunOutcome[],
  seed: number,
): FailureShift {
  const [ofBase, ofCandidate] = [countOf(base), countOf(candidate)];
  const planned = ofBase.planned + ofCandidate.planned;
  // One failure more than there were: none in a hundred requests is not none in a million.
  const share = (ofBase.failed + ofCandidate.failed + 1) / (planned + 1);
  const spread = share * Math.max(1 - share, 1 / (planned + 1));
  const perRun = planned / (base.length + candidate.length);
  const countingError = Math.sqrt(spread / ofBase.planned + spread / ofCandidate.planned);
  const { estimate, low } = differenceOfMeans({
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

/** Of a run, 0 to 1. */
export function failedShare({ achieved }: RunOutcome): number {
  return achieved.planned > 0 ? achieved.failed / achieved.planned : 0;
}

function countOf(runs: readonly RunOutcome[]): { planned: number; failed: number } {
  const sum = (of: 'planned' | 'failed'): number =>
    runs.reduce((total, { achieved }) => total + achieved[of], 0);
  return { planned: sum('planned'), failed: sum('failed') };
}
