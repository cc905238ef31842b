import type { FindMaxDocument, Trial } from '../../documents/find-max.ts';
import { ConfigurationError } from '../../interface/index.ts';
import { engineFlag, engineNamed } from '../engine/engines.ts';
import { atRate, type LoadOptions, planLoad } from '../plan-load.ts';
import { type Recovery, recover } from '../recovery.ts';
import { isStarved } from '../result/generator-health.ts';
import { unreachableReasonOf } from '../result/unreachable.ts';
import { unreachableReason } from '../result/verdict.ts';
import { runPlanned, takeTokenFor } from '../run-load.ts';
import { type Threshold, withErrorBound } from '../threshold.ts';
import { reasonOf } from './reason.ts';
import { type SearchResult, searchHighestRate } from './search.ts';
import { describeTrial, interruptedTrial, mostBacklogS, trialDurationMs } from './trial.ts';

/** A find-max document (`kind: "find-max"`), all but the tool. */
export interface FindMaxResult extends Omit<FindMaxDocument, 'tool'> {
  readonly verdict: SearchResult['ending'] | 'target-unreachable';
}

/** Options of a search. */
export interface FindMaxOptions extends LoadOptions, Pick<Recovery, 'recoveryMs'> {
  /** As parseObjective returns it. */
  objective: readonly Threshold[];
  /** Called after each trial. */
  onTrial?: ((trial: Trial) => void) | undefined;
}

const DEFAULT_START_RATE = 200;

/**
 * Finds the highest rate of the open model that holds an objective, such as `p99<20ms,errors<0.1%`;
 * `rate` is where the search begins. One token serves all trials.
 *
 * @throws as runLoad; ConfigurationError `FIND_MAX_OPTIONS` for stages, thresholds or an engine without
 *   the open model
 */
export async function findMax(options: FindMaxOptions): Promise<FindMaxResult> {
  refuseImpossible(options);
  const { clock, signal } = options;
  const objective = withErrorBound(options.objective);
  const startedAtMs = clock.now();
  const startRate = options.rate ?? DEFAULT_START_RATE;
  const load = await planLoad(
    {
      ...options,
      rate: startRate,
      thresholds: objective,
      mostBacklogS: mostBacklogS(objective),
    },
    '--find-max',
  );
  const trials: Trial[] = [];
  let unreachable: string | null = null;
  const tokens = await takeTokenFor(load).catch((error: unknown) => {
    unreachable = unreachableReasonOf(error);
    if (unreachable === null) throw error;
    return null;
  });
  const search = await searchHighestRate({
    startRate,
    trial: async (rate) => {
      await recover(invalidInARow(trials), options);
      if (signal?.aborted || tokens === null) return null;
      const durationMs = trialDurationMs(rate, options.durationMs, objective, load.mix);
      const result = await runPlanned(atRate(load, rate, durationMs), tokens);
      if (signal?.aborted) {
        trials.push(interruptedTrial(rate, result));
        return null;
      }
      const trial = describeTrial(rate, result);
      trials.push(trial);
      options.onTrial?.(trial);
      const { achieved, errors } = result;
      unreachable = unreachableReason({ ...result.target, ...achieved, errors });
      return unreachable === null ? { ...trial, starved: isStarved(result.generator) } : null;
    },
  });
  const verdict = unreachable === null ? search.ending : 'target-unreachable';
  const { name, baseUrl, environment } = load.options.profile;
  return {
    kind: 'find-max',
    schemaVersion: 1,
    startedAt: new Date(startedAtMs).toISOString(),
    finishedAt: new Date(clock.now()).toISOString(),
    target: { name, baseUrl, environment },
    objective: objective.map(({ expression }) => expression).join(','),
    interval: { low: search.low, high: search.high },
    trials,
    verdict,
    reason: unreachable ?? reasonOf(search, trials),
    seed: options.seed,
    ...(verdict === 'interrupted' && { interrupted: true }),
  };
}

function invalidInARow(trials: readonly Trial[]): number {
  return trials.length - 1 - trials.findLastIndex(({ valid }) => valid);
}

function refuseImpossible(options: FindMaxOptions): void {
  const refuse = (message: string): never => {
    throw new ConfigurationError('FIND_MAX_OPTIONS', message);
  };
  if (options.objective.length === 0) refuse("--find-max: give an objective, such as 'p99<20ms'.");
  if (options.stages) refuse('--find-max sets the rate itself; leave --stages out.');
  if (options.thresholds?.length) refuse('--find-max has its objective; leave --threshold out.');
  if (engineNamed(options.engine)?.can.openModel === false) {
    refuse(`--find-max needs the open model; use ${engineFlag(({ can }) => can.openModel)}.`);
  }
}
