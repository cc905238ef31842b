import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type Certification, certifyClient } from '../../../conformance/index.ts';
import { startServer } from '../../../server/index.ts';
import { readInteger } from '../../flags/numbers.ts';
import { type Io, note } from '../../io.ts';
import { processRunner } from './client-process.ts';
import type { CertifyFlags } from './flags.ts';
import type { CertifyLive } from './live.ts';
import { readScenarios } from './scenarios.ts';

/** Runs a client's command in each scenario, and reports each that has ended on stderr. */
export async function runScenarios(
  command: readonly string[],
  flags: CertifyFlags,
  live: CertifyLive | null,
  io: Io,
): Promise<Certification> {
  const scenarios = await readScenarios(flags.scenario, io);
  const runClient = processRunner(command, io);
  live?.expect(scenarios.map(({ name }) => name));
  return certifyClient({
    name: command.join(' '),
    scenarios,
    orders: flags.orders ?? null,
    startReference: (options) => startServer(options),
    runClient: live?.watched(runClient) ?? runClient,
    seed: readInteger(flags.seed, '--seed', { min: 0 }) ?? randomInt(2 ** 31),
    now: Date.now,
    // A client mostly waits between two estimates.
    concurrency: 2 + availableParallelism(),
    onScenario: ({ name, verdict, durationMs }) =>
      note(io, `${name}: ${verdict} (${(durationMs / 1000).toFixed(1)} s)`),
    onExchange: live === null ? undefined : (captured, running) => live.take(captured, running),
    signal: io.interruption(),
  });
}
