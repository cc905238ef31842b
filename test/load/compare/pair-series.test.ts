import { describe, expect, it } from 'vitest';
import { type PairedRun, type PairSeries, runInPairs } from '../../../src/load/compare/pairs.ts';

const VALID: PairedRun = {
  verdict: 'held',
  model: 'open',
  reason: 'All thresholds held.',
  target: { name: 'ours', baseUrl: 'http://127.0.0.1:1', environment: 'test' },
  achieved: { rate: 9, planned: 9, sent: 9, ok: 9, failed: 0, checked: 0 },
  errors: {},
};

const LATE: PairedRun = {
  ...VALID,
  verdict: 'invalid',
  reason: 'Send lag p99 was 9 ms. Give the generator more worker threads.',
};

const UNREACHABLE: PairedRun = {
  ...LATE,
  achieved: { rate: 0, planned: 9, sent: 0, ok: 0, failed: 9, checked: 0 },
  errors: { connect: 9 },
};

/** Runs pairs, one answer of `outcome` for each run; the labels are those of the runs. */
async function runPairsOf(
  pairs: number,
  outcome: (label: string) => PairedRun,
  signal?: AbortSignal,
) {
  const labels: string[] = [];
  const seeds: string[] = [];
  const run: PairSeries<PairedRun>['run'] = async (side, index, label) => {
    labels.push(label);
    seeds.push(`${side} ${index}`);
    return outcome(label);
  };
  const ran = await runInPairs({ pairs, run, recoveryMs: 0, signal });
  return { ...ran, labels, seeds };
}

describe('runInPairs', () => {
  it('interleaves the sides (ABBA)', async () => {
    const { pairs, labels, seeds, repeated } = await runPairsOf(3, () => VALID);
    expect(labels).toEqual([
      'pair 1 of 3, base',
      'pair 1 of 3, candidate',
      'pair 2 of 3, candidate',
      'pair 2 of 3, base',
      'pair 3 of 3, base',
      'pair 3 of 3, candidate',
    ]);
    expect(seeds).toEqual([
      'base 0',
      'candidate 0',
      'candidate 1',
      'base 1',
      'base 2',
      'candidate 2',
    ]);
    expect(pairs).toHaveLength(3);
    expect(repeated).toEqual([]);
  });

  it('runs both sides of a pair with an invalid run again, and counts the second pair', async () => {
    const { pairs, labels, seeds, repeated } = await runPairsOf(2, (label) =>
      label === 'pair 1 of 2, candidate' ? LATE : VALID,
    );
    expect(labels.slice(1, 5)).toEqual([
      'pair 1 of 2, candidate',
      'pair 1 of 2 again, base',
      'pair 1 of 2 again, candidate',
      'pair 2 of 2, candidate',
    ]);
    expect(seeds.slice(2, 4)).toEqual(['base 0', 'candidate 0']);
    expect(pairs).toEqual([
      { base: VALID, candidate: VALID },
      { base: VALID, candidate: VALID },
    ]);
    expect(repeated).toEqual([{ pair: 1, side: 'candidate', reason: 'Send lag p99 was 9 ms.' }]);
  });

  it('keeps a pair whose generators were late, on one side or both', async () => {
    const late: PairedRun = { ...LATE, invalidBy: 'lateness' };
    const { pairs, repeated } = await runPairsOf(2, (label) =>
      label === 'pair 2 of 2, base' ? VALID : late,
    );
    expect(pairs).toEqual([
      { base: late, candidate: late },
      { base: VALID, candidate: late },
    ]);
    expect(repeated).toEqual([]);
  });

  it.each([
    [1, 1],
    [4, 2],
    [5, 3],
  ])('of %i pairs runs %i again, and ends with the next invalid one', async (pairs, repeats) => {
    const ran = await runPairsOf(pairs, (label) => (label.endsWith('base') ? LATE : VALID));
    expect(ran.labels).toHaveLength(2 * (repeats + 1));
    expect(ran.pairs).toEqual([{ base: LATE, candidate: VALID }]);
    expect(ran.repeated).toHaveLength(repeats);
  });

  it('names both runs of a pair that was invalid on both sides', async () => {
    const { repeated } = await runPairsOf(2, (label) =>
      label.startsWith('pair 2 of 2,') ? LATE : VALID,
    );
    expect(repeated).toMatchObject([
      { pair: 2, side: 'base' },
      { pair: 2, side: 'candidate' },
    ]);
  });

  it.each([
    ['no request', UNREACHABLE],
    ['no token', { ...LATE, achieved: { ...UNREACHABLE.achieved, planned: 0, failed: 0 } }],
  ])('ends at a target that gets %s', async (_what, outcome) => {
    const { pairs, labels, repeated } = await runPairsOf(9, (label) =>
      label.endsWith('candidate') ? outcome : VALID,
    );
    expect(labels).toHaveLength(2);
    expect(pairs).toEqual([{ base: VALID, candidate: outcome }]);
    expect(repeated).toEqual([]);
  });

  it('ends at a target that is there for neither run, or only for a late one', async () => {
    for (const other of [LATE, UNREACHABLE]) {
      const { pairs, labels } = await runPairsOf(9, (label) =>
        label.endsWith('candidate') ? UNREACHABLE : other,
      );
      expect(labels).toHaveLength(2);
      expect(pairs).toEqual([{ base: other, candidate: UNREACHABLE }]);
    }
  });

  it.each([
    ['between its runs', 'candidate', false, 3],
    ['during its first run', 'candidate', true, 3],
    ['during its second run', 'base', true, 4],
  ] as const)(
    'leaves out the pair that an interruption cut, %s',
    async (_when, side, interrupted, runs) => {
      const interrupt = new AbortController();
      const { pairs, labels } = await runPairsOf(
        9,
        (label) => {
          if (label !== `pair 2 of 9, ${side}`) return VALID;
          if (!interrupted) interrupt.abort();
          return { ...VALID, interrupted };
        },
        interrupt.signal,
      );
      expect(labels).toHaveLength(runs);
      expect(pairs).toHaveLength(1);
    },
  );
});
