import { ConfigurationError, type ProfilePartner } from '../interface/index.ts';
import type { LoadPlan } from './plan.ts';

/** One of the parts of a load whose processes know nothing of each other. */
export interface LoadPart {
  /** From 1. */
  readonly number: number;
  readonly of: number;
  /** Start of the schedule of all parts, milliseconds since the epoch. */
  readonly startAtMs: number;
}

/** The generators of a part: index of the first, from 0, and number. */
export function rangeOf(
  { number, of }: LoadPart,
  { generators }: Pick<LoadPlan, 'generators'>,
): { readonly from: number; readonly count: number } {
  const count = generators / of;
  return { from: (number - 1) * count, count };
}

/**
 * Refuses a load that cannot be run in parts.
 *
 * @throws ConfigurationError `PART_NEEDS_TOKEN`, `LOAD_OPTIONS_INVALID`
 */
export function requireDivisible(
  { connections, generators }: Pick<LoadPlan, 'connections' | 'generators'>,
  { accessToken }: Pick<ProfilePartner, 'accessToken'>,
): void {
  if (accessToken === undefined) {
    throw new ConfigurationError(
      'PART_NEEDS_TOKEN',
      'each part would spend a token of its own, and none sees the ledger of another; take one token, and give it to all parts as accessToken of the partner in the profile.',
      { field: 'part' },
    );
  }
  if (generators <= connections) return;
  const problem = `${connections} are too few for the ${generators} generators of all parts, each of which needs one; give more, or fewer workers.`;
  throw new ConfigurationError('LOAD_OPTIONS_INVALID', problem, { field: 'connections' });
}
