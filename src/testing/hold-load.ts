import { checkOptions, FareproofError } from '../interface/index.ts';
import { LOAD_VALUES, type LoadOptions, runLoad } from '../library/run-load.ts';
import type { MatcherOutcome } from './conform.ts';

/** Options of `toHoldLoad`: those of `runLoad` for one run. */
export type HoldLoadOptions = Omit<LoadOptions, 'target' | 'findMax' | 'runs' | 'against'>;

const { target: _t, findMax: _f, runs: _r, against: _a, ...VALUES } = LOAD_VALUES;

/**
 * Puts load on a service and judges its thresholds; without any, that fewer than 1 % fail.
 *
 * @throws FareproofError `LOAD_INVALID` if the run says nothing about the service, such as with a
 *   generator that was too slow, or an interruption; ConfigurationError as runLoad
 */
export async function holdsLoad(
  target: unknown,
  options: HoldLoadOptions = {},
): Promise<MatcherOutcome> {
  checkOptions(options, VALUES);
  const judged = await runLoad({ ...options, target } as LoadOptions);
  const { verdict, reason, thresholds, achieved } = judged;
  const { baseUrl } = judged.target;
  if (verdict === 'invalid') {
    throw new FareproofError(
      'LOAD_INVALID',
      `The load on ${baseUrl} says nothing about it: ${reason}`,
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
