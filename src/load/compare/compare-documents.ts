import type { Tool } from '../../documents/base.ts';
import type { ComparedFigures, ComparisonDocument } from '../../documents/comparison.ts';
import { frameOf } from '../run-load.ts';
import { createRandom } from '../seeded-random.ts';
import { type BenchComparison, compareBenches } from './compare-benches.ts';
import { type Comparison, compareRuns, LEAST_RUNS, type RunSample } from './compare-runs.ts';
import { comparisonNotes } from './notes.ts';
import type { CompareOptions } from './shifts.ts';
import {
  type ComparedSides,
  describeSides,
  type NamedBench,
  type NamedFigures,
  type NamedRun,
  type SideNames,
} from './sides.ts';

/** Settings of a comparison of documents. */
export interface ComparisonSettings {
  /** Shifts within plus or minus this are equivalent; default 5. */
  marginPercent?: number | undefined;
  /** Names of both sides, such as versions. */
  names?: SideNames;
  tool: Tool;
  /** Milliseconds since the epoch. */
  nowMs: number;
}

/** Seed of the bootstrap: the same runs bring the same verdict. */
const SEED = 1;

/** Compares recorded runs, or benches, of two builds. */
export function compareDocuments(
  sides: ComparedSides,
  { marginPercent, names, tool, nowMs }: ComparisonSettings,
): ComparisonDocument {
  const options = { marginPercent, seed: SEED };
  const comparison: Comparison | BenchComparison =
    sides.kind === 'load'
      ? compareRuns({ ...sides, ...options })
      : compareBenches({ ...sides, ...options });
  const notes = comparisonNotes(sides, comparison.notCompared);
  return {
    ...frameOf([...sides.base, ...sides.candidate], tool, nowMs),
    kind: 'comparison',
    ...comparison,
    runs: { a: sides.base.map(storedRun), b: sides.candidate.map(storedRun) },
    sides: describeSides(sides, names),
    ...(notes.length > 0 && { notes }),
  };
}

/** Figures of another tool as a comparison stores them; documents of ours whole. */
function storedRun<T extends NamedRun | NamedBench>(run: T | NamedFigures): T | ComparedFigures {
  if (run.kind !== 'figures') return run;
  const { name, toolName, achieved, latencyUs } = run;
  return { name, toolName, counts: achieved, quantilesUs: latencyUs.response };
}

/**
 * Compares runs of one build with each other: the odd ones with the even ones for the verdict, and
 * drawn at random for the rate of false alarms, which is left out if there are too few.
 */
export function selfTestDocument(
  runs: readonly NamedRun[],
  { marginPercent, tool, nowMs }: ComparisonSettings,
): ComparisonDocument {
  const options = { marginPercent, seed: SEED };
  const a = runs.filter((_, index) => index % 2 === 0);
  const b = runs.filter((_, index) => index % 2 === 1);
  const isEnough = runs.length >= LEAST_SELF_TEST_RUNS;
  const tested = isEnough ? selfTest(runs, options) : null;
  return {
    ...frameOf(runs, tool, nowMs),
    kind: 'comparison',
    ...compareRuns({ base: a.slice(0, b.length), candidate: b, ...options }),
    runs: { a, b },
    reason:
      tested === null
        ? `There are ${runs.length} runs, and a self-test needs ${LEAST_SELF_TEST_RUNS}: with fewer no comparison is decided, so none can be a false alarm.`
        : `One build compared with itself, ${tested.trials} times with ${tested.runsPerSide} runs a side drawn at random: ${tested.falseAlarms} false alarms (${((tested.falseAlarms / tested.trials) * 100).toFixed(1)} %), ${tested.inconclusive} inconclusive. The verdict is of the runs in odd places against those in even ones.`,
    ...(tested && { selfTest: tested }),
  };
}

/** False alarms of a build compared with itself. */
export type SelfTest = NonNullable<ComparisonDocument['selfTest']>;

/** Least number of runs for a self-test: with fewer no comparison is decided. */
export const LEAST_SELF_TEST_RUNS: number = 2 * LEAST_RUNS;

const DEFAULT_TRIALS = 200;

/**
 * Compares recorded runs of one build with each other, drawn at random into two sides again and
 * again; whatever comes out better or worse is a false alarm.
 */
export function selfTest(
  runs: readonly RunSample[],
  options: Pick<CompareOptions<RunSample>, 'marginPercent' | 'seed'> & { trials?: number },
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
