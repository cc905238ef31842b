import type { Shape, Target } from './target.ts';

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

/** The shape that a plain estimate is asked in: the plainest that the profile brings. */
export function plainestShape(target: Target): Shape | null {
  const order: readonly Shape[] = ['plain', 'express', 'carpoolNoSeats', 'carpoolSeats'];
  return order.find((shape) => target.estimates[shape] !== undefined) ?? null;
}

/** Decoded query of a well-formed estimate; a change to undefined leaves a parameter out. */
export function estimateQuery(
  target: Target,
  changes: Readonly<Record<string, string | undefined>>,
  shape: Shape | null,
): Record<string, string> {
  const all: Record<string, string | undefined> = {
    ...DEFAULT_ROUTE,
    ...(shape && target.estimates[shape]),
    ...changes,
  };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
