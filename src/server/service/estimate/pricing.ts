import type { Route } from './route.ts';

/** The estimate of a ride. */
export interface Fare {
  /** Fen. */
  readonly priceFen: number;
  readonly timeS: number;
  readonly distanceM: number;
  /** Dynamic-pricing multiplier, rounded to hundredths. */
  readonly dynamic: number;
}

const DAY_S = 86_400;
const EARTH_DIAMETER_M = 12_742_000;
const RADIANS = Math.PI / 180;
/** Length of a road by that of the straight line. */
const ROAD_FACTOR = 1.3;
const FREE_FLOW_M_PER_S = 11;
const TARIFF = {
  'private-car': { baseFen: 1200, fenPerKm: 280, fenPerMinute: 60 },
  'express-car': { baseFen: 800, fenPerKm: 180, fenPerMinute: 40 },
} as const;
const PEAK_HALF_WIDTH_S = 3 * 3600;

/** Prices routes: a pure function of route, departure and seed (interface.md, "What the service does"). */
export class Pricing {
  readonly #morningPeakS: number;
  readonly #eveningPeakS: number;
  readonly #amplitude: number;

  constructor(seed: number) {
    this.#morningPeakS = 8 * 3600 + fraction(seed, 1) * 3600;
    this.#eveningPeakS = 18 * 3600 + fraction(seed, 2) * 3600;
    this.#amplitude = 0.5 + fraction(seed, 3) * 0.4;
  }

  /** The fare of a route for a departure, in Unix seconds. */
  fare(route: Route, departureS: number): Fare {
    const demand = this.#demand(departureS % DAY_S);
    const distanceM = Math.round(lineM(route) * ROAD_FACTOR);
    const timeS = 60 + Math.round((distanceM / FREE_FLOW_M_PER_S) * (1 + demand / 2));
    const dynamic = Math.round(100 * (1 + this.#amplitude * demand)) / 100;
    const { baseFen, fenPerKm, fenPerMinute } = TARIFF[route.productType];
    const meteredFen = baseFen + (fenPerKm * distanceM) / 1000 + (fenPerMinute * timeS) / 60;
    return { priceFen: Math.round(meteredFen * dynamic), timeS, distanceM, dynamic };
  }

  /** Demand from 0 to 1: two peaks a day with linear slopes, which are cheap to compute. */
  #demand(secondOfDay: number): number {
    return Math.max(
      slope(secondOfDay, this.#morningPeakS),
      slope(secondOfDay, this.#eveningPeakS),
      0,
    );
  }
}

function slope(secondOfDay: number, peakS: number): number {
  return 1 - Math.abs(secondOfDay - peakS) / PEAK_HALF_WIDTH_S;
}

/** Great-circle distance, in meters (haversine). */
function lineM({ startLat, startLng, endLat, endLng }: Route): number {
  const north = Math.sin(((endLat - startLat) * RADIANS) / 2);
  const east = Math.sin(((endLng - startLng) * RADIANS) / 2);
  const chord =
    north * north + Math.cos(startLat * RADIANS) * Math.cos(endLat * RADIANS) * east * east;
  return EARTH_DIAMETER_M * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/** A number from 0 up to 1, derived from the seed (the finaliser of MurmurHash3). */
function fraction(seed: number, salt: number): number {
  let mixed = (seed ^ Math.imul(salt, 0x9e3779b9)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}
