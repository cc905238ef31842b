import { expect, test } from 'vitest';
import type { SeriesPoint, ThresholdTerms } from '../../../src/documents/load.ts';
import { LOAD_CHARTS, timeFigures } from '../../../src/report/html/charts/time-charts.ts';
import { loadSample } from '../samples/load-sample.ts';

const P99: ThresholdTerms = {
  expression: 'p99<20ms',
  metric: 'p99',
  unit: 'us',
  comparison: '<',
  bound: 20_000,
};

/** Seconds of a run in which all was well, and what was otherwise in some. */
function points(changes: Readonly<Record<number, Partial<SeriesPoint>>>): SeriesPoint[] {
  return loadSample(10).series.map((point, t) => ({
    ...point,
    t,
    rate: 1000,
    plannedRate: 1000,
    sent: 1000,
    ready: 1000,
    p99: 4000,
    failed: 0,
    ...changes[t],
  }));
}

const dataOf = (series: SeriesPoint[], thresholds: ThresholdTerms[] = [P99]) =>
  timeFigures(LOAD_CHARTS, 'run', series, { thresholds }).map(({ data }) => data);

test('seconds that missed a bound are spans of every chart', () => {
  const slow = { p99: 20_000 };
  const charts = dataOf(points({ 2: slow, 3: slow, 9: slow }));
  const spans = [
    [2, 4],
    [9, 10],
  ];
  expect(charts.map(({ missed }) => missed)).toEqual(charts.map(() => spans));
  const [{ missed } = {}] = dataOf(points({ 2: slow }), [{ ...P99, comparison: '<=' }]);
  expect(missed).toEqual([]);
});

test('a rate is missed only in seconds that planned as much', () => {
  const bound = {
    ...P99,
    metric: 'rate',
    unit: 'requests/s',
    comparison: '>',
    bound: 900,
  } as const;
  const few = { rate: 500 };
  const [{ missed, limits } = {}] = dataOf(points({ 1: few, 5: { ...few, plannedRate: 500 } }), [
    bound,
  ]);
  expect(missed).toEqual([[1, 2]]);
  expect(limits).toEqual([{ label: bound.expression, value: 900 }]);
});

test('seconds in which the generator was off its plan are late, a single request is not', () => {
  const of = (change: Partial<SeriesPoint>) => dataOf(points({ 4: change }))[0]?.late;
  expect(of({ sent: 940 })).toEqual([[4, 5]]);
  expect(of({ sent: 1060 })).toEqual([[4, 5]]);
  expect(of({ sent: 960 })).toEqual([]);
  expect(of({ sent: 7, ready: 10 })).toEqual([]);
  const starved = { cpu: 1, eventLoopUtilization: 0.2, sendLagP99Us: null, coreWait: 0.06 };
  const closed = points({ 4: { generator: starved } }).map((point) => ({
    ...point,
    plannedRate: undefined,
  }));
  expect(dataOf(closed)[0]?.late).toEqual([[4, 5]]);
});

test('the charts of a group have one axis, under the last with data, and none has bars of nothing', () => {
  const charts = dataOf(points({}).map((point) => ({ ...point, generator: undefined })));
  const drawn = charts.filter(({ series }) => series.length > 0);
  expect(drawn.map(({ id }) => id)).toEqual(['run-rate', 'run-latency']);
  expect(drawn.map(({ isAxisBelow }) => isAxisBelow)).toEqual([true, false]);
  const failing = dataOf(points({ 3: { failed: 1 } }));
  expect(failing.find(({ id }) => id === 'run-failed')?.series).toHaveLength(1);
});
