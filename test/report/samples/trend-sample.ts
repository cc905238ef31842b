import type { RunsSpread, Spread } from '../../../src/documents/load.ts';
import { RULE_VERDICTS, type RuleVerdict } from '../../../src/documents/rule-verdict.ts';
import type { Trend, TrendRun } from '../../../src/report/text/trend.ts';
import { serviceSample } from './conformance-sample.ts';

/** Runs of one build each, four a day; every second one has a page. */
function runsOf(count: number): TrendRun[] {
  return Array.from({ length: count }, (_, at) => ({
    build: `1.${at}`,
    startedAt: new Date(Date.UTC(2026, 0, 1, at * 6)).toISOString(),
    page: at % 2 === 0 ? `run-${at}/report.html` : null,
    tone: at % 7 === 6 ? 'bad' : 'good',
    spread: null,
    verdicts: {},
    words: at % 7 === 6 ? 'Fell short' : 'Held',
  }));
}

/** Loads of that many builds: the third of four is repeated, one in 50 is invalid, and the last three are slower. */
export function loadTrend(count: number): Trend {
  const runs = runsOf(count).map((run, at) => {
    const noise = (of: number): number => 1 + 0.03 * Math.sin(at * of);
    const step = at >= count - 3 && count > 3 ? 1.1 : 1;
    const spread = (median: number): Spread =>
      at % 4 === 2
        ? { median, min: median * 0.96, max: median * 1.05 }
        : { median, min: median, max: median };
    const figures: RunsSpread = {
      runs: at % 4 === 2 ? 5 : 1,
      rate: spread(4990 * noise(1)),
      p50: spread(412 * noise(2)),
      p90: spread(903 * noise(3)),
      p99: spread(3120 * step * noise(4)),
      p99_9: spread(9200 * step * noise(5)),
      failed: spread(at % 11 === 3 ? 0.002 : 0),
    };
    return { ...run, spread: at % 50 === 49 ? null : figures };
  });
  const facts = [
    ['CPU', 'EPYC'],
    ['cores', '2'],
    ['rate', '5000/s'],
  ] as const;
  return { kind: 'load', title: 'Load on staging', facts, runs };
}

/** Checks of that many builds; one rule in ten changes now and then, the first at each run. */
export function ruleTrend(count: number): Trend {
  const { rules } = serviceSample();
  const runs = runsOf(count).map((run, at) => ({
    ...run,
    verdicts: Object.fromEntries(
      rules.map(({ id, verdict }, rule): [string, RuleVerdict] => {
        if (rule === 0) return [id, RULE_VERDICTS[at % 3] ?? verdict];
        const changes = rule % 10 === 0 && Math.floor(at / (5 + rule)) % 2 === 1;
        return [id, changes ? 'fail' : verdict];
      }),
    ),
  }));
  return { kind: 'rules', title: 'Conformance of staging', facts: [['suite', 'full']], runs };
}
