import type { ComparisonDocument } from '../../documents/comparison.ts';
import type { Written } from '../../documents/fields.ts';
import { createRandom } from '../seeded-random.ts';
import { type CompareOptions, compareRuns, LEAST_RUNS, type RunSample } from './compare-runs.ts';

/** False alarms of a build compared with itself. */
export type SelfTest = Written<NonNullable<ComparisonDocument['selfTest']>>;

/** Least number of runs for a self-test: with fewer no comparison is decided. */
export const LEAST_SELF_TEST_RUNS: number = 2 * LEAST_RUNS;

const DEFAULT_TRIALS = 200;

/**
 * Compares recorded runs of one build with each other, drawn at random into two sides again and
 * again; whatever comes out better or worse is a false alarm.
 */
export function selfTest(
  runs: readonly RunSample[],
  options: Pick<CompareOptions, 'marginPercent' | 'seed'> & { trials?: number },
): SelfTest {
  const trials = options.trials ?? DEFAULT_TRIALS;
  const runsPerSide = Math.floor(runs.length / 2);
  const random = createRandom(options.seed, 'self-test');
  let falseAlarms = 0;
  let inconclusive = 0;
  for (let trial = 0; trial < trials; trial++) {
    const drawn = shuffle(runs, random);
    const { verdict } = compareRuns({
      base: drawn.slice(0, runsPerSide),
      candidate: drawn.slice(runsPerSide, 2 * runsPerSide),
      marginPercent: options.marginPercent,
      seed: options.seed + trial,
    });
    if (verdict === 'better' || verdict === 'worse') falseAlarms++;
    if (verdict === 'inconclusive') inconclusive++;
  }
  return { trials, falseAlarms, inconclusive, runsPerSide };
}

function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const shuffled = [...items];
  for (let index = shuffled.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [shuffled[index], shuffled[other]] = [shuffled[other] as T, shuffled[index] as T];
  }
  return shuffled;
}
