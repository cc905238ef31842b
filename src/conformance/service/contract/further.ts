import { type Check, isFurther, rankOf } from './check.ts';

/**
 * Spreads further parts over their places. The parts of a rule begin with another place each, and so do
 * the rules; the seed decides which rule begins with which. The first parts of all rules come before
 * the second ones.
 */
export function spreadParts(checks: readonly Check[], seed: number): Check[] {
  const rules = [...new Set(checks.filter(isFurther).flatMap((one) => one.rules))];
  const offsetOf = (rule: string | undefined): number =>
    (rules.indexOf(rule ?? '') + Math.abs(seed)) % rules.length;
  const further = checks
    .filter(isFurther)
    .map((check) => {
      const [{ baseRequest }] = check.places;
      const rank = rankOf(check);
      const at = offsetOf(check.rules[0]);
      // The check itself is sent on its own base request.
      const own = check.places.filter((place) => place.baseRequest === baseRequest);
      const others = check.places.filter((place) => place.baseRequest !== baseRequest);
      const [first, ...more] = [...rotated(others, at + rank), ...own];
      return { at, rank, check: first ? { ...check, places: [first, ...more] as const } : check };
    })
    .sort((a, b) => a.rank - b.rank || a.at - b.at)
    .map(({ check }) => check);
  return [...checks.filter((check) => !isFurther(check)), ...further];
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const at = by % Math.max(1, list.length);
  return [...list.slice(at), ...list.slice(0, at)];
}
