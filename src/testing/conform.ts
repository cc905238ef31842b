import { type CheckServiceInput, checkService, type ServiceResult } from '../conformance/index.ts';
import { FareproofError, type OptionNames, refuseUnknownOptions } from '../interface/index.ts';
import type { LedgerChoice } from '../spending/index.ts';
import { ledgerOf, profileOf } from './subject.ts';

/** Options of `toConform`. */
export interface ConformOptions {
  /** Globs over rule ids, such as `token/*`; default all rules. */
  readonly rules?: string | readonly string[] | undefined;
  /** Permits requests that end in a ban of a `spendable` partner; default false. */
  readonly allowBan?: boolean | undefined;
  /** Limit of one exchange, in milliseconds; default 5000. */
  readonly timeoutMs?: number | undefined;
  /** Requests per second; default 50 for a target beyond this machine, else no limit. */
  readonly maxRate?: number | undefined;
  /** Ledger of what the profile's partners spend; default the one that the command uses. */
  readonly ledger?: LedgerChoice | undefined;
  /** True for a service that was restarted, and has no memory of earlier runs; default false. */
  readonly serviceRestarted?: boolean | undefined;
  /** The same seed sends the same requests; default 1. */
  readonly seed?: number | undefined;
}

const NAMES = {
  rules: true,
  allowBan: true,
  timeoutMs: true,
  maxRate: true,
  ledger: true,
  serviceRestarted: true,
  seed: true,
} satisfies OptionNames<ConformOptions>;

/** Outcome of a matcher, as vitest and jest take it. */
export interface MatcherOutcome {
  readonly pass: boolean;
  readonly message: () => string;
}

const TIMEOUT_MS = 5000;

/**
 * Judges a service by the rules of the interface.
 *
 * @throws FareproofError `NOT_JUDGED` if no rule failed and one could not be judged, so that neither
 *   the matcher nor its negation holds by accident; and as checkService
 */
export async function conforms(
  subject: unknown,
  options: ConformOptions = {},
): Promise<MatcherOutcome> {
  refuseUnknownOptions(options, NAMES);
  const { rules = [], allowBan = false, timeoutMs = TIMEOUT_MS, maxRate, seed = 1 } = options;
  const { ledger, serviceRestarted } = options;
  const check: CheckServiceInput = {
    target: profileOf(subject),
    only: typeof rules === 'string' ? [rules] : rules,
    probesGaps: false,
    ledger: ledgerOf(subject, ledger),
    serviceRestarted,
    seed,
    timeoutMs,
    maxRate,
    allowBan,
    requireComplete: false,
  };
  const result = await checkService(check);
  const { verdict, target, summary } = result;
  if (verdict === 'incomplete') {
    const lines = linesOf(result, ['inconclusive', 'untestable']);
    throw new FareproofError(
      'NOT_JUDGED',
      [`${target.baseUrl} could not be judged:`, ...lines].join('\n'),
    );
  }
  return {
    pass: verdict === 'conformant',
    message: () =>
      verdict === 'conformant'
        ? `Expected ${target.baseUrl} not to conform; it passed all ${summary.pass} rules that were judged.`
        : [
            `Expected ${target.baseUrl} to conform; it broke ${summary.fail} of ${summary.fail + summary.pass} rules:`,
            ...linesOf(result, ['fail']),
          ].join('\n'),
  };
}

/** The diagnosis, and the rules with some verdicts. */
function linesOf({ diagnosis, rules }: ServiceResult, verdicts: readonly string[]): string[] {
  return [
    ...(diagnosis ? [`  diagnosis: ${diagnosis.finding} ${diagnosis.remedy}`] : []),
    ...rules
      .filter(({ verdict }) => verdicts.includes(verdict))
      .map(({ id, reason }) => `  ${id}: ${reason}`),
  ];
}
