import { describe, expect, it } from 'vitest';
import { compareRuns, LEAST_RUNS, type RunSample } from '../../../src/load/compare/compare-runs.ts';

interface Steady {
  us?: number;
  p99?: number;
  failed?: number;
  startS?: number;
  verdict?: RunSample['verdict'];
  more?: Partial<RunSample>;
}

/** Five runs that are all alike, two seconds apart. */
function steady({
  us = 400,
  p99 = us,
  failed = 0,
  startS = 0,
  verdict = 'held',
  more,
}: Steady = {}) {
  return Array.from({ length: 5 }, (_, index): RunSample => {
    return {
      startedAt: new Date((startS + 2 * index) * 1000).toISOString(),
      latencyUs: { response: { p50: us, p90: us, p99 } },
      achieved: { planned: 10_000, ok: 10_000 - failed, failed },
      verdict,
      ...more,
    };
  });
}

const compare = (base: readonly RunSample[], candidate: readonly RunSample[]) =>
  compareRuns({ base, candidate, seed: 1 });

const only = (runs: readonly RunSample[], index: number, over: Partial<RunSample>): RunSample[] =>
  runs.map((run, at) => (at === index ? { ...run, ...over } : run));

describe('compareRuns', () => {
  it('needs five runs a side', () => {
    expect(LEAST_RUNS).toBe(5);
    const four = steady().slice(1);
    expect(compare(steady(), four)).toMatchObject({
      verdict: 'inconclusive',
      quantiles: [],
      runsNeeded: 5,
      reason: expect.stringMatching(/^There are 5 runs of the base and 4 of the candidate; /),
    });
    expect(compare(steady(), steady()).verdict).toBe('equivalent');
  });

  it('states what it was judged by', () => {
    expect(compare(steady(), steady({ startS: 1 }))).toMatchObject({
      marginPercent: 5,
      confidence: 0.95,
      correction: 'Bonferroni over 3 quantiles',
      paired: true,
      runsNeeded: null,
    });
    expect(
      compareRuns({ base: steady(), candidate: steady({ startS: 60 }), marginPercent: 9, seed: 1 }),
    ).toMatchObject({ marginPercent: 9, paired: false });
  });

  it('names the quantiles that decide', () => {
    const { verdict, reason, quantiles } = compare(steady(), steady({ p99: 500 }));
    expect(verdict).toBe('worse');
    expect(reason).toMatch(/^Slower beyond the margin of 5 % .*: p99 \+2\d\.\d to \+2\d\.\d %\.$/);
    expect(quantiles.map(({ q, verdict: of }) => [q, of])).toEqual([
      [0.5, 'equivalent'],
      [0.9, 'equivalent'],
      [0.99, 'worse'],
    ]);
    expect(quantiles[2]).toMatchObject({ shiftPercent: 25, base: 400, candidate: 500 });
  });

  it.each([
    [
      'of the base',
      steady({ verdict: 'invalid' }),
      steady(),
      '5 of 10 runs are invalid. The first: its generator was saturated, or its target was not there. To decide it, run 5 more pairs.',
    ],
    [
      'of the candidate',
      steady(),
      only(steady(), 2, { verdict: 'invalid', reason: 'Agent b was lost.' }),
      '1 of 10 runs is invalid. The first: Agent b was lost. To decide it, run 1 more pair.',
    ],
  ])(
    'says how many runs %s are invalid, and how many more would do',
    (_, base, candidate, reason) => {
      expect(compare(base, candidate)).toMatchObject({
        verdict: 'inconclusive',
        quantiles: [],
        runsNeeded: 5,
        reason,
      });
    },
  );

  it('shows the shifts of the valid pairs beside an invalid one, and decides nothing', () => {
    const eight = (changes = {}) => [...steady(changes), ...steady(changes).slice(0, 3)];
    const slower = only(eight({ p99: 500 }), 2, { verdict: 'invalid', reason: 'Lost.' });
    const { verdict, quantiles, runsNeeded } = compare(eight(), slower);
    expect({ verdict, runsNeeded }).toEqual({ verdict: 'inconclusive', runsNeeded: 8 });
    expect(quantiles[2]).toMatchObject({ q: 0.99, verdict: 'worse', shiftPercent: 25 });
  });

  it('names no number of pairs for a target that is not there', () => {
    const gone = only(steady(), 2, {
      verdict: 'invalid',
      invalidBy: 'unreachable',
      reason: 'TARGET_UNREACHABLE: …',
    });
    const { runsNeeded, reason } = compare(steady(), gone);
    expect({ runsNeeded, reason }).toEqual({
      runsNeeded: null,
      reason: '1 of 10 runs is invalid. The first: TARGET_UNREACHABLE: …',
    });
  });

  describe('of late generators', () => {
    const late = (us: number, p99: number, lagUs: { p50: number; p90: number; p99: number }) =>
      steady({
        us,
        p99,
        verdict: 'invalid',
        more: {
          invalidBy: 'lateness',
          model: 'open',
          generator: { sendLagUs: { ...lagUs, max: 9 * lagUs.p99 } },
        },
      });

    it('widens the margin by the difference in lateness, quantile by quantile', () => {
      const base = late(400, 400, { p50: 12, p90: 20, p99: 60 });
      const candidate = late(500, 470, { p50: 4, p90: 120, p99: 160 });
      const { verdict, quantiles, reason } = compare(base, candidate);
      expect(verdict).toBe('worse');
      expect(quantiles).toMatchObject([
        { q: 0.5, marginPercent: 7, verdict: 'worse', shiftPercent: 25 },
        { q: 0.9, marginPercent: 30, verdict: 'inconclusive', shiftPercent: 25 },
        { q: 0.99, marginPercent: 30, verdict: 'inconclusive', shiftPercent: 17.5 },
      ]);
      expect(reason).toMatch(
        / Generators were late, which widens the margin: p50 7 %, p90 30 %, p99 30 %.$/,
      );
    });

    it('decides nothing by what lateness may explain, and calls only likes equivalent', () => {
      const lag = { p50: 100, p90: 100, p99: 100 };
      const none = { p50: 0, p90: 0, p99: 0 };
      const against = (us: number) => compare(late(400, 400, none), late(us, us, lag)).verdict;
      expect(against(500)).toBe('inconclusive');
      expect(against(560)).toBe('worse');
      expect(against(250)).toBe('better');
      expect(against(404)).toBe('equivalent');
    });

    it('leaves the margin where both were as late, and does not compare the closed model', () => {
      const generator = { sendLagUs: { p50: 90, p90: 90, p99: 90, max: 90 } };
      const healthy = steady({ more: { generator } });
      expect(compare(healthy, healthy).quantiles[0]).not.toHaveProperty('marginPercent');
      const closed = late(400, 400, { p50: 1, p90: 1, p99: 1 }).map((run) => ({
        ...run,
        model: 'closed' as const,
      }));
      expect(compare(closed, closed).reason).toContain('10 of 10 runs are invalid');
    });
  });

  describe('whose response times scatter too much', () => {
    /** Six runs whose p50 and p90 of the response time waver, and whose service time is steady. */
    const wavering = (serviceUs: number, lagUs: number, model: RunSample['model']) =>
      [...steady(), ...steady({ startS: 10 }).slice(4)].map((run, at): RunSample => {
        const us = (at % 2 === 0) === (serviceUs === 400) ? 800 : 1200;
        const service = { p50: serviceUs, p90: serviceUs, p99: serviceUs };
        const sendLagUs = { p50: lagUs, p90: lagUs, p99: lagUs, max: lagUs };
        const response = { p50: us, p90: us, p99: 2000 };
        return { ...run, model, latencyUs: { response, service }, generator: { sendLagUs } };
      });
    const against = (us: number, lagUs: number, model: RunSample['model'] = 'open') =>
      compare(wavering(400, lagUs, model), wavering(us, lagUs, model));
    const shifts = ({ serviceQuantiles }: ReturnType<typeof compare>) =>
      serviceQuantiles?.map(({ q, verdict }) => [q, verdict]);

    it('are worse if service time is, at the quantiles that are not decided', () => {
      const result = against(500, 50);
      expect(result.verdict).toBe('worse');
      expect(result.runsNeeded).toBeNull();
      expect(result.quantiles.map(({ verdict }) => verdict)).toEqual([
        'inconclusive',
        'inconclusive',
        'equivalent',
      ]);
      expect(shifts(result)).toEqual([
        [0.5, 'worse'],
        [0.9, 'worse'],
      ]);
      expect(result.serviceQuantiles?.[0]).toMatchObject({ base: 400, candidate: 500 });
      expect(result.reason).toMatch(
        /^Service time shows p50 worse \(\+2\d\.\d to \+2\d\.\d %\), p90 worse \(.* %\)\. Response time is undecided\. The runs scatter too much /,
      );
    });

    it.each([
      ['better', 300],
      ['equivalent', 404],
    ])('stay undecided where service time is %s', (verdict, us) => {
      const result = against(us, 10);
      expect(result.verdict).toBe('inconclusive');
      expect(result.runsNeeded).toBeGreaterThan(5);
      expect(shifts(result)).toEqual([
        [0.5, verdict],
        [0.9, verdict],
      ]);
      expect(result.reason).toContain(`Service time shows p50 ${verdict} (`);
    });

    it.each([
      ['a send lag above the difference', 110, 'open'],
      ['a closed model', 50, 'closed'],
    ] as const)('are not judged by the service time of %s', (_, lagUs, model) => {
      const result = against(500, lagUs, model);
      expect(result.verdict).toBe('inconclusive');
      expect(result).not.toHaveProperty('serviceQuantiles');
      expect(result.reason).toMatch(/^The runs scatter too much /);
    });

    it('show the service time beside an invalid pair, and decide nothing', () => {
      const slower = wavering(500, 50, 'open');
      const lost = only(slower, 5, { verdict: 'invalid', invalidBy: 'loss', reason: 'Lost.' });
      const result = compare(wavering(400, 50, 'open'), lost);
      expect(result.verdict).toBe('inconclusive');
      expect(shifts(result)).toEqual([
        [0.5, 'worse'],
        [0.9, 'worse'],
      ]);
    });
  });

  it('judges a build as worse that fails more, and shows its times', () => {
    const { verdict, reason, quantiles, runsNeeded } = compare(steady(), steady({ failed: 50 }));
    expect({ verdict, runsNeeded }).toEqual({ verdict: 'worse', runsNeeded: null });
    expect(reason).toBe(
      "0.50 percentage points more of the candidate's requests fail, which chance over the runs does not explain.",
    );
    expect(quantiles).toHaveLength(3);
  });

  it.each([
    ['the base', { failed: 10_000 }, { failed: 10_000 }, 5, 5],
    ['the base only', { failed: 10_000 }, {}, 5, 0],
  ])('compares no times if no request of %s succeeded', (_case, base, candidate, a, b) => {
    const result = compare(steady(base), steady(candidate));
    expect(result).toMatchObject({ verdict: 'inconclusive', quantiles: [], runsNeeded: null });
    expect(result.reason).toBe(
      `No request succeeded in ${a} of 5 runs of the base and ${b} of 5 of the candidate. The speed of failures says nothing; find out why requests fail, and record the runs again.`,
    );
  });

  it('compares every quantile of successes, however many requests failed', () => {
    const { quantiles } = compare(steady({ failed: 5001 }), steady({ failed: 5001 }));
    expect(quantiles).toHaveLength(3);
  });

  it('compares runs that answered within no time that can be measured', () => {
    expect(compare(steady({ us: 0 }), steady({ us: 0 })).quantiles[0]).toMatchObject({
      base: 1,
      candidate: 1,
    });
  });
});

describe('runs that other tools measured', () => {
  /** Runs whose quantiles may be of failures too. */
  const foreign = (changes: Steady = {}) => steady({ ...changes, more: { ofSuccesses: false } });

  it.each([
    [100, [0.5, 0.9, 0.99]],
    [101, [0.5, 0.9]],
    [1000, [0.5, 0.9]],
    [1001, [0.5]],
    [5000, [0.5]],
    [5001, []],
  ])('of runs with %d failures of 10,000 compares %j', (failed, compared) => {
    const { quantiles } = compare(foreign({ failed }), foreign({ failed }));
    expect(quantiles.map(({ q }) => q)).toEqual(compared);
  });

  it('is inconclusive about the quantiles that it leaves out, and says how many failed', () => {
    const { verdict, reason } = compare(foreign({ failed: 1234 }), foreign({ failed: 1234 }));
    expect(verdict).toBe('inconclusive');
    expect(reason).toBe(
      "Not compared: p90, p99, which may be the time of a failure, since up to 12 % of a run's requests failed.",
    );
  });

  it('is worse if a quantile that it compared is, and also says what it left out', () => {
    const { verdict, reason } = compare(
      foreign({ failed: 300 }),
      foreign({ failed: 300, us: 800 }),
    );
    expect(verdict).toBe('worse');
    expect(reason).toMatch(/^Slower beyond .*: p50 \+\d.* %, p90 \+\d.* %\. Not compared: p99, /);
  });

  it('is inconclusive if chance may have brought the failures', () => {
    const unlucky = only(foreign(), 3, { achieved: { planned: 10_000, ok: 9_000, failed: 1_000 } });
    const { verdict, reason, quantiles } = compare(foreign(), unlucky);
    expect(verdict).toBe('inconclusive');
    expect(quantiles.map(({ q }) => q)).toEqual([0.5, 0.9]);
    expect(reason).toBe(
      "2.0 percentage points more of the candidate's requests fail, and it may be chance: not enough of the runs show it. Record more runs. " +
        "Not compared: p99, which may be the time of a failure, since up to 10 % of a run's requests failed.",
    );
  });

  it('show no shift that is finer than their resolution', () => {
    const coarse = steady({ us: 500 }).map((run) => ({ ...run, stepUs: 1000 }));
    expect(compare(steady({ us: 400 }), steady({ us: 500 })).verdict).toBe('worse');
    expect(compare(steady({ us: 400 }), coarse).verdict).toBe('inconclusive');
    expect(compare(coarse, steady({ us: 400 })).verdict).toBe('inconclusive');
  });
});
