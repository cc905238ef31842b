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
