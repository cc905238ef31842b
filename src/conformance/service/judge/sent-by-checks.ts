import type { Exchange } from '../../../documents/sealed.ts';
import { GAP_PREFIX } from '../gaps/probe.ts';

/** Exchanges of the checks: probes and exploring come after the verdicts of a run, and can change none. */
export function sentByChecks(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.filter(
    ({ part: { check = '', batch } = {} }) =>
      !batch?.isProbe && !check.startsWith(GAP_PREFIX) && !check.startsWith('explore'),
  );
}
