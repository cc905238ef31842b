import type { RuleResult } from '../../../documents/conformance.ts';
import { SeededRandom } from '../../seeded-random.ts';
import { certifyClient } from '../certify-client.ts';
import type { RunClient, ScenariosOptions } from '../scenario/run-scenario.ts';
import { SampleClient } from './sample-client.ts';
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
 */
export async function judgeSampleClient(
  fault: string | null,
  options: SampleOptions,
  seed: number,
): Promise<readonly RuleResult[]> {
  const wrong = WRONG_CLIENTS.find(({ rule }) => rule === fault);
  const { startReference, scenarios, now } = options;
  const { result } = await certifyClient({
    name: wrong?.mistake ?? 'the sample client',
    scenarios: scenarios.filter(({ name }) => wrong === undefined || name === wrong.scenario),
    startReference,
    runClient: sampleRunner(wrong?.quirks ?? {}, options, seed),
    seed,
    now,
    concurrency: scenarios.length,
    orders: 'yes',
  });
  return result.rules;
}

/** Runs the sample client with quirks, in this process. */
export function sampleRunner(
  quirks: Quirks,
  { now, sleep }: Pick<SampleOptions, 'now' | 'sleep'>,
  seed: number,
): RunClient {
  let runs = 0;
  return async (environment, timeLimitMs, signal) => {
    const source = new SeededRandom(seed + ++runs * 15_485_863);
    const limit = AbortSignal.timeout(timeLimitMs);
    const both = signal === null ? limit : AbortSignal.any([limit, signal]);
    const runtime = { now, sleep, random: () => source.nostr(), signal: both };
    const exitCode = await new SampleClient(environment, quirks, runtime).run();
    const ended = limit.aborted ? 'time-limit' : signal?.aborted ? 'interrupted' : 'by-itself';
    return { exitCode, ended, output: '' };
  };
}
