import type { FindMaxDocument, Trial } from '../../documents/find-max.ts';
import { atRate, type PlannedLoad } from '../plan-load.ts';
import { type Recovery, recover } from '../recovery.ts';
import { isStarved } from '../result/health.ts';
import { unreachableReason } from '../result/reached.ts';
import { unreachableReasonOf } from '../result/unreachable.ts';
import { runPlanned, takeTokenFor } from '../run-load.ts';
import { type SearchResult, searchHighestRate } from './search.ts';
import { describeTrial, interruptedTrial, mostBacklogS, trialDurationMs } from './trial.ts';

/** A search ends after the longer of so many trials and so much time. */
const LEAST_TRIALS = 12;
const LEAST_TIME_NS = 180e9;

/** A find-max document (`kind: "find-max"`), all but the tool. */
export interface FindMaxResult extends Omit<FindMaxDocument, 'tool'> {
  readonly verdict: SearchResult['ending'] | 'target-unreachable';
}

/**
 * Finds the highest rate of the open model that holds the objective of a search (`isSearch`), from the
 * rate of its plan. One token serves all trials.
 *
 * @throws as runLoad
 */
export async function findMax(
  planned: PlannedLoad,
  { recoveryMs }: Pick<Recovery, 'recoveryMs'> = {},
): Promise<FindMaxResult> {
  const { context, plan, thresholds: objective } = planned;
  const { clock, signal, profile, output } = context;
  const startedAtMs = clock.now();
  const load = { ...planned, mostBacklogS: mostBacklogS(objective) };
  const trials: Trial[] = [];
  const beganNs = clock.monotonicNs();
  let unreachable: string | null = null;
  const tokens = await takeTokenFor(load).catch((error: unknown) => {
    unreachable = unreachableReasonOf(error);
    if (unreachable === null) throw error;
    return null;
  });
  const search = await searchHighestRate({
    startRate: plan.stages[0]!.fromRate,
    isOver: (count) => count >= LEAST_TRIALS && clock.monotonicNs() - beganNs >= LEAST_TIME_NS,
    trial: async (rate) => {
      await recover(invalidInARow(trials), { recoveryMs, signal });
      if (signal?.aborted || tokens === null) return null;
      const durationMs = trialDurationMs(rate, plan.durationMs, objective, load.mix);
      output?.start?.(`trial ${trials.length + 1}`);
      const result = await runPlanned(atRate(load, rate, durationMs), tokens);
      if (signal?.aborted) {
        trials.push(interruptedTrial(rate, result));
        return null;
      }
      const trial = describeTrial(rate, result);
      trials.push(trial);
      output?.end?.({ result, trial });
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

type Outcome = Pick<Trial, 'rate' | 'valid' | 'interrupted' | 'reason'>;

/** Says why a search ended, and how many of its trials do not count. */
export function reasonOf(search: SearchResult, trials: readonly Outcome[]): string {
  const invalid = trials.filter(({ valid, interrupted }) => !valid && !interrupted);
  const repeated =
    invalid.length === 0
      ? ''
      : ` ${invalid.length} of ${trials.length} trials were not valid and do not count.`;
  return endingInWords(search, trials, invalid.at(-1)?.reason ?? '') + repeated;
}

function endingInWords(
  { low, high, limitedAt, ending }: SearchResult,
  trials: readonly Outcome[],
  lastInvalid: string,
): string {
  const isLost = limitedAt === null || trials.findLast(({ rate }) => rate === low)?.valid === false;
  const held =
    low === 0 ? 'No rate held' : high === null ? `${low}/s or more held` : `${low}/s held`;
  const bounds = high === null ? held : `${held} and ${high}/s did not`;
  const place = isLost
    ? `later not even ${low}/s`
    : high === null
      ? 'nothing above'
      : 'nothing between';
  const unmeasured =
    low === 0 ? 'No rate could be measured here' : `${bounds}; ${place} could be measured here`;
  const words: Readonly<Record<SearchResult['ending'], string>> = {
    found: `The objective holds at ${low}/s and does not at ${high}/s.`,
    'generator-limited': `${unmeasured}, because the generator was the limit. ${lastInvalid} Use more workers, or another machine.`,
    'machine-disturbed': `${unmeasured}, because other work had the machine, or it was too slow. ${lastInvalid} Run it again when nothing else runs here, or from another machine.`,
    'nothing-held': 'The objective held at no rate that was tried.',
    'nothing-fell-short': `The objective held at every rate that was tried, up to ${low}/s.`,
    'not-settled': `${bounds}; the search had to end before its trials agreed. Give each trial a longer duration, or a quieter machine.`,
    interrupted:
      low === 0 && high === null
        ? 'No rate could be measured, because the search was interrupted.'
        : 'The search was interrupted.',
  };
  return words[ending];
}
