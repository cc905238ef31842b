import { confidenceOfEach, judgeShift, type Shift } from '../../../src/load/compare/shifts.ts';
import { createRandom } from '../../../src/load/seeded-random.ts';

/** Judges the shift between two sides that are not paired, by a margin of 5 % among three quantiles. */
export function judgeSides(base: readonly number[], candidate: readonly number[], step = 0): Shift {
  return judgeShift({
    base,
    candidate,
    paired: false,
    marginPercent: 5,
    confidence: confidenceOfEach(3),
    stepOf: () => step,
    random: createRandom(1),
  });
}
