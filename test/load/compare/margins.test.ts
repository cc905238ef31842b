import { expect, it } from 'vitest';
import { conclude, judgeShift } from '../../../src/load/compare/shifts.ts';
import { createRandom } from '../../../src/load/seeded-random.ts';

const judge = (base: readonly number[], candidate: readonly number[], step = 0) =>
  judgeShift({
    base,
    candidate,
    paired: false,
    marginPercent: 5,
    among: 3,
    stepOf: () => step,
    random: createRandom(1),
  });

it.each([95, 105])('a shift from 100 to %d lies within a margin of 5 %%', (time) => {
  const shift = judge(Array(6).fill(100), Array(6).fill(time));
  expect(shift).toMatchObject({ shiftPercent: time - 100, verdict: 'equivalent' });
});

it('times that are rounded scatter by the step beside what they scatter by', () => {
  const [base, candidate] = [
    [100, 102, 104, 100, 102, 104],
    [110, 112, 114, 110, 112, 116],
  ];
  expect(judge(base, candidate, 2)).toMatchObject({ low: 6.72 });
});

it('an end of 0 % has no sign', () => {
  const shift = { ...judge([100], [100]), name: 'p50', verdict: 'worse', low: 0, high: 9 } as const;
  const settings = { marginPercent: 5, confidence: 0.95, correction: 'none', paired: false };
  expect(conclude([shift], settings, { of: 'quantile', runs: 6 }).reason).toContain(
    'p50 0.0 to +9.0 %',
  );
});
