import { availableParallelism } from 'node:os';
import {
  type Certification,
  certifyClient,
  ListeningThread,
  MACHINE_CLOCK,
  type Orders,
  type ScenarioProgress,
  StallWatch,
  type SteadyClock,
  steadyClock,
} from '../../conformance/index.ts';
import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { LivePage } from '../../report/index.ts';
import { startServer } from '../../server/index.ts';
import type { Surroundings } from '../surroundings.ts';
import { processRunner } from './client-process.ts';
import { type AskedListening, type ListenWatch, listen } from './listen.ts';
import { CertifyLive } from './live.ts';
import { missingData } from './machine-data.ts';
import { readScenarios } from './scenarios.ts';

/** Client that is to be run in scenarios. */
export interface AskedScenarios {
  readonly command: readonly string[];
  /** Names, globs or files of scenarios; all if there is none. */
  readonly scenarios: readonly string[];
  readonly orders: Orders;
  readonly seed: number;
}

/** Callbacks of a certification, and the page that shows it. */
export interface CertifyWatch extends ListenWatch {
  readonly page: LivePage | null;
  onScenario(ended: ScenarioProgress): void;
  /**
   * Takes the certification.
   *
   * @returns its document, and the folder of its report, which the page shows
   */
  deliver(
    certification: Certification,
  ): Promise<{ readonly document: ConformanceDocument; readonly folder: string }>;
}

/**
 * Judges a client: runs its command in each scenario, or listens to it until interrupted.
 *
 * @throws ConfigurationError as {@link readScenarios} and {@link listen}
 */
export async function certify(
  asked: AskedScenarios | AskedListening,
  watch: CertifyWatch,
  surroundings: Surroundings,
): Promise<void> {
  const machine = steadyClock(MACHINE_CLOCK);
  const stalls = new StallWatch(Date.now);
  const thread = new ListeningThread();
  stalls.start();
  try {
    const live = watch.page && new CertifyLive(watch.page, asked.orders, thread);
    const certification =
      'command' in asked
        ? await runScenarios(asked, { live, machine, stalls, watch }, surroundings)
        : {
            result: await listen(
              asked,
              { thread, machine, delayAt: stalls.delayAt },
              {
                ...watch,
                onRequest: (judged) => {
                  live?.judged(judged.request, judged.broken);
                  watch.onRequest(judged);
                },
              },
              surroundings,
            ),
            outputs: {},
          };
    const { document, folder } = await watch.deliver(certification);
    await live?.end(document, folder);
  } finally {
    stalls.stop();
    await thread.close();
    await watch.page?.close();
  }
}

async function runScenarios(
  { command, scenarios: names, orders, seed }: AskedScenarios,
  {
    live,
    machine,
    stalls,
    watch,
  }: {
    readonly live: CertifyLive | null;
    readonly machine: SteadyClock;
    readonly stalls: StallWatch;
    readonly watch: CertifyWatch;
  },
  surroundings: Surroundings,
): Promise<Certification> {
  const scenarios = await readScenarios(names, surroundings);
  live?.expect(scenarios.map(({ name }) => name));
  return certifyClient({
    name: command.join(' '),
    scenarios,
    orders,
    startReference: (options) => startServer(options),
    runClient: processRunner(command, surroundings),
    // Of scenarios that were asked for by name, the client may know which one it is in.
    isBlind: names.length === 0,
    lacks: await missingData(scenarios, surroundings),
    seed,
    now: Date.now,
    machine,
    stalls,
    // A client mostly waits between two estimates.
    concurrency: 2 + availableParallelism(),
    onStart: (name) => live?.show(name, 'running'),
    onScenario: (ended) => {
      live?.show(ended.name, 'ended');
      watch.onScenario(ended);
    },
    onExchange: live === null ? undefined : (captured, running) => live.take(captured, running),
    signal: surroundings.interruption(),
  });
}
