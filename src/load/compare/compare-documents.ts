import type { Tool } from '../../documents/base.ts';
import type { ComparisonDocument } from '../../documents/comparison.ts';
import type { LoadDocument } from '../../documents/load.ts';
import { frameOf } from '../document-frame.ts';
import { type BenchComparison, compareBenches } from './compare-benches.ts';
import { type Comparison, compareRuns } from './compare-runs.ts';
import { comparisonNotes } from './notes.ts';
import { LEAST_SELF_TEST_RUNS, selfTest } from './self-test.ts';
import type { ComparedSides } from './sides.ts';

/** Settings of a comparison of documents. */
export interface ComparisonSettings {
  /** Shifts within plus or minus this are equivalent; default 5. */
  marginPercent?: number | undefined;
  tool: Tool;
  /** Milliseconds since the epoch. */
  nowMs: number;
}

/** Seed of the bootstrap: the same runs bring the same verdict. */
const SEED = 1;

/** Compares recorded runs, or benches, of two builds. */
export function compareDocuments(
  sides: ComparedSides,
  { marginPercent, tool, nowMs }: ComparisonSettings,
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
    runs: { a: sides.base, b: sides.candidate },
    ...(notes.length > 0 && { notes }),
  };
}

/**
 * Compares runs of one build with each other: the odd ones with the even ones for the verdict, and
 * drawn at random for the rate of false alarms, which is left out if there are too few.
 */
export function selfTestDocument(
  runs: readonly LoadDocument[],
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
