import type { SeededRandom } from '../../seeded-random.ts';
import type { Fields } from '../contract/request.ts';

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
