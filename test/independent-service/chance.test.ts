import { describe, expect, it } from 'vitest';
import { Chance } from './chance.ts';

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed - 100);

const fifths = (chance: Chance, count: number): boolean[] =>
  Array.from({ length: count }, () => chance.isFifth());

const trues = (all: readonly boolean[]): number => all.filter(Boolean).length;

/** Longest run without a true. */
const longestGap = (all: readonly boolean[]): number =>
  Math.max(
    ...all
      .map(Number)
      .join('')
      .split('1')
      .map((gap) => gap.length),
  );

describe('chance with a seed', () => {
  it('is the same for the same seed, and another for the next one', () => {
    const draws = (seed: number): number[] => {
      const chance = new Chance(seed);
      return Array.from({ length: 5 }, () => chance.draw());
    };
    expect(draws(3)).toEqual(draws(3));
    expect(new Set(SEEDS.flatMap(draws)).size).toBe(1000);
    expect(Math.min(...SEEDS.flatMap(draws))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...SEEDS.flatMap(draws))).toBeLessThan(1);
  });

  it('spread, chooses one of each five calls, at any place', () => {
    const places = new Set<number>();
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      for (let block = 0; block < 4; block++) {
        const five = fifths(chance, 5);
        expect(trues(five)).toBe(1);
        places.add(five.indexOf(true));
      }
    }
    expect(places.size).toBe(5);
  });

  it('drawn, chooses each call by itself', () => {
    const all = SEEDS.map((seed) => fifths(new Chance(seed, 'drawn'), 100));
    expect(trues(all.flat()) / 20_000).toBeCloseTo(0.2, 1);
    expect(Math.max(...all.map(longestGap))).toBeGreaterThan(20);
  });
});
