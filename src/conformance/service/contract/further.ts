import { type BaseRequest, type Check, isFurther, placeOf, type RunsOn } from './check.ts';
import { basesLike } from './parts.ts';
import type { Facts } from './target.ts';

/** Carriers that a rule holds on as it holds on one of them, which is the first. */
export function carriersLike(baseRequest: BaseRequest, facts: Facts): readonly RunsOn[] {
  const bases = basesLike(baseRequest, facts.shapes);
  return bases.map(([base, setting = {}]) => ({ baseRequest: base, setting }));
}

/**
 * Spreads further parts over carriers. The parts of a rule begin with another carrier each, and so do
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
      const { carriers, baseRequest } = check;
      const place = placeOf(check);
      const at = offsetOf(check.rules[0]);
      if (!carriers) return { at, place, check };
      // The check itself is sent on its own base request.
      const own = carriers.filter((on) => on.baseRequest === baseRequest);
      const others = carriers.filter((on) => on.baseRequest !== baseRequest);
      const preferred = others.length > 0 ? [...rotated(others, at + place), ...own] : own;
      return { at, place, check: { ...check, carriers: preferred } };
    })
    .sort((a, b) => a.place - b.place || a.at - b.at)
    .map(({ check }) => check);
  return [...checks.filter((check) => !isFurther(check)), ...further];
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}
