import type { Check } from '../contract/check.ts';
import type { Target } from '../contract/target.ts';

/**
 * Checks for a target of that kind. The first target judges all rules of its environment; its
 * companion in the other environment only those that hold there and nowhere else.
 */
export function applicableChecks(
  checks: readonly Check[],
  environment: Target['environment'],
  hasControl: boolean,
  isFirst: boolean,
): Check[] {
  const kind = hasControl ? 'controlled' : 'metered';
  return checks.filter(({ needs, only }) => {
    const wanted = needs?.environment;
    const isHere = wanted === environment || (isFirst && wanted === undefined);
    return isHere && (only === undefined || only === kind);
  });
}
