import { describe, expect, it } from 'vitest';
import { RULE_VERDICTS } from '../../src/documents/rule-verdict.ts';
import { trendToHtml, trendToMarkdown } from '../../src/report/index.ts';
import { figureTrends, ruleHistories, sparkline } from '../../src/report/text/trend.ts';
import { HOSTILE_TEXTS } from './samples/hostile-text.ts';
import { loadTrend, ruleTrend } from './samples/trend-sample.ts';

const MOST_BYTES = 1.5e6;

describe('trendToHtml', () => {
  it('is small with 500 runs, however often rules change', () => {
    expect(trendToHtml([loadTrend(500), ruleTrend(500)]).length).toBeLessThan(MOST_BYTES);
    const { runs, ...trend } = ruleTrend(500);
    const restless = runs.map((run, at) => ({
      ...run,
      page: `history/20260101T000000Z-0123456789abcdef/${at}/report.html`,
      verdicts: Object.fromEntries(
        Object.keys(run.verdicts).map((id, rule) => [id, RULE_VERDICTS[(at + rule) % 3] ?? 'pass']),
      ),
    }));
    expect(trendToHtml([{ ...trend, runs: restless }]).length).toBeLessThan(MOST_BYTES);
  });

  it.each(HOSTILE_TEXTS)('escapes %j wherever it stands', (text) => {
    const tagsWith = (words: string) => {
      const { runs, ...trend } = loadTrend(2);
      const builds = runs.map((run) => ({ ...run, build: words, words }));
      const facts = [['rate', words]] as const;
      const rules = { ...ruleTrend(2), title: words };
      return trendToHtml([{ ...trend, title: words, facts, runs: builds }, rules]).match(
        /<[a-z!/]+/gi,
      );
    };
    expect(tagsWith(text)).toEqual(tagsWith('x'));
  });

  it('says so where nothing has changed', () => {
    const { runs, ...trend } = ruleTrend(1);
    const verdicts = { 'quota/ban-lifts': 'pass' } as const;
    const page = trendToHtml([{ ...trend, runs: runs.map((run) => ({ ...run, verdicts })) }]);
    expect(page).toContain('No rule has changed, and none is broken.');
    expect(page).toContain('The same in all runs: 1 pass.');
  });
});

describe('figureTrends', () => {
  it('compares the newest with the median of at most ten builds before it', () => {
    const p99 = figureTrends(loadTrend(30)).find(({ name }) => name === 'p99');
    const before =
      p99?.values
        .slice(19, 29)
        .map(Number)
        .sort((a, b) => a - b) ?? [];
    expect(p99?.before).toBe(((before[4] ?? 0) + (before[5] ?? 0)) / 2);
    const [first, second] = [1, 2].map((count) => figureTrends(loadTrend(count))[0]);
    expect(first?.before).toBeNull();
    expect(second?.before).toBe(second?.values[0]);
  });
});

describe('ruleHistories', () => {
  it('joins runs with the same verdict, has the last change first, and counts the others', () => {
    const { runs, ...trend } = ruleTrend(4);
    const verdicts = [
      { a: 'pass', b: 'pass', c: 'fail', x: 'pass', y: 'pass' },
      { a: 'pass', b: 'fail', c: 'fail', x: 'pass', y: 'pass' },
      { a: 'fail', b: 'fail', c: 'fail', x: 'pass', y: 'pass' },
      { a: 'fail', b: 'fail', c: 'fail', x: 'pass', y: 'pass', d: 'pass' },
    ] as const;
    const { shown, steady } = ruleHistories({
      ...trend,
      runs: runs.map((run, at) => ({ ...run, verdicts: verdicts[at] ?? {} })),
    });
    expect(shown.map(({ rule }) => rule)).toEqual(['d', 'a', 'b', 'c']);
    expect(shown[1]?.stretches).toEqual([
      { verdict: 'pass', from: 0, runs: 2 },
      { verdict: 'fail', from: 2, runs: 2 },
    ]);
    expect(shown[0]?.stretches[0]).toEqual({ verdict: null, from: 0, runs: 3 });
    expect(steady).toBe('2 pass');
  });
});

describe('sparkline', () => {
  it.each([
    [[1, 2, 3], '▁▅█'],
    [[5, 5], '▄▄'],
    [[1, null, 8], '▁ █'],
  ])('of %j is %j', (values, bars) => {
    expect(sparkline(values)).toBe(bars);
  });
});

describe('trendToMarkdown', () => {
  it('escapes what could be markup', () => {
    const { runs, ...trend } = loadTrend(2);
    const text = trendToMarkdown([{ ...trend, title: '<b>x</b> | y', runs }]);
    expect(text).not.toContain('<b>');
  });
});
