import type { Random } from '../seeded-random.ts';

/** The query of one trip, without its product; values as the query carries them. */
export type RouteQuery = Readonly<Record<string, string>>;

/**
 * Cities of the service's own currency, the larger ones first: name, latitude and longitude of the
 * middle, radius in km that trips start within, and places as riders write them.
 */
const CITIES = [
  ['北京', 39.9042, 116.4074, 18, '国贸 西直门 中关村 望京 北京南站 首都机场T3 三里屯 五道口'],
  ['上海', 31.2304, 121.4737, 18, '人民广场 陆家嘴 徐家汇 虹桥火车站 静安寺 张江高科 外滩 五角场'],
  ['广州', 23.1291, 113.2644, 15, '珠江新城 体育西路 广州南站 北京路 白云机场 琶洲 沙面'],
  ['深圳', 22.5431, 114.0579, 14, '福田口岸 科技园 华强北 深圳北站 南山 世界之窗 罗湖'],
  ['成都', 30.5728, 104.0668, 13, '春熙路 天府广场 宽窄巷子 成都东站 高新区 双流机场'],
  ['杭州', 30.2741, 120.1551, 12, '武林广场 西湖文化广场 杭州东站 滨江 龙翔桥 未来科技城'],
] as const;

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
  const [city, lat, lng, radiusKm, places] = pick(CITIES, random);
  const start = offset({ lat, lng }, random() * 2 * Math.PI, 1000 * radiusKm * Math.sqrt(random()));
  const end = offset(start, random() * 2 * Math.PI, tripLengthM(random));
  const placeName = (): string =>
    `${city}${pick(places.split(' '), random)}${1 + Math.floor(random() * 200)}号`;
  return {
    start_lat: start.lat.toFixed(6),
    start_lng: start.lng.toFixed(6),
    from_name: placeName(),
    end_lat: end.lat.toFixed(6),
    end_lng: end.lng.toFixed(6),
    to_name: placeName(),
  };
}

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

function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T;
}

/** Bounds of the coordinates, in degrees. */
export const COORDINATES: Readonly<Record<string, number>> = {
  start_lat: 90,
  start_lng: 180,
  end_lat: 90,
  end_lng: 180,
};

/** Parameters that every route has. */
export const REQUIRED: readonly string[] = [
  'start_lat',
  'start_lng',
  'from_name',
  'end_lat',
  'end_lng',
  'to_name',
];

/** Checks whether a text is a decimal number within a bound on both sides. */
export function isDegrees(text: string, bound: number): boolean {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text) && Math.abs(Number(text)) <= bound;
}

/** Checks whether a query has every parameter of a route, and coordinates within their bounds. */
export function isWholeRoute(query: Readonly<Record<string, string>>): boolean {
  return (
    REQUIRED.every((name) => (query[name] ?? '') !== '') &&
    Object.entries(COORDINATES).every(([name, bound]) => isDegrees(query[name] ?? '', bound))
  );
}
