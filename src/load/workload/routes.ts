import type { Random } from '../seeded-random.ts';
import { CITIES, type City } from './cities.ts';

/** The query of one trip, without its product; values as the query carries them. */
export type RouteQuery = Readonly<Record<string, string>>;

const METERS_PER_DEGREE = 111_320;
const SHORTEST_M = 800;
const LONGEST_M = 45_000;
/** Median and spread of the log-normal length of a trip in a city. */
const MEDIAN_M = 6_200;
const SPREAD = 0.7;

/**
 * A random trip within a city: its start near the middle, its length log-normal as trips are
 * (median 6.2 km, 0.8 to 45 km), its direction any.
 */
export function randomRoute(random: Random): RouteQuery {
  const city = pick(CITIES, random);
  const start = offset(city, random() * 2 * Math.PI, city.radiusM * Math.sqrt(random()));
  const end = offset(start, random() * 2 * Math.PI, tripLengthM(random));
  return {
    start_lat: start.lat.toFixed(6),
    start_lng: start.lng.toFixed(6),
    from_name: placeName(city, random),
    end_lat: end.lat.toFixed(6),
    end_lng: end.lng.toFixed(6),
    to_name: placeName(city, random),
  };
}

/** Straight-line length, meters. */
function tripLengthM(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(LONGEST_M, Math.max(SHORTEST_M, MEDIAN_M * Math.exp(SPREAD * normal)));
}

function offset(
  from: { lat: number; lng: number },
  angle: number,
  meters: number,
): { lat: number; lng: number } {
  const degrees = meters / METERS_PER_DEGREE;
  return {
    lat: from.lat + degrees * Math.sin(angle),
    lng: from.lng + (degrees * Math.cos(angle)) / Math.cos((from.lat * Math.PI) / 180),
  };
}

function placeName(city: City, random: Random): string {
  return `${city.name}${pick(city.places, random)}${1 + Math.floor(random() * 200)}号`;
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T;
}
