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
  it('says what held at least, and that nothing above could be measured', () => {
    const reason = disturbed({ low: 100, limitedAt: 200 }, trial(200, false), trial(100, true));
    expect(reason).toMatch(
      /^100\/s or more held; nothing above could be measured here, because .*\. It got no core\./,
    );
    expect(reason).toContain('1 of 2 trials were not valid');
    const between = disturbed({ low: 100, high: 400, limitedAt: 200 }, trial(100, true));
    expect(between).toMatch(/^100\/s held and 400\/s did not; nothing between could be measured/);
  });

  it('says so where a rate that had held was lost', () => {
    const trials = [trial(100, true), trial(200, false), trial(100, false)];
    const words = '100/s or more held; later not even 100/s could be measured here, because';
    expect(disturbed({ low: 100, limitedAt: 200 }, ...trials)).toContain(words);
    expect(disturbed({ low: 100 }, trial(100, true))).toContain(words);
  });

  it('says so where nothing could be measured', () => {
    const reason = disturbed({ limitedAt: 50 }, trial(50, false));
    expect(reason).toMatch(/^No rate could be measured here, because /);
    expect(reason).not.toContain('0/s or more');
    expect(disturbed({ ending: 'interrupted' })).toBe(
      'No rate could be measured, because the search was interrupted.',
    );
    expect(disturbed({ low: 100, ending: 'interrupted' })).toBe('The search was interrupted.');
  });

  it('gives the best bounds of a search whose time was over', () => {
    const ending = 'not-settled';
    expect(disturbed({ low: 100, high: 200, ending })).toMatch(
      /^100\/s held and 200\/s did not; the/,
    );
    expect(disturbed({ low: 100, ending })).toMatch(/^100\/s or more held; the search had to end/);
  });

  it('says so where an interrupted search measured nothing', () => {
    const none = 'No rate could be measured, because the search was interrupted.';
    expect(disturbed({ ending: 'interrupted' })).toBe(none);
    expect(disturbed({ ending: 'interrupted', low: 100 })).toBe('The search was interrupted.');
  });
});
