import type { CreatedService } from '../create-service.ts';
import type { Front } from '../front.ts';
import { findFreePort, reachableHost } from '../http/node-server.ts';
import type { MovableClock } from '../service/clock.ts';
import type { ForkWorker } from './fork-worker.ts';
import type { WorkerSettings } from './messages.ts';
import { Replication } from './replication.ts';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

/** Options of {@link listenInWorkers}. */
export interface WorkersOptions
  extends Pick<WorkerPoolOptions, 'count' | 'silenceMs' | 'onEntry' | 'onBroken'> {
  readonly clock: MovableClock;
  readonly settings: WorkerSettings;
  readonly fork: ForkWorker;
}

/**
 * Listens in workers. This process keeps the state: it answers token requests, and they answer once every
 * worker has acknowledged what they changed.
 *
 * @throws ConfigurationError as {@link WorkerPool.start}
 */
export async function listenInWorkers(
  { service, state }: CreatedService,
  options: WorkersOptions,
): Promise<Front> {
  const { clock, settings } = options;
  const { host, tls } = settings;
  // node:cluster has all workers of a process share a port, those of another server too.
  const port = await findFreePort(settings.port, host);
  const replication = new Replication(state, clock);
  const pool = new WorkerPool({
    ...options,
    settings: { ...settings, port },
    estimateIds: state.estimateIds,
    replication,
    handler: (request) => service.answer(request),
  });
  await pool.start();
  return {
    baseUrl: `${tls === undefined ? 'http' : 'https'}://${reachableHost(host)}:${port}`,
    port,
    fastPathAnswers: () => pool.fastPathAnswers,
    after: (work) => replication.after(work),
    close: (graceMs) => pool.close(graceMs),
  };
}
