import { SeededRandom } from '../../seeded-random.ts';
import type { RuleResult } from '../../verdict.ts';
import { certifyClient } from '../certify-client.ts';
import type { RunClient, StartReference } from '../scenario/run-scenario.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { type Quirks, SampleClient } from './sample-client.ts';
import { WRONG_CLIENTS, type WrongClient } from './wrong-clients.ts';

/** What proving the client side of the checker needs. */
export interface ClientSelfcheckOptions {
  readonly startReference: StartReference;
  readonly scenarios: readonly Scenario[];
  readonly seed: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Wrong clients that are run at the same time. */
  readonly atOnce: number;
  readonly onClient?: ((proof: ClientProof) => void) | undefined;
}

/** Whether a wrong client was found, and nothing else was found in it. */
export interface ClientProof {
  readonly rule: string;
  readonly mistake: string;
  /** Whether the rule turned red. */
  readonly found: boolean;
  readonly reason: string;
  /** Rules that turned red beside it, by necessity or not. */
  readonly also: readonly { readonly rule: string; readonly why: string | null }[];
}

/** Proves, for every client rule, that a client with that mistake turns it red and no other. */
export async function selfcheckClients(
  options: ClientSelfcheckOptions,
): Promise<readonly ClientProof[]> {
  const waiting = [...WRONG_CLIENTS.entries()];
  const proofs: ClientProof[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, client] = next;
      const proof = await prove(client, options, options.seed + index * 104_729);
      proofs[index] = proof;
      options.onClient?.(proof);
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, work));
  return proofs;
}

async function prove(
  client: WrongClient,
  options: ClientSelfcheckOptions,
  seed: number,
): Promise<ClientProof> {
  const rules = await judgeSampleClient(client.rule, options, seed);
  const red = rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  const own = red.find(({ id }) => id === client.rule);
  const necessary: Readonly<Record<string, string>> = client.alsoBreaks;
  return {
    rule: client.rule,
    mistake: client.mistake,
    found: own !== undefined,
    reason: own?.reason ?? 'the rule did not turn red',
    also: red
      .filter(({ id }) => id !== client.rule)
      .map(({ id }) => ({ rule: id, why: necessary[id] ?? null })),
  };
}

/**
 * Judges the sample client with that rule broken, in the scenarios in which it shows, or as it is
 * for null, in all of them.
 */
export async function judgeSampleClient(
  fault: string | null,
  options: Pick<ClientSelfcheckOptions, 'startReference' | 'scenarios' | 'now' | 'sleep'>,
  seed: number,
): Promise<readonly RuleResult[]> {
  const wrong = WRONG_CLIENTS.find(({ rule }) => rule === fault);
  const { result } = await certifyClient({
    name: wrong?.mistake ?? 'the sample client',
    scenarios: options.scenarios.filter(({ name }) => wrong?.scenarios.includes(name) ?? true),
    startReference: options.startReference,
    runClient: sampleRunner(wrong?.quirks ?? {}, options, seed),
    seed,
    now: options.now,
    atOnce: options.scenarios.length,
  });
  return result.rules;
}

/** Runs the sample client, with quirks, in this process. */
export function sampleRunner(
  quirks: Quirks,
  { now, sleep }: Pick<ClientSelfcheckOptions, 'now' | 'sleep'>,
  seed: number,
): RunClient {
  let runs = 0;
  return async (environment, timeLimitMs, signal) => {
    const source = new SeededRandom(seed + ++runs * 15_485_863);
    const limit = AbortSignal.timeout(timeLimitMs);
    const both = signal === null ? limit : AbortSignal.any([limit, signal]);
    const around = { now, sleep, random: () => source.nostr(), signal: both };
    const exitCode = await new SampleClient(environment, quirks, around).run();
    const ended = limit.aborted ? 'time-limit' : signal?.aborted ? 'interrupted' : 'by-itself';
    return { exitCode, ended, output: '' };
  };
}
