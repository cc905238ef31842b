import { randomInt } from 'node:crypto';
import { checkDocument } from '../app/check/check-target.ts';
import { forecastCheck } from '../app/check/forecast-check.ts';
import { readSuite, readWaivers } from '../app/check/rule-files.ts';
import { CHECK_VALUES } from '../app/option-values.ts';
import { requireKnownRules } from '../app/rule-globs.ts';
import {
  type CheckServiceOptions,
  type CustomRule,
  checkService as checkTarget,
  FULL_SUITE,
  type JudgedResult,
  readCustomRules,
  readSuite as readSuiteObject,
  readTarget,
  type SuiteInput,
  type Waiver,
} from '../conformance/index.ts';
import type { ConformanceDocument } from '../documents/conformance.ts';
import type { ForecastDocument } from '../documents/forecast.ts';
import { SERVICE_RULES } from '../interface/index.ts';
import type { OptionTableOf } from '../interface/options.ts';
import { type Duration, millisecondsOf } from './duration.ts';
import { TARGET_VALUES, withOptions } from './options.ts';
import { libraryProcess, type Target, type TargetOptions, withTarget } from './target.ts';

/** Options of {@link checkService} and {@link planCheck}; only `target` is required. */
export interface CheckOptions extends TargetOptions {
  /** Service to judge. */
  readonly target: Target;
  /** Suite: its name, its file, or the suite itself. Default `'full'`. */
  readonly suite?: string | SuiteInput | undefined;
  /** Globs over rule ids, such as `'token/*'`, that narrow the suite. Default all rules of the suite. */
  readonly rules?: string | readonly string[] | undefined;
  /** Rules of your own, made by `defineRule`. Default none. */
  readonly customRules?: readonly CustomRule[] | undefined;
  /** Accepted violations: a list, or its file. Default none. */
  readonly waivers?: string | readonly Waiver[] | undefined;
  /** Requests to send, about; `'all'` for no limit. Default all with a control API on this machine, else 1550. */
  readonly requests?: number | 'all' | undefined;
  /** Time after which no new check starts, in milliseconds or such as `'2m'`. Default no limit. */
  readonly for?: Duration | undefined;
  /** Time for random walks once the checks are over, in milliseconds or such as `'30s'`. Default none. */
  readonly explore?: Duration | undefined;
  /** Most requests per second. Default 50 for a target beyond this machine, else no limit. */
  readonly maxRate?: number | undefined;
  /** Limit of one exchange, in milliseconds or such as `'10s'`. Default 10 seconds. */
  readonly timeout?: Duration | undefined;
  /** Permits requests that end in a ban of a partner marked `spendable`. Default false. */
  readonly allowBan?: boolean | undefined;
  /** Waits for rules that need another day. Default false: they are pending. */
  readonly wait?: boolean | undefined;
  /** Makes a run with an untestable rule incomplete. Default false. */
  readonly requireComplete?: boolean | undefined;
  /** Seed of random values; the same seed sends the same requests. Default a new one each time. */
  readonly seed?: number | undefined;
  /** Called with each rule as it is judged. */
  readonly onRule?: ((rule: JudgedResult) => void) | undefined;
}

const SWITCH = { kind: 'switch' } as const;

const VALUES = {
  target: true,
  ...TARGET_VALUES,
  suite: true,
  rules: { kind: 'texts', unit: 'a glob over rule ids, or a list of them' },
  customRules: { kind: 'list' },
  waivers: true,
  ...CHECK_VALUES,
  allowBan: SWITCH,
  wait: SWITCH,
  requireComplete: SWITCH,
  onRule: { kind: 'function' },
} as const satisfies OptionTableOf<CheckOptions>;

const TIMEOUT_MS = 10_000;

/**
 * Judges a service by the rules of the interface, as `fareproof check` does.
 *
 * @returns the run document, which `toHtml`, `toMarkdown` and `toJUnit` render
 * @throws ConfigurationError `OPTION_UNKNOWN`, `OPTION_INVALID`, `DURATION_INVALID`, `TARGET_INVALID`, `RULE_UNKNOWN`, or as the file of an option is read
 * @throws UnreachableTarget `TARGET_UNREACHABLE`, with the result so far
 */
export function checkService(options: CheckOptions): Promise<ConformanceDocument> {
  return judgeService(options);
}

/** Judges a service with what only the matchers leave out. Throws as {@link checkService}. */
export function judgeService(
  options: CheckOptions,
  more: Pick<CheckServiceOptions, 'probesGaps'> = {},
): Promise<ConformanceDocument> {
  return withOptions(options, VALUES, () =>
    withCheck(options, async (check, waivers) =>
      checkDocument(await checkTarget({ ...check, ...more }), check, waivers),
    ),
  );
}

/**
 * Forecasts what a check would spend of each partner's allowances, and whom it would ban; sends nothing to the
 * target, as `fareproof check --plan`. Throws as {@link checkService}.
 */
export function planCheck(options: CheckOptions): Promise<ForecastDocument> {
  return withOptions(options, VALUES, () => withCheck(options, forecastCheck));
}

async function withCheck<T>(
  options: CheckOptions,
  act: (check: CheckServiceOptions, waivers: readonly Waiver[] | null) => Promise<T>,
): Promise<T> {
  const { rules = [], suite = FULL_SUITE, requests, signal } = options;
  const surroundings = libraryProcess(signal);
  const only = typeof rules === 'string' ? [rules] : rules;
  const customRules = readCustomRules(options.customRules ?? [], 'customRules');
  const ids = [...SERVICE_RULES, ...customRules].map(({ id }) => id);
  requireKnownRules(only, ids);
  const waivers =
    options.waivers === undefined ? null : await readWaivers(options.waivers, ids, surroundings);
  const forMs = millisecondsOf(options.for);
  const exploreMs = millisecondsOf(options.explore);
  const asked = {
    suite:
      typeof suite === 'string'
        ? await readSuite(suite, ids, surroundings)
        : readSuiteObject(suite),
    only,
    customRules,
    seed: options.seed ?? randomInt(2 ** 31),
    timeoutMs: millisecondsOf(options.timeout) ?? TIMEOUT_MS,
    maxRate: options.maxRate,
    requests: requests === 'all' ? null : requests,
    forSeconds: forMs && forMs / 1000,
    exploreSeconds: exploreMs && exploreMs / 1000,
    allowBan: options.allowBan ?? false,
    requireComplete: options.requireComplete ?? false,
    waits: options.wait ?? false,
    serviceRestarted: options.serviceRestarted,
    onRule: options.onRule,
    signal,
  };
  return withTarget(options.target, options, ({ profile, companion, ledger }) =>
    act(
      {
        ...asked,
        target: readTarget(profile),
        companion: companion && readTarget(companion),
        ledger,
      },
      waivers,
    ),
  );
}
