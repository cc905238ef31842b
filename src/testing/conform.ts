import type { ConformanceDocument } from '../documents/conformance.ts';
import { FareproofError } from '../interface/index.ts';
import { type CheckOptions, judgeService } from '../library/check-service.ts';

/** Options of `toConform`: those of `checkService`, but for the seed, whose default is 1. */
export type ConformOptions = Omit<CheckOptions, 'target'>;

/** Outcome of a matcher, as vitest and jest take it. */
export interface MatcherOutcome {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * Judges a service by the rules of the interface.
 *
 * @throws FareproofError `NOT_JUDGED` if no rule failed and one could not be judged, so that neither
 *   the matcher nor its negation holds by accident; and as checkService
 */
export async function conforms(
  target: unknown,
  options: ConformOptions = {},
): Promise<MatcherOutcome> {
  const check = { seed: 1, ...options, target } as CheckOptions;
  const result = await judgeService(check, { probesGaps: false });
  const { verdict, target: judged, summary } = result;
  if (verdict === 'incomplete') {
    const lines = linesOf(result, ['inconclusive', 'untestable']);
    throw new FareproofError(
      'NOT_JUDGED',
      [`${judged.baseUrl} could not be judged:`, ...lines].join('\n'),
    );
  }
  return {
    pass: verdict === 'conformant',
    message: () =>
      verdict === 'conformant'
        ? `Expected ${judged.baseUrl} not to conform; it passed all ${summary.pass} rules that were judged.`
        : [
            `Expected ${judged.baseUrl} to conform; it broke ${summary.fail} of ${summary.fail + summary.pass} rules:`,
            ...linesOf(result, ['fail']),
          ].join('\n'),
  };
}

/** The diagnosis, and the rules with some verdicts, each with the remedy that the command shows. */
function linesOf({ diagnosis, rules }: ConformanceDocument, verdicts: readonly string[]): string[] {
  return [
    ...(diagnosis ? [`  diagnosis: ${diagnosis.finding} ${diagnosis.remedy}`] : []),
    ...rules
      .filter(({ verdict }) => verdicts.includes(verdict))
      .map(({ id, reason, remedy }) =>
        [`  ${id}: ${reason}`, ...(remedy === undefined ? [] : [remedy])].join(' → '),
      ),
  ];
}
