import { describe, expect, it } from 'vitest';
import type { ComparisonVerdict } from '../../../src/documents/comparison.ts';
import {
  conclude,
  leastRuns,
  oldestFirst,
  type Shift,
  settingsOf,
  tooFew,
} from '../../../src/load/compare/shifts.ts';
import { judgeSides } from './judge-sides.ts';

const six = (time: number): readonly number[] => Array(6).fill(time);

describe('judgeShift', () => {
  it.each([
    ['twice as slow', 200, 100, 'worse'],
    ['twice as fast', 50, -50, 'better'],
    ['the same', 100, 0, 'equivalent'],
    ['4 % slower', 104, 4, 'equivalent'],
    ['6 % slower', 106, 6, 'worse'],
    ['4 % faster', 96, -4, 'equivalent'],
    ['6 % faster', 94, -6, 'better'],
    ['ten times as slow', 1000, 900, 'worse'],
    ['fifty times as slow, as far as it says', 5000, 900, 'worse'],
    ['a fiftieth', 2, -98, 'better'],
  ])('finds times that are %s', (_case, time, percent, verdict) => {
    expect(judgeSides(six(100), six(time))).toEqual({
      shiftPercent: percent,
      low: percent,
      high: percent,
      verdict,
      base: 100,
      candidate: time,
    });
  });

  it('names the median of each side', () => {
    const shift = judgeSides([100, 300, 200, 200, 100], [1000, 3000, 2000, 2000, 9000]);
    expect(shift).toMatchObject({ base: 200, candidate: 2000 });
  });

  it('is as wide as the coarsest step, so that times of neighbouring steps are not decided', () => {
    expect(judgeSides(six(100), six(100), 2)).toMatchObject({ low: -1.98, high: 2.02 });
    expect(judgeSides(six(100), six(50), 2)).toMatchObject({ low: -51.96, high: -47.96 });
    expect(judgeSides(six(100), six(106), 2).verdict).toBe('inconclusive');
    expect(judgeSides(six(100), six(94), 2).verdict).toBe('inconclusive');
    expect(judgeSides(six(100), six(100), 10).verdict).toBe('inconclusive');
  });
});

const at = (...seconds: number[]): { startedAt: string }[] =>
  seconds.map((second) => ({ startedAt: new Date(second * 1000).toISOString() }));

describe('settingsOf', () => {
  const settings = (base: { startedAt: string }[], candidate: { startedAt: string }[]) =>
    settingsOf({ base, candidate, seed: 1 }, 3, 'quantiles');

  it('states the margin, the confidence and the correction', () => {
    expect(settings(at(1), at(2))).toEqual({
      marginPercent: 5,
      confidence: 0.95,
      correction: 'Bonferroni over 3 quantiles',
      paired: true,
    });
    const own = settingsOf(
      { base: at(1), candidate: at(2), marginPercent: 9, seed: 1 },
      2,
      'steps',
    );
    expect(own).toMatchObject({ marginPercent: 9, correction: 'Bonferroni over 2 steps' });
  });

  it.each([
    ['in turn', [1, 3, 5], [2, 4, 6], true],
    ['in turn, the candidate first', [2, 4, 6], [1, 3, 5], true],
    ['in turn, listed in another order', [5, 1, 3], [2, 6, 4], true],
    ['as ABBA', [1, 4, 5], [2, 3, 6], true],
    ['one side after the other', [1, 2, 3], [4, 5, 6], false],
    ['in blocks', [1, 2, 5, 6], [3, 4, 7, 8], false],
    ['in turn, with one more of the base', [1, 3, 5], [2, 4], false],
  ])('pairs runs that were made %s: %j and %j', (_case, base, candidate, paired) => {
    expect(settings(at(...base), at(...candidate)).paired).toBe(paired);
  });
});

describe('oldestFirst', () => {
  it('sorts by the start, and leaves its argument as it is', () => {
    const runs = at(3, 1, 2);
    expect(oldestFirst(runs)).toEqual(at(1, 2, 3));
    expect(runs).toEqual(at(3, 1, 2));
  });
});

describe('leastRuns', () => {
  it('grows with the shifts that are judged together', () => {
    expect([1, 2, 3, 20].map(leastRuns)).toEqual([4, 5, 5, 7]);
  });
});

describe('tooFew', () => {
  const least = { least: 5, noun: 'run' };
  const of = (count: number): unknown[] => Array(count).fill(null);

  it('is null from the least number on', () => {
    expect(tooFew(of(5), of(5), least)).toBeNull();
    expect(tooFew(of(9), of(4), least)).not.toBeNull();
    expect(tooFew(of(4), of(9), least)).not.toBeNull();
  });

  it('counts both sides', () => {
    expect(tooFew(of(1), of(2), least)).toBe(
      'There is 1 run of the base and 2 of the candidate; with fewer than 5 a side the scatter of runs is unknown. At least 4 more on each are needed.',
    );
    expect(tooFew(of(3), of(1), least)).toBe(
      'There are 3 runs of the base and 1 of the candidate; with fewer than 5 a side the scatter of runs is unknown. At least 4 more on each are needed.',
    );
  });
});

const shift = (name: string, verdict: ComparisonVerdict, low: number, high: number) =>
  ({
    name,
    verdict,
    low,
    high,
    shiftPercent: (low + high) / 2,
    base: 1,
    candidate: 1,
  }) satisfies Shift & { name: string };

describe('conclude', () => {
  const settings = { marginPercent: 5, confidence: 0.95, correction: 'Bonferroni', paired: false };
  const end = (...shifts: ReturnType<typeof shift>[]) =>
    conclude(shifts, settings, { of: 'quantile', runs: 6 });

  const worse = shift('p50', 'worse', 8, 12.34);
  const better = shift('p90', 'better', -12, -8);
  const same = shift('p99', 'equivalent', -1, 1);
  const open = shift('p95', 'inconclusive', -10, 10);

  it('is worse if one shift is, and names those only', () => {
    expect(end(better, worse, open, same)).toEqual({
      verdict: 'worse',
      reason: 'Slower beyond the margin of 5 % (95 % confidence, Bonferroni): p50 +8.0 to +12.3 %.',
      runsNeeded: null,
    });
  });

  it('shows the end of the scale as such', () => {
    expect(end(shift('p50', 'worse', 8, 900)).reason).toContain('p50 +8.0 to more than +900 %');
  });

  it('is better if one shift is, and no other is open', () => {
    expect(end(better, same)).toEqual({
      verdict: 'better',
      reason: 'Faster beyond the margin of 5 % (95 % confidence, Bonferroni): p90 -12.0 to -8.0 %.',
      runsNeeded: null,
    });
    expect(end(better, open).verdict).toBe('inconclusive');
  });

  it('is equivalent if every shift is', () => {
    expect(end(same, same)).toEqual({
      verdict: 'equivalent',
      reason: 'Every quantile lies within the margin of 5 % (95 % confidence, Bonferroni).',
      runsNeeded: null,
    });
  });

  it('says how many runs would decide', () => {
    expect(end(same, open)).toEqual({
      verdict: 'inconclusive',
      reason:
        'The runs scatter too much for a margin of 5 % (95 % confidence, Bonferroni): p95 -10.0 to +10.0 %. About 24 runs a side would do: 18 more on each.',
      runsNeeded: 24,
    });
  });

  it.each([
    // Four times as many runs halve an interval; it must become as narrow as the room to the margin.
    ['around no shift', -10, 10, 24],
    ['around a shift beyond the margin', 0, 30, 14],
    ['around a shift that is faster', -30, 0, 14],
    ['around the margin, by a quarter of it', -5, 15, 384],
    ['narrow already', -1, 1, 7],
    ['hopeless', -200, 200, 1000],
  ])('counts the runs of an interval that is %s', (_case, low, high, runsNeeded) => {
    expect(end(shift('p50', 'inconclusive', low, high)).runsNeeded).toBe(runsNeeded);
  });

  it('counts the runs of the shift that needs most', () => {
    const wide = shift('p99', 'inconclusive', -20, 20);
    expect(end(open, wide, same).runsNeeded).toBe(96);
  });

  it('advises longer runs where more of them would not help', () => {
    const { reason, runsNeeded } = end(shift('p50', 'inconclusive', -200, 200));
    expect(runsNeeded).toBe(1000);
    expect(reason).toContain(
      'It would take 1000 runs a side or more: make the runs longer instead',
    );
    expect(reason).not.toContain('would do');
  });

  it('names five shifts and counts the rest', () => {
    const named = (count: number): string =>
      end(...Array.from({ length: count }, (_, index) => shift(`step ${index}`, 'worse', 8, 9)))
        .reason;
    expect(named(5)).toMatch(/: (step \d \+8\.0 to \+9\.0 %(, )?){5}\.$/);
    expect(named(7)).toMatch(/: (step \d \+8\.0 to \+9\.0 %, ){5}2 more\.$/);
  });
});
