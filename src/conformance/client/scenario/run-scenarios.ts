import { SeededRandom } from '../../seeded-random.ts';
import { runScenario, type ScenarioRun, type ScenarioRunOptions } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';

/** Scenarios to run, with the options of each run. */
export interface ScenariosOptions extends Omit<ScenarioRunOptions, 'source'> {
  readonly scenarios: readonly Scenario[];
  readonly seed: number;
  /** Number of scenarios in parallel. */
  readonly concurrency: number;
  /** Called at the end of each scenario. */
  readonly onScenario?: ((run: ScenarioRun) => void) | undefined;
}

/**
 * Runs a client in each scenario, the longest first.
 *
 * @returns the runs in the order of the scenarios, without those that an abort prevented
 */
export async function runScenarios(options: ScenariosOptions): Promise<ScenarioRun[]> {
  const { scenarios, seed, concurrency, onScenario, signal } = options;
  const queue = [...scenarios.entries()].sort(([, a], [, b]) => durationMs(b) - durationMs(a));
  const runs: (ScenarioRun | undefined)[] = [];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (signal?.aborted) return;
      const [index, scenario] = next;
      const source = new SeededRandom(seed + index * 7919);
      const run = await runScenario(scenario, { ...options, source });
      runs[index] = run;
      onScenario?.(run);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, work));
  return runs.filter((run) => run !== undefined);
}

const durationMs = ({ estimates, intervalMs }: Scenario): number => estimates * intervalMs;
