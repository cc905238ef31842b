import { describe, expect, it } from 'vitest';
import { reasonOf } from '../../../src/load/find-max/find-max.ts';
import type { SearchResult } from '../../../src/load/find-max/search.ts';

type Trial = Parameters<typeof reasonOf>[1][number];

const trial = (rate: number, valid: boolean): Trial => ({
  rate,
  valid,
  reason: valid ? 'All thresholds held.' : 'It got no core.',
});

const disturbed = (search: Partial<SearchResult>, ...trials: readonly Trial[]): string =>
  reasonOf({ low: 0, high: null, limitedAt: null, ending: 'machine-disturbed', ...search }, trials);

describe('a search that the machine ended', () => {
  it('names the rate that could not be measured', () => {
    const reason = disturbed({ low: 100, limitedAt: 200 }, trial(200, false), trial(100, true));
    expect(reason).toContain('holds at 100/s, and 200/s could not be measured. It got no core.');
    expect(reason).toContain('1 of 2 trials were not valid');
  });

  it('says so where a rate that had held was lost', () => {
    const trials = [trial(100, true), trial(200, false), trial(100, false)];
    expect(disturbed({ low: 100, limitedAt: 200 }, ...trials)).toContain(
      'even 100/s, where the objective had held, could not be measured any more',
    );
    expect(disturbed({ low: 100 }, trial(100, true))).toContain('even 100/s');
  });

  it('says so where nothing could be measured', () => {
    expect(disturbed({ limitedAt: 50 }, trial(50, false))).toContain('no rate could be measured');
  });
});
