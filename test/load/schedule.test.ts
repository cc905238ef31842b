import { describe, expect, it } from 'vitest';
import {
  countPlanned,
  parseStages,
  Schedule,
  type Stage,
  totalMs,
  totalRequests,
} from '../../src/load/plan.ts';
import fc from '../support/property.ts';

const steady = (rate: number, durationMs: number): Stage => ({
  fromRate: rate,
  toRate: rate,
  durationMs,
});

function planned(
  stages: readonly Stage[],
  arrivals: 'constant' | 'poisson' = 'constant',
  generator = 0,
  generators = 1,
): { timeNs: number; slot: number }[] {
  const schedule = new Schedule({ stages, arrivals, seed: 7 }, { generator, generators });
  const slots = [];
  for (;;) {
    const timeNs = schedule.nextNs();
    if (timeNs === Number.POSITIVE_INFINITY) return slots;
    slots.push({ timeNs, slot: schedule.slot });
  }
}

describe('Schedule', () => {
  it('plans constant arrivals without drift, rate times duration of them', () => {
    const slots = planned([steady(3000, 2000)]);
    expect(slots).toHaveLength(6000);
    expect(slots[0]?.timeNs).toBe(0);
    expect(slots[5999]?.timeNs).toBeCloseTo((5999 / 3000) * 1e9, 3);
  });

  it('names the slot that it returned last, and none before the first', () => {
    const share = { generator: 1, generators: 3 };
    const stages = [steady(10, 1000)];
    const schedule = new Schedule({ stages, arrivals: 'constant', seed: 7 }, share);
    expect(schedule.slot).toBe(-1);
    expect([schedule.nextNs(), schedule.slot]).toEqual([1e8, 1]);
    expect([schedule.nextNs(), schedule.slot]).toEqual([4e8, 4]);
  });

  it('plans the requests of each stage in order, each within its stage', () => {
    const slots = planned(parseStages('100/1s,500/2s,0-200/1s,200-0/1s'));
    expect(slots).toHaveLength(100 + 1000 + 100 + 100);
    const within = (fromS: number, toS: number): number =>
      slots.filter(({ timeNs }) => timeNs >= fromS * 1e9 && timeNs < toS * 1e9).length;
    expect([within(0, 1), within(1, 3), within(3, 4), within(4, 5)]).toEqual([100, 1000, 100, 100]);
    expect(within(3, 3.5)).toBe(25);
    expect(within(4, 4.5)).toBe(75);
  });

  it('skips a stage without requests', () => {
    const slots = planned(parseStages('10/1s,0/1s,10/1s'));
    expect(slots.filter(({ timeNs }) => timeNs >= 1e9 && timeNs < 2e9)).toHaveLength(0);
    expect(slots).toHaveLength(20);
  });

  it.each(['constant', 'poisson'] as const)(
    'shares %s slots among generators, none twice',
    { tags: ['long'] },
    (arrivals) => {
      const stage = fc.record({
        fromRate: fc.integer({ min: 0, max: 300 }),
        toRate: fc.integer({ min: 0, max: 300 }),
        durationMs: fc.integer({ min: 1, max: 3000 }),
      });
      fc.assert(
        fc.property(
          fc.array(stage, { minLength: 1, maxLength: 4 }),
          fc.integer({ min: 1, max: 5 }),
          (stages, generators) => {
            const parts = Array.from({ length: generators }, (_, generator) =>
              planned(stages, arrivals, generator, generators),
            );
            const merged = parts.flat().sort((a, b) => a.slot - b.slot);
            expect(merged).toEqual(planned(stages, arrivals));
            expect(merged.map(({ slot }) => slot)).toEqual(merged.map((_, index) => index));
            const times = merged.map(({ timeNs }) => timeNs);
            expect(times).toEqual([...times].sort((a, b) => a - b));
            for (const time of times) expect(time).toBeLessThanOrEqual(totalMs(stages) * 1e6 + 1);
            const error = Math.abs(times.length - totalRequests(stages));
            if (arrivals === 'constant') expect(error).toBeLessThanOrEqual(1);
          },
        ),
      );
    },
  );

  it('plans Poisson arrivals like those of independent callers', () => {
    const slots = planned([steady(1000, 60_000)], 'poisson');
    expect(slots[0]?.timeNs).toBeGreaterThan(0);
    const gapsMs = slots.slice(1).map(({ timeNs }, i) => (timeNs - (slots[i]?.timeNs ?? 0)) / 1e6);
    const mean = gapsMs.reduce((sum, gap) => sum + gap, 0) / gapsMs.length;
    const variance = gapsMs.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gapsMs.length;
    expect(Math.abs(slots.length - 60_000)).toBeLessThan(4 * Math.sqrt(60_000));
    expect(mean).toBeCloseTo(1, 1);
    expect(variance).toBeCloseTo(1, 1);
    const longerThanMean = gapsMs.filter((gap) => gap > 1).length / gapsMs.length;
    expect(longerThanMean).toBeCloseTo(Math.exp(-1), 2);
  });
});

describe('countPlanned', () => {
  it("counts a generator's slots from the end of the warm-up up to a time, which is not included", () => {
    const plan = {
      stages: [steady(10, 1000), steady(10, 1000)],
      arrivals: 'constant' as const,
      seed: 7,
      warmupMs: 1000,
      generators: 2,
    };
    const counts = (generator: number): number[] =>
      [0, 1, 500, 2000].map((measuredMs) => countPlanned(plan, generator, measuredMs));
    expect(counts(0)).toEqual([0, 1, 3, 5]);
    expect(counts(1)).toEqual([0, 0, 2, 5]);
  });
});

describe('parseStages', () => {
  it('reads rates, ramps and durations', () => {
    expect(parseStages('1000/10s, 0-5000/1m')).toEqual([
      steady(1000, 10_000),
      { fromRate: 0, toRate: 5000, durationMs: 60_000 },
    ]);
  });

  it.each([
    '',
    '1000',
    '1000/',
    '/10s',
    'x/10s',
    '1000/10s,,',
    '1000/0s',
    '0/10s',
    '-5/10s',
    '5/10x',
  ])('refuses "%s" and says where', (text) => {
    expect(() => parseStages(text)).toThrow(/^stages/);
  });
});
