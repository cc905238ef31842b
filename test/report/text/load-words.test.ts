import { expect, test } from 'vitest';
import type { SeriesPoint, StageResult } from '../../../src/documents/load.ts';
import { toConsole, toHtml } from '../../../src/report/index.ts';
import { worstSecondWords } from '../../../src/report/text/load-words.ts';
import { loadSample } from '../samples/load-sample.ts';

const second = (t: number, rate: number, plannedRate?: number): SeriesPoint => ({
  t,
  rate,
  p50: 1,
  p99: 2,
  max: 3,
  failed: 0,
  ...(plannedRate !== undefined && { plannedRate }),
});

test('the second that fell furthest below its plan is told', () => {
  const series = [second(0, 100, 100), second(1, 292, 600), second(2, 160, 200)];
  expect(worstSecondWords({ series })).toBe('worst second 48.7 % of 600/s, at 1 s');
});

test.each<[string, SeriesPoint[]]>([
  ['kept near their plan', [second(0, 100, 100), second(1, 95, 100)]],
  ['have late answers only', [second(0, 100, 100), { ...second(1, 2, 100), drained: true }]],
  ['have no plan', [second(0, 5)]],
  ['were to send nothing', [second(0, 0, 0)]],
])('no second is told where all %s', (_name, series) => {
  expect(worstSecondWords({ series })).toBeNull();
});

test('a rate over stages is a mean, and stands beside the worst second', () => {
  const sample = loadSample(20);
  const one: StageResult = {
    stage: 1,
    startS: 0,
    fromRate: 100,
    toRate: 100,
    durationS: 10,
    planned: 1000,
    ok: 1000,
    failed: 0,
    latencyUs: sample.latencyUs,
  };
  const series = [second(0, 100, 100), second(1, 292, 600)];
  const document = { ...sample, series, stages: [one, one] };
  const words = 'the mean of 2 stages, worst second 48.7 % of 600/s, at 1 s';
  expect(toConsole(document, { color: false })).toContain(words);
  expect(toHtml([document])).toContain(words);
});
