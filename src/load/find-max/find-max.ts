import type { FindMaxDocument, Trial } from '../../documents/find-max.ts';
import { atRate, type PlannedLoad } from '../plan-load.ts';
import { type Recovery, recover } from '../recovery.ts';
import { isStarved } from '../result/generator-health.ts';
import { unreachableReasonOf } from '../result/unreachable.ts';
import { unreachableReason } from '../result/verdict.ts';
import type { LoadProgress } from '../run-context.ts';
import { runPlanned, takeTokenFor } from '../run-load.ts';
import { reasonOf } from './reason.ts';
import { type SearchResult, searchHighestRate } from './search.ts';
import { describeTrial, interruptedTrial, mostBacklogS, trialDurationMs } from './trial.ts';

/** A find-max document (`kind: "find-max"`), all but the tool. */
export interface FindMaxResult extends Omit<FindMaxDocument, 'tool'> {
  readonly verdict: SearchResult['ending'] | 'target-unreachable';
}

/** Followers of a search, and its pauses. */
export interface SearchContext extends Pick<Recovery, 'recoveryMs'> {
  onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Called after each trial. */
  onTrial?: ((trial: Trial) => void) | undefined;
}

/**
 * Finds the highest rate of the open model that holds the objective of a search (`isSearch`), from the
 * rate of its plan. One token serves all trials.
 *
 * @throws as runLoad
 */
export async function findMax(
  planned: PlannedLoad,
  { recoveryMs, onProgress, onTrial }: SearchContext = {},
): Promise<FindMaxResult> {
  const { context, plan, thresholds: objective } = planned;
  const { clock, signal, profile } = context;
  const startedAtMs = clock.now();
  const load = { ...planned, mostBacklogS: mostBacklogS(objective) };
  const trials: Trial[] = [];
  let unreachable: string | null = null;
  const tokens = await takeTokenFor(load).catch((error: unknown) => {
    unreachable = unreachableReasonOf(error);
    if (unreachable === null) throw error;
    return null;
  });
  const search = await searchHighestRate({
    startRate: plan.stages[0]!.fromRate,
    trial: async (rate) => {
      await recover(invalidInARow(trials), { recoveryMs, signal });
      if (signal?.aborted || tokens === null) return null;
      const durationMs = trialDurationMs(rate, plan.durationMs, objective, load.mix);
      const result = await runPlanned(atRate(load, rate, durationMs), tokens, onProgress);
      if (signal?.aborted) {
        trials.push(interruptedTrial(rate, result));
        return null;
      }
      const trial = describeTrial(rate, result);
      trials.push(trial);
      onTrial?.(trial);
      const { achieved, errors } = result;
      unreachable = unreachableReason({ ...result.target, ...achieved, errors });
      return unreachable === null ? { ...trial, starved: isStarved(result.generator) } : null;
    },
  });
  const verdict = unreachable === null ? search.ending : 'target-unreachable';
  const { name, baseUrl, environment } = profile;
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
    seed: plan.seed,
    ...(verdict === 'interrupted' && { interrupted: true }),
  };
}

function invalidInARow(trials: readonly Trial[]): number {
  return trials.length - 1 - trials.findLastIndex(({ valid }) => valid);
}
