import type { FindFaults } from '../../src/load/measured-generators.ts';
import { findFaults } from '../../src/load/result/health.ts';

/** Judges all but the cores of a generator: other tests may take them, and targets of tests share its event loop. */
export const faultsButCores: FindFaults = (measured) =>
  findFaults(measured).filter(({ need }) => need !== 'core' && need !== 'loop');

/** Finds every generator late, or none, whatever the speed of this machine. */
export const faultsOf =
  ({ late }: { readonly late: boolean }): FindFaults =>
  ({ plan }) =>
    late
      ? [{ need: plan.model === 'open' ? 'in-time' : 'core', words: 'The generator was late.' }]
      : [];
