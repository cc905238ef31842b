import type { Shape, Target } from '../contract/target.ts';
import type { TargetClient } from './target-client.ts';

/**
 * A ride within one city that a profile's shapes are laid over. The texts hold nothing that has to
 * be percent-encoded, so that a user's signature is the same over decoded and encoded values.
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
 * Parameters of an estimate that may be left out, each with a value of an ordinary request.
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

/** Names of the parameters that may be left out of an estimate. */
export const OPTIONAL_PARAMETERS = ['imei', 'map_type', 'departure_time'] as const;

/** Name of a parameter that may be left out of an estimate. */
export type OptionalParameter = (typeof OPTIONAL_PARAMETERS)[number];

/** The shape that a plain estimate is asked in: the plainest that the profile brings. */
export function plainestShape(target: Target): Shape | null {
  const order: readonly Shape[] = ['plain', 'express', 'carpoolNoSeats', 'carpoolSeats'];
  return order.find((shape) => target.estimates[shape] !== undefined) ?? null;
}

/**
 * Decoded query of a well-formed estimate, with what the target was seen to demand; a change to
 * undefined leaves a parameter out.
 */
export function estimateQuery(
  { target, clock, demanded }: Pick<TargetClient, 'target' | 'clock' | 'demanded'>,
  changes: Readonly<Record<string, string | undefined>>,
  shape: Shape | null,
): Record<string, string> {
  const optional = optionalParameters(clock.now());
  const all: Record<string, string | undefined> = {
    ...DEFAULT_ROUTE,
    ...Object.fromEntries(demanded.map((name) => [name, optional[name]])),
    ...(shape && target.estimates[shape]),
    ...changes,
  };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
