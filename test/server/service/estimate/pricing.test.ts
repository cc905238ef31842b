import { expect, it } from 'vitest';
import { Pricing } from '../../../../src/server/service/estimate/pricing.ts';

const ROUTE = {
  startLat: 39.9087,
  startLng: 116.3975,
  endLat: 39.9929,
  endLng: 116.3106,
  productType: 'private-car',
  rideType: 'compact',
  departureS: null,
} as const;
const HOUR_S = 3600;

it('the distance is that of a road: 1.3 of the great circle', () => {
  const meters = (route: Partial<typeof ROUTE> | object): number =>
    new Pricing(1).fare({ ...ROUTE, ...route }, 0).distanceM;
  expect(meters({ endLat: ROUTE.startLat, endLng: ROUTE.startLng })).toBe(0);
  // A degree of a great circle is 111.19 km.
  const equator = { startLat: 0, startLng: 10, endLat: 0, endLng: 11 };
  expect(meters(equator) / 1.3).toBeCloseTo(111_194, -1);
  expect(meters({ ...equator, endLat: 1, endLng: 10 }) / 1.3).toBeCloseTo(111_194, -1);
  const at60 = meters({ startLat: 60, startLng: 10, endLat: 60, endLng: 11 });
  expect(at60 / meters(equator)).toBeCloseTo(0.5, 3);
  expect(meters({ startLat: 90, endLat: -90, endLng: -64 }) / 1.3).toBeCloseTo(
    Math.PI * 6_371_000,
    -3,
  );
  expect(meters({})).toBe(15_520);
});

it('the price is a base, by distance and by time, times the demand', () => {
  const quiet = new Pricing(1).fare(ROUTE, 2 * HOUR_S);
  expect(quiet.dynamic).toBe(1);
  expect(quiet.timeS).toBe(60 + Math.round(quiet.distanceM / 11));
  const { distanceM, timeS } = quiet;
  expect(quiet.priceFen).toBe(Math.round(1200 + (280 * distanceM) / 1000 + timeS));
  const express = new Pricing(1).fare({ ...ROUTE, productType: 'express-car' }, 2 * HOUR_S);
  expect(express).toEqual({
    ...quiet,
    priceFen: Math.round(800 + (180 * distanceM) / 1000 + (40 * timeS) / 60),
  });
});

it('the demand has two peaks a day, each three hours to either side', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const pricing = new Pricing(seed);
    const fares = Array.from({ length: 24 * 60 }, (_, minute) => pricing.fare(ROUTE, minute * 60));
    const busy = fares.flatMap(({ dynamic }, minute) => (dynamic > 1 ? [minute / 60] : []));
    const [morning, evening] = [
      busy.filter((hour) => hour < 13),
      busy.filter((hour) => hour >= 13),
    ];
    for (const [hours, from] of [
      [morning, 8],
      [evening, 18],
    ] as const) {
      const [first, last] = [Math.min(...hours), Math.max(...hours)];
      expect(last - first).toBeCloseTo(6, 0);
      const peak = (first + last) / 2;
      expect(peak).toBeGreaterThanOrEqual(from - 0.05);
      expect(peak).toBeLessThan(from + 1.05);
      const middle = fares[Math.round(peak * 60)]!;
      expect(middle.dynamic).toBeCloseTo(
        Math.max(...hours.map((hour) => fares[Math.round(hour * 60)]!.dynamic)),
        1,
      );
      expect(middle.dynamic).toBeGreaterThanOrEqual(1.49);
      expect(middle.dynamic).toBeLessThan(1.9);
      // At full demand a ride takes half as long again.
      expect(middle.timeS - 60).toBeCloseTo(1.5 * (fares[0]!.timeS - 60), -2);
      expect(middle.priceFen).toBe(
        Math.round((1200 + (280 * middle.distanceM) / 1000 + middle.timeS) * middle.dynamic),
      );
    }
    expect(pricing.fare(ROUTE, 86_400 + 8.5 * HOUR_S)).toEqual(pricing.fare(ROUTE, 8.5 * HOUR_S));
  }
});

it('a seed has the same prices on every machine', () => {
  const pricesAt = (seed: number): number[] =>
    [8, 9, 17, 19].map((hour) => new Pricing(seed).fare(ROUTE, hour * HOUR_S).priceFen);
  expect([1, 2, -1].map(pricesAt)).toEqual([
    [11_661, 10_703, 10_159, 10_430],
    [12_015, 13_009, 9_990, 12_738],
    [13_725, 12_368, 9_860, 13_730],
  ]);
});
