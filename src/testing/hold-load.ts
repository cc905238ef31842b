import { FareproofError, refuseUnknownOptions } from '../interface/index.ts';
import {
  type LoadOptions,
  RUN_LOAD_OPTION_NAMES,
  type RunContext,
  runLoad,
} from '../load/index.ts';
import type { MatcherOutcome } from './conform.ts';
import { ledgerOf, profileOf } from './subject.ts';

/** Options of `toHoldLoad`: those of `runLoad`. */
export interface HoldLoadOptions
  extends Omit<LoadOptions, 'findMax'>,
    Omit<RunContext, 'profile' | 'clock' | 'readText'> {}

const { findMax: _, profile: _p, clock: _c, readText: _r, ...NAMES } = RUN_LOAD_OPTION_NAMES;

/**
 * Puts load on a service and judges its thresholds; without any, that fewer than 1 % fail.
 *
 * @throws FareproofError `LOAD_INVALID` if the run says nothing about the service, such as with a
 *   generator that was too slow; ConfigurationError as runLoad
 */
export async function holdsLoad(
  subject: unknown,
  options: HoldLoadOptions = {},
): Promise<MatcherOutcome> {
  refuseUnknownOptions(options, NAMES);
  const profile = profileOf(subject);
  const { baseUrl } = profile;
  const { verdict, reason, thresholds, achieved } = await runLoad({
    ...options,
    profile,
    ledger: ledgerOf(subject, options.ledger),
  });
  if (verdict === 'invalid') {
    throw new FareproofError(
      'LOAD_INVALID',
      `The load on ${baseUrl} says nothing about it: ${reason ?? 'the run is invalid'}`,
    );
  }
  const held = verdict === 'held';
  const { formatRate, observedWords } = await import('../report/index.ts');
  return {
    pass: held,
    message: () =>
      [
        `Expected ${baseUrl} ${held ? 'not to hold' : 'to hold'} the load, ${formatRate(achieved.rate)} answered:`,
        ...thresholds.map(
          (one) =>
            `  ${one.expression}: ${one.held ? 'held' : 'not held'}, observed ${observedWords(one)}`,
        ),
      ].join('\n'),
  };
}
