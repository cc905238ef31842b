import type { ConformanceSummary } from './conformance.ts';

/** Number of rules that were judged: those that pass or are broken, waived or not. */
export function judgedCount({ pass, fail, warn, waived }: ConformanceSummary): number {
  return pass + fail + warn + waived;
}
