import type { Shape, Target } from '../contract/target.ts';

/**
 * Ride within one city, which a profile's shapes are merged into. Its texts need no percent-encoding,
 * so that a user's signature is the same over decoded and encoded values.
 */
const DEFAULT_ROUTE = {
  start_lat: '39.9087',
  start_lng: '116.3975',
  from_name: 'Tiananmen',
  end_lat: '39.9929',
  end_lng: '116.3106',
  to_name: 'Summer-Palace',
  product_type: 'private-car',
  ride_type: 'compact',
} as const;

/**
 * Ordinary values of the optional parameters of an estimate.
 *
 * @param nowMs the target's time
 */
export function optionalParameters(nowMs: number): Record<OptionalParameter, string> {
  return {
    imei: '356938035643809',
    map_type: 'soso',
    departure_time: String(Math.floor(nowMs / 1000) + 3600),
  };
}

/** Optional parameters of an estimate (interface.md, "Estimate prices"). */
export const OPTIONAL_PARAMETERS = ['imei', 'map_type', 'departure_time'] as const;

/** Optional parameter of an estimate. */
export type OptionalParameter = (typeof OPTIONAL_PARAMETERS)[number];

/** Plainest shape of the profile; null where it has none. */
export function plainestShape(target: Target): Shape | null {
  const order: readonly Shape[] = ['plain', 'express', 'carpoolNoSeats', 'carpoolSeats'];
  return order.find((shape) => target.estimates[shape] !== undefined) ?? null;
}

/**
 * Decoded query of a well-formed estimate, with the optional parameters that the target demands; a
 * change to undefined leaves a parameter out.
 *
 * @param shape null for the default route
 */
export function estimateQuery(
  request: {
    readonly target: Target;
    /** The target's time. */
    readonly nowMs: number;
    readonly demanded: readonly OptionalParameter[];
  },
  changes: Readonly<Record<string, string | undefined>>,
  shape: Shape | null,
): Record<string, string> {
  const optional = optionalParameters(request.nowMs);
  const all: Record<string, string | undefined> = {
    ...DEFAULT_ROUTE,
    ...Object.fromEntries(request.demanded.map((name) => [name, optional[name]])),
    ...(shape && request.target.estimates[shape]),
    ...changes,
  };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
