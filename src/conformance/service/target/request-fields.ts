import type { SeededRandom } from '../../seeded-random.ts';
import { type Fields, type OptionalParameter, optionalParameters } from '../contract/messages.ts';
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

/** ISO 8601 in UTC with whole seconds, rounded down so that it never lies ahead. */
export function isoTimestamp(atMs: number): string {
  return `${new Date(Math.floor(atMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/**
 * Body of a well-formed token request with a nostr of its own. Its fields are sorted: a service that
 * signs them in the order of the body must fail only the rule about order. A change to undefined
 * leaves a field out.
 */
export function tokenFields(
  grant: Fields,
  changes: Fields | undefined,
  nowMs: number,
  random: SeededRandom,
): Fields {
  const fields = { ...grant, _: isoTimestamp(nowMs), nostr: random.nostr(), ...changes };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
