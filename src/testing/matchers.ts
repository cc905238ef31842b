/**
 * Matchers for test suites: for `expect.extend` of vitest and jest, and as functions for any other.
 */
import { AssertionError } from 'node:assert';
import type { Target } from '../library/target.ts';
import { type ConformOptions, conforms, type MatcherOutcome } from './conform.ts';
import { type HoldLoadOptions, holdsLoad } from './hold-load.ts';

export type { ConformOptions, HoldLoadOptions, MatcherOutcome, Target };

/** The matchers, for `expect.extend`. */
export const matchers: {
  /** Passes for a service that keeps the rules of the interface. */
  readonly toConform: (service: unknown, options?: ConformOptions) => Promise<MatcherOutcome>;
  /** Passes for a service that holds its thresholds under load. */
  readonly toHoldLoad: (service: unknown, options?: HoldLoadOptions) => Promise<MatcherOutcome>;
} = {
  toConform: (service, options) => conforms(service, options),
  toHoldLoad: (service, options) => holdsLoad(service, options),
};

/** Types of the matchers on the result of `expect`. */
export interface FareproofMatchers {
  toConform(options?: ConformOptions): Promise<void>;
  toHoldLoad(options?: HoldLoadOptions): Promise<void>;
}

/**
 * Checks that a service keeps the rules of the interface.
 *
 * @throws AssertionError if it breaks one; FareproofError `NOT_JUDGED` if it could not be judged
 */
export async function assertConforms(service: Target, options?: ConformOptions): Promise<void> {
  assertPassed(await conforms(service, options));
}

/**
 * Checks that a service holds its thresholds under load.
 *
 * @throws AssertionError if it does not; FareproofError `LOAD_INVALID` if the run says nothing about it
 */
export async function assertHoldsLoad(service: Target, options?: HoldLoadOptions): Promise<void> {
  assertPassed(await holdsLoad(service, options));
}

function assertPassed({ pass, message }: MatcherOutcome): void {
  if (!pass) throw new AssertionError({ message: message(), operator: 'fareproof' });
}
