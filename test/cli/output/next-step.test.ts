import { expect, test } from 'vitest';
import { nextOfLoad } from '../../../src/cli/output/next-step.ts';
import type { LoadDocument, ThresholdResult } from '../../../src/documents/load.ts';
import type { LoadFlags } from '../../../src/load/index.ts';
import {
  comparisonSample,
  findMaxSample,
  loadSample,
  loadSetSample,
} from '../../report/samples/load-sample.ts';

const threshold = (expression: string, held: boolean, more: object = {}): ThresholdResult => ({
  expression,
  metric: expression.split(/[<>]/)[0] ?? '',
  unit: 'us',
  comparison: '<',
  bound: 1,
  observed: 1,
  held,
  ...more,
});

const nextOf = (outcome: Parameters<typeof nextOfLoad>[0], flags: LoadFlags): string | undefined =>
  nextOfLoad(outcome, flags, { cwd: '/here' }).next?.command;

const FLAGS: LoadFlags = { target: 'my.yaml', rate: 50, threshold: ['p99<2ms'], out: 'folder' };

const run = (changes: Partial<LoadDocument>): LoadDocument =>
  loadSample(5, { thresholds: [threshold('p99<2ms', true)], verdict: 'held', ...changes });

test('a run that shows nothing is run again, into a folder of its own', () => {
  const again = "fareproof load --target my.yaml --rate 50 --threshold 'p99<2ms'";
  expect(nextOf(run({ verdict: 'invalid' }), FLAGS)).toBe(again);
  expect(nextOf(run({ verdict: 'invalid' }), { ...FLAGS, part: '1/2' })).toBeUndefined();
});

test('a run in which requests fail leads to a check', () => {
  const check = 'fareproof check --target my.yaml --suite smoke';
  const missed = run({ thresholds: [threshold('errors<1%', false)] });
  expect(nextOf(missed, FLAGS)).toBe(check);
  const slowed = threshold('p99<2ms', false, { shortByFailures: true });
  expect(nextOf(run({ thresholds: [slowed] }), FLAGS)).toBe(check);
  const { achieved } = run({});
  expect(nextOf(run({ achieved: { ...achieved, ok: 0 } }), FLAGS)).toBe(check);
});

test('any other run leads to a search with its own bounds on requests', () => {
  const thresholds = [
    threshold('p99<2ms', false),
    threshold('rate>40', true),
    threshold('p99{stage:2}<3ms', true, { stage: 2 }),
    threshold('errors<1%', true),
  ];
  const search = "fareproof load --target my.yaml --rate 50 --find-max 'p99<2ms,errors<1%'";
  expect(nextOf(run({ thresholds }), FLAGS)).toBe(search);
  const staged: LoadFlags = { target: 'my.yaml', stages: '10/1s', engine: 'native' };
  expect(nextOf(run({ thresholds: [] }), staged)).toBe(
    "fareproof load --target my.yaml --find-max 'errors<1%'",
  );
});

test('of several runs, the worst decides', () => {
  const [first] = loadSetSample().runs;
  const runs = [run({}), run({ verdict: 'invalid' }), first!];
  expect(nextOf({ ...loadSetSample(), runs: runs.slice(0, 2) }, FLAGS)).toContain('--threshold');
  expect(nextOf({ ...loadSetSample(), runs: [run({})] }, FLAGS)).toContain('--find-max');
});

test('a search leads to a run at what it found, and else to another search', () => {
  const flags: LoadFlags = { findMax: 'p99<2ms,errors<1%', rate: 10 };
  const found = findMaxSample({ objective: 'p99<2ms,errors<1%', verdict: 'found' });
  expect(nextOf(found as never, flags)).toBe(
    "fareproof load --rate 7750 --threshold 'p99<2ms' --threshold 'errors<1%'",
  );
  const lost = { ...found, verdict: 'machine-disturbed' };
  expect(nextOf(lost as never, flags)).toBe(
    "fareproof load --rate 10 --find-max 'p99<2ms,errors<1%'",
  );
  const none = { ...found, verdict: 'nothing-held', interval: { low: 0, high: 10 } };
  const lowest = Math.min(...found.trials.map(({ rate }) => rate));
  expect(nextOf(none as never, flags)).toContain(`--rate ${lowest} `);
});

test('a comparison asks for the pairs that would decide it, else shows both sides', () => {
  const flags: LoadFlags = { target: 'new.yaml', against: 'old.yaml', out: 'folder' };
  const open = { ...comparisonSample(), runsNeeded: 24 };
  expect(nextOf(open as never, flags)).toBe(
    'fareproof load --target new.yaml --runs 24 --against old.yaml',
  );
  const [a, b] = [open.runs.a[0]!.name, open.runs.b[0]!.name];
  expect(nextOf({ ...open, runsNeeded: null } as never, flags)).toBe(
    `fareproof report folder/${a} folder/${b} --out side-by-side.html`,
  );
});
