import { expect, it } from 'vitest';
import { conclude } from '../../../src/load/compare/shifts.ts';
import { judgeSides } from './judge-sides.ts';

it.each([95, 105])('a shift from 100 to %d lies within a margin of 5 %%', (time) => {
  const shift = judgeSides(Array(6).fill(100), Array(6).fill(time));
  expect(shift).toMatchObject({ shiftPercent: time - 100, verdict: 'equivalent' });
});

it('times that are rounded scatter by the step beside what they scatter by', () => {
  const [base, candidate] = [
    [100, 102, 104, 100, 102, 104],
    [110, 112, 114, 110, 112, 116],
  ];
  expect(judgeSides(base, candidate, 2)).toMatchObject({ low: 6.72 });
});

it('an end of 0 % has no sign', () => {
  const shift = {
    ...judgeSides([100], [100]),
    name: 'p50',
    verdict: 'worse',
    low: 0,
    high: 9,
  } as const;
  const settings = { marginPercent: 5, confidence: 0.95, correction: 'none', paired: false };
  expect(conclude([shift], settings, { of: 'quantile', runs: 6 }).reason).toContain(
    'p50 0.0 to +9.0 %',
  );
});
