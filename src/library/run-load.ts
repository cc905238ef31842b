import { prepareLoad } from '../app/load/load-target.ts';
import type { ComparisonDocument } from '../documents/comparison.ts';
import type { FindMaxDocument } from '../documents/find-max.ts';
import type { LoadDocument, LoadSetDocument } from '../documents/load.ts';
import type { OptionTableOf } from '../interface/options.ts';
import { allOutputs, type RunContext, type RunOutput } from '../load/index.ts';
import { OPTION_ROWS, refuseConflicts, runOptionsOf } from '../load/options.ts';
import { type Duration, millisecondsOf } from './duration.ts';
import { TARGET_VALUES, withOptions } from './options.ts';
import { type OpenedTarget, type Target, type TargetOptions, withTarget } from './target.ts';

/** Options of {@link runLoad}; only `target` is required. */
export interface LoadOptions extends TargetOptions {
  /** Service to put load on. */
  readonly target: Target;
  /** Permission to put load on a target beyond this machine, which others may run; needed there. Default false. */
  readonly iMayLoadThisTarget?: boolean | undefined;
  /** Limit of one request, in milliseconds or such as `'5s'`. Default 5 seconds. */
  readonly timeout?: Duration | undefined;
  /** Open model: requests per second. Default the closed model. */
  readonly rate?: number | undefined;
  /** Open model: planned times evenly apart, or as of independent callers. Default `'constant'`. */
  readonly arrivals?: 'constant' | 'poisson' | undefined;
  /** Open model in stages: `'1000/10s,5000/30s'`; a ramp: `'0-5000/30s'`. Default one stage. */
  readonly stages?: string | undefined;
  /** Connections in use; in the open model, the most of them. Default 10, or 256 in the open model. */
  readonly connections?: number | undefined;
  /** Measured window without the warm-up, in milliseconds or such as `'30s'`. Default 10 seconds. */
  readonly duration?: Duration | undefined;
  /** Load before the measured window, in milliseconds or such as `'2s'`. Default 1 second. */
  readonly warmup?: Duration | undefined;
  /** Opens a new connection for each request. Default false. */
  readonly newConnections?: boolean | undefined;
  /** Weights of the kinds of estimates: `'plain=8,express=1'`. Default those of the profile, alike. */
  readonly mix?: string | undefined;
  /** File of routes: CSV, HAR or an access log. Default random routes. */
  readonly routes?: string | undefined;
  /** Kind of token to use. Default `'platform'`. */
  readonly as?: 'platform' | 'user' | undefined;
  /** Share of the responses whose shape is checked, such as `0.5` or `'50%'`; 0 for none. Default 1 %. */
  readonly validate?: number | string | undefined;
  /** Seed of the requests; the same seed sends the same requests. Default 1. */
  readonly seed?: number | undefined;
  /** Bounds such as `'p99<20ms'`, `'errors<0.1%'` or `'p99{express}<30ms'`. Default `'errors<1%'`. */
  readonly thresholds?: string | readonly string[] | undefined;
  /** Ends the run early once one of these is true, such as `'errors>5%'`. Default none. */
  readonly abortOn?: string | readonly string[] | undefined;
  /** Finds the highest rate that meets this objective, such as `'p99<20ms,errors<0.1%'`. Default one run. */
  readonly findMax?: string | undefined;
  /** Number of runs, or of pairs with `against`. Default 1, or 10 pairs. */
  readonly runs?: number | undefined;
  /** Base to compare the target with, in interleaved pairs of runs. Default none. */
  readonly against?: Target | undefined;
  /** Difference of the sides up to which they are equivalent, in percent. Default 5. */
  readonly marginPercent?: number | undefined;
  /** Engine that sends the requests. Default `'native'`. */
  readonly engine?: 'native' | 'autocannon' | undefined;
  /** Generator threads. Default 1. */
  readonly workers?: number | undefined;
  /** Is told of each run, and of its figures each second. Default nobody. */
  readonly output?: RunOutput | undefined;
}

/** Values of the options of {@link runLoad}: those of a run are read as in a suite. */
export const LOAD_VALUES = {
  target: true,
  ...TARGET_VALUES,
  iMayLoadThisTarget: { kind: 'switch', code: 'LOAD_NOT_PERMITTED' },
  timeout: OPTION_ROWS.timeout,
  rate: true,
  arrivals: true,
  stages: true,
  connections: true,
  duration: OPTION_ROWS.duration,
  warmup: OPTION_ROWS.warmup,
  newConnections: true,
  mix: true,
  routes: true,
  as: true,
  validate: true,
  seed: true,
  thresholds: true,
  abortOn: true,
  findMax: true,
  runs: { ...OPTION_ROWS.runs, code: 'LOAD_OPTIONS_INVALID' },
  against: true,
  marginPercent: { ...OPTION_ROWS.margin, code: 'LOAD_OPTIONS_INVALID' },
  engine: true,
  workers: true,
  output: { kind: 'object' },
} as const satisfies OptionTableOf<LoadOptions>;

/**
 * Puts load on a service and judges its thresholds, as `fareproof load` does.
 *
 * @returns the run document: of a run; with `findMax`, of a search; with `runs`, of several runs; with `against`, of a
 *   comparison. `toHtml`, `toMarkdown` and `toJUnit` render each
 * @throws ConfigurationError `OPTION_UNKNOWN`, `OPTION_INVALID`, `TARGET_INVALID`, `LOAD_NOT_PERMITTED`, or for an option that cannot be
 *   read, before anything is sent
 * @throws FareproofError for the ledger; a target that gives no token is an invalid run
 */
export function runLoad(
  options: LoadOptions & { readonly findMax: string },
): Promise<FindMaxDocument>;
export function runLoad(
  options: LoadOptions & { readonly against: Target },
): Promise<ComparisonDocument>;
export function runLoad(
  options: LoadOptions & { readonly runs: number },
): Promise<LoadDocument | LoadSetDocument>;
export function runLoad(options: LoadOptions): Promise<LoadDocument>;
export function runLoad(
  options: LoadOptions,
): Promise<LoadDocument | LoadSetDocument | FindMaxDocument | ComparisonDocument> {
  return withOptions(options, LOAD_VALUES, () => prepareAndRun(options));
}

async function prepareAndRun(
  options: LoadOptions,
): Promise<LoadDocument | LoadSetDocument | FindMaxDocument | ComparisonDocument> {
  const { target, against, iMayLoadThisTarget, signal, serviceRestarted, output = {} } = options;
  const { thresholds, abortOn, runs, marginPercent, ...given } = options;
  const asked = {
    ...given,
    timeout: textOf(options.timeout),
    duration: textOf(options.duration),
    warmup: textOf(options.warmup),
    threshold: listOf(thresholds),
    abortOn: listOf(abortOn),
  };
  const named = { runs, margin: marginPercent, against: against && 'base' };
  refuseConflicts({ ...runOptionsOf(asked), ...named });
  const contextOf = ({ profile, ledger, probeServer }: OpenedTarget): RunContext => ({
    profile,
    ledger,
    probeServer,
    iMayLoadThisTarget,
    serviceRestarted,
    signal,
  });
  const run = async (candidate: OpenedTarget, base: OpenedTarget | null) => {
    const load = { options: runOptionsOf(asked), runs, marginPercent };
    const prepared = await prepareLoad(load, contextOf(candidate), base && contextOf(base));
    return prepared.run(allOutputs([output], () => undefined));
  };
  return withTarget(target, options, (candidate) =>
    against === undefined
      ? run(candidate, null)
      : withTarget(against, options, (base) => run(candidate, base), 'against'),
  );
}

function textOf(given: Duration | undefined): string | undefined {
  const ms = millisecondsOf(given);
  return ms === undefined ? undefined : `${ms}ms`;
}

function listOf(given: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof given === 'string' ? [given] : given;
}
