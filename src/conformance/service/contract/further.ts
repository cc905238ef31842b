import type { BaseRequest, Check, RunsOn } from './check.ts';
import { basesLike } from './parts.ts';
import type { Facts } from './target.ts';

/**
 * Further parts of a check for a metered target. Those on estimates are the same as where requests are
 * free, since estimates cost nothing.
 */
export function furtherParts(check: Check, facts: Facts): Check[] {
  const { id, baseRequest, whereFree, further } = check;
  const isEstimate = baseRequest === 'estimate' || baseRequest === 'user-estimate';
  const parts = further?.(facts) ?? (isEstimate ? whereFree?.(facts) : undefined) ?? [];
  return parts
    .filter((part) => part.id !== id)
    .map((part, at) => ({ ...part, rank: part.rank ?? at + 1 }));
}

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
  const rules = [...new Set(checks.filter(({ rank }) => rank).flatMap((one) => one.rules))];
  const offsetOf = (rule: string | undefined): number =>
    (rules.indexOf(rule ?? '') + Math.abs(seed)) % rules.length;
  const further = checks
    .filter(({ rank }) => rank !== undefined)
    .map((check) => {
      const { carriers, baseRequest, rank = 1 } = check;
      const at = offsetOf(check.rules[0]);
      if (!carriers) return { at, rank, check };
      // The check itself is sent on its own base request.
      const own = carriers.filter((on) => on.baseRequest === baseRequest);
      const others = carriers.filter((on) => on.baseRequest !== baseRequest);
      const preferred = others.length > 0 ? [...rotated(others, at + rank), ...own] : own;
      return { at, rank, check: { ...check, carriers: preferred } };
    })
    .sort((a, b) => a.rank - b.rank || a.at - b.at)
    .map(({ check }) => check);
  return [...checks.filter(({ rank }) => rank === undefined), ...further];
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}
