import type { FindFaults } from '../../src/load/measured-generators.ts';
import { findFaults } from '../../src/load/result/health.ts';

/** Judges as on a system that does not report core wait: other tests may take the cores. */
export const faultsButCoreWait: FindFaults = (measured) =>
  findFaults(measured).filter(({ need }) => need !== 'core');

/** Finds every generator late, or none, whatever the speed of this machine. */
export const faultsOf =
  ({ late }: { readonly late: boolean }): FindFaults =>
  ({ plan }) =>
    late
      ? [{ need: plan.model === 'open' ? 'in-time' : 'core', words: 'The generator was late.' }]
      : [];
