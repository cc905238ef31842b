import { describe, expect, it } from 'vitest';
import { type MeasurableStep, measureSteps, systemClock } from '../../src/load/index.ts';

/** A step that takes some time: a sum of that many numbers. */
function step(name: string, size: number, isOfEachRequest: boolean): MeasurableStep {
  const numbers = Array.from({ length: size }, (_, index) => index);
  return { name, isOfEachRequest, run: () => numbers.reduce((sum, value) => sum + value, 0) };
}

const QUICK = { clock: systemClock(), durationMs: 2 };

describe('measureSteps', () => {
  it('measures each step, and its share of the whole', async () => {
    const told: string[] = [];
    const result = await measureSteps({
      ...QUICK,
      steps: [
        step('beside', 5, false),
        step('small', 5, true),
        step('large', 20, true),
        step('whole', 2000, false),
      ],
      whole: 'whole',
      onStep: ({ name }) => told.push(name),
    });
    expect(told).toEqual(['beside', 'small', 'large', 'whole']);
    expect(result.kind).toBe('bench');
    expect(result.whole?.name).toBe('whole');
    const names = result.steps.map(({ name }) => name);
    expect(names).toEqual(['small', 'large', 'rest of the request', 'beside']);
    for (const { nsMedian, nsDeviation } of result.steps) {
      expect(nsMedian).toBeGreaterThan(0);
      expect(nsDeviation).toBeGreaterThanOrEqual(0);
    }
    expect(result.steps.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    expect(result.steps.at(-1)).toMatchObject({ name: 'beside', share: 0 });
  });

  it('caps the shares at 1 if the steps take longer than the whole', async () => {
    const { steps } = await measureSteps({
      ...QUICK,
      steps: [step('long', 2000, true), step('whole', 10, false)],
      whole: 'whole',
    });
    expect(steps).toMatchObject([{ name: 'long', share: 1 }]);
  });

  it('ends between two steps when interrupted, and returns what it has', async () => {
    const interrupt = new AbortController();
    const { steps, whole, interrupted } = await measureSteps({
      ...QUICK,
      steps: [step('first', 10, true), step('second', 10, true), step('whole', 20, false)],
      whole: 'whole',
      onStep: () => interrupt.abort(),
      signal: interrupt.signal,
    });
    expect(steps).toMatchObject([{ name: 'first', share: 0 }]);
    expect(whole).toBeNull();
    expect(interrupted).toBe(true);
  });

  it('rethrows what a step throws', async () => {
    const broken = {
      name: 'broken',
      isOfEachRequest: true,
      run: (): never => {
        throw new Error('no such query');
      },
    };
    const measuring = measureSteps({ ...QUICK, steps: [broken], whole: 'broken' });
    await expect(measuring).rejects.toThrow('no such query');
  });
});
