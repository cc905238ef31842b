import { type OptionValues, TIMEOUT } from '../interface/options.ts';

/** Seeds of random values. */
export const SEED = { kind: 'integer', min: 0 } as const satisfies OptionValues;

/** Values of the options of a check. */
export const CHECK_VALUES = {
  requests: { kind: 'integer', min: 1, or: 'all' },
  for: { kind: 'duration', above: 0 },
  explore: { kind: 'duration', above: 0 },
  maxRate: { kind: 'number', above: 0 },
  timeout: TIMEOUT,
  seed: SEED,
} as const satisfies Record<string, OptionValues>;

/** Values that declare whether a client orders rides for users. */
export const ORDERS = { kind: 'text', choices: ['yes', 'no'] } as const satisfies OptionValues;
