import type { RuleResult } from '../../../documents/conformance.ts';
import { SeededRandom } from '../../seeded-random.ts';
import { certifyClient } from '../certify-client.ts';
import { type ClientResult, differencesFromServer } from '../judging/judge-client.ts';
import type { RunClient, ScenariosOptions } from '../scenario/run-scenario.ts';
import { NEAR_MISSES } from './near-misses.ts';
import type { Quirks } from './sample-requests.ts';
import { WRONG_CLIENTS } from './wrong-clients.ts';

/** Server, scenarios and clock of the sample client. */
export interface SampleOptions
  extends Pick<ScenariosOptions, 'startReference' | 'scenarios' | 'now'> {
  readonly sleep: (ms: number) => Promise<void>;
}

/**
 * Certifies the sample client with one rule broken, in the scenarios in which that shows.
 *
 * @param fault the rule; null certifies the right client, in all scenarios
 * @throws Error if the reference server refused a request that breaks no rule
 */
export async function judgeSampleClient(
  fault: string | null,
  options: SampleOptions,
  seed: number,
): Promise<readonly RuleResult[]> {
  const wrong = WRONG_CLIENTS.find(({ rule }) => rule === fault);
  const scenarios = options.scenarios.filter(({ name }) =>
    [name, undefined].includes(wrong?.scenario),
  );
  const result = await certified(wrong?.quirks ?? {}, { ...options, scenarios }, seed);
  const nearMisses = wrong === undefined ? await differencesInNearMisses(options, seed) : [];
  const refused = [...differencesFromServer(result), ...nearMisses];
  if (refused.length > 0) throw new Error(`${TOO_KIND}: ${refused.join('; ')}`);
  return result.rules;
}

/** Differences between the checker and the reference server on requests that are nearly right. */
export async function differencesInNearMisses(
  options: SampleOptions,
  seed: number,
  nearMisses: readonly Quirks[] = NEAR_MISSES,
): Promise<string[]> {
  const scenarios = options.scenarios
    .filter(({ name }) => name === 'steady-user')
    .map((scenario) => ({ ...scenario, estimates: 2, atLeast: 2 }));
  const differences: string[] = [];
  for (const quirks of nearMisses) {
    const result = await certified(quirks, { ...options, scenarios }, seed);
    differences.push(...differencesFromServer(result));
  }
  return differences;
}

async function certified(
  quirks: Quirks,
  options: SampleOptions,
  seed: number,
): Promise<ClientResult> {
  const { startReference, scenarios, now } = options;
  const { result } = await certifyClient({
    name: 'the sample client',
    scenarios,
    startReference,
    runClient: sampleRunner(quirks, options, seed),
    seed,
    now,
    concurrency: scenarios.length,
    orders: 'yes',
  });
  return result;
}

const TOO_KIND = 'it finds no fault with what the reference server refuses';

/** Runs the sample client with quirks, in this process. */
export function sampleRunner(
  quirks: Quirks,
  { now, sleep }: Pick<SampleOptions, 'now' | 'sleep'>,
  seed: number,
): RunClient {
  let runs = 0;
  return async (environment, timeLimitMs, signal) => {
    // Only self-checks run it, and its HTTP client takes long to load.
    const { SampleClient } = await import('./sample-client.ts');
    const source = new SeededRandom(seed + ++runs * 15_485_863);
    const limit = AbortSignal.timeout(timeLimitMs);
    const both = signal === null ? limit : AbortSignal.any([limit, signal]);
    const runtime = { now, sleep, random: () => source.nostr(), signal: both };
    const exitCode = await new SampleClient(environment, quirks, runtime).run();
    const ended = limit.aborted ? 'time-limit' : signal?.aborted ? 'interrupted' : 'by-itself';
    return { exitCode, ended, output: [] };
  };
}
