import { ConfigurationError, checkOptions, type OptionTable } from '../interface/index.ts';
import type { OptionTableOf } from '../interface/options.ts';
import type { TargetOptions } from './target.ts';

/** Values of the options that every run on a service has. */
export const TARGET_VALUES = {
  ledger: { kind: 'object', unit: 'a source of ledgerFile', or: 'none' },
  serviceRestarted: { kind: 'switch' },
  signal: { kind: 'object', unit: 'an AbortSignal' },
} as const satisfies OptionTableOf<TargetOptions>;

/** Options that are lists, or have a unit in their names, by the names that the command has for them. */
const NAMES: Readonly<Record<string, string>> = {
  fault: 'faults',
  margin: 'marginPercent',
  rule: 'rules',
  scenario: 'scenarios',
  threshold: 'thresholds',
};

/**
 * Runs a function of the library once its options are checked.
 *
 * @throws ConfigurationError as checkOptions, and those of `act`, in which options have their names in the library
 */
export async function withOptions<T>(
  options: unknown,
  table: OptionTable,
  act: () => Promise<T>,
): Promise<T> {
  checkOptions(options ?? null, table);
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw error.renamed((name) => name.replace(/^\w+/, (first) => NAMES[first] ?? first));
  }
}
