import type { Behaviour } from '../../interface/index.ts';
import type { CreatedService } from '../create-service.ts';
import type { Front } from '../front.ts';
import { findFreePort, reachableHost } from '../http/node-server.ts';
import type { AccessLogEntry } from '../http/requests.ts';
import type { ServerOptions } from '../server-options.ts';
import type { MovableClock } from '../service/clock.ts';
import type { EstimateIds } from '../service/estimate/estimate-ids.ts';
import type { Answer, ServiceRequest } from '../service/messages.ts';
import type { WorkerSettings } from './messages.ts';
import { Replication } from './replication.ts';
import {
  BEATS_PER_SILENCE,
  type ForkWorker,
  WorkerLink,
  type WorkerReport,
} from './worker-link.ts';

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

/** Pause before a worker that could not be replaced is tried again; it doubles up to the longest. */
const RETRY_MS = { first: 100, longest: 5_000 };
/** Time for a worker to end after its grace period, in milliseconds. */
const END_MS = 2_000;
/** Estimate ids have two bytes for the number of a worker. */
const MAX_NUMBER = 65_535;

/** Options of {@link WorkerPool}. */
export interface WorkerPoolOptions {
  readonly count: number;
  readonly fork: ForkWorker;
  readonly settings: WorkerSettings;
  readonly estimateIds: EstimateIds;
  readonly replication: Replication;
  /** Answers what workers do not answer themselves. */
  readonly handler: (request: ServiceRequest) => Answer | Promise<Answer>;
  /** Silence after which a worker is ended and replaced, in milliseconds. */
  readonly silenceMs: number;
  readonly onEntry: (entry: AccessLogEntry) => void;
  readonly onBroken: (status: number) => void;
}

/** The workers of a server. One that ends, or falls silent, is replaced. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #links = new Set<WorkerLink>();
  readonly #heart: NodeJS.Timeout;
  #lastNumber = 0;
  #isClosing = false;
  #retry: NodeJS.Timeout | undefined;
  /** Estimates that the fast paths of former workers have answered. */
  #formerAnswers = 0;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#heart = setInterval(() => this.#beat(), options.silenceMs / BEATS_PER_SILENCE);
    this.#heart.unref();
  }

  /** Estimates that the fast paths have answered, as far as the workers have said. */
  get fastPathAnswers(): number {
    return [...this.#links].reduce((sum, link) => sum + link.fastPathAnswers, this.#formerAnswers);
  }

  /**
   * Starts the workers.
   *
   * @throws ConfigurationError `PORT_IN_USE`, `PORT_NOT_PERMITTED`, `HOST_NOT_AVAILABLE`, `TLS_INVALID` or
   * `WORKERS_NOT_POSSIBLE`
   */
  async start(): Promise<void> {
    const { count } = this.#options;
    try {
      await Promise.all(Array.from({ length: count }, () => this.#open()));
    } catch (error) {
      await this.close(0);
      throw error;
    }
  }

  /** Lets the workers answer what is in flight, and ends them. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#retry);
    for (const link of this.#links) link.send({ kind: 'close', graceMs });
    const cutOff = setTimeout(() => {
      for (const link of this.#links) link.kill();
    }, graceMs + END_MS);
    await Promise.all([...this.#links].map(({ ended }) => ended));
    clearTimeout(cutOff);
    clearInterval(this.#heart);
  }

  /** Starts a worker with a copy of the state; resolves once it listens. */
  async #open(): Promise<void> {
    const { fork, settings, estimateIds, replication } = this.#options;
    this.#lastNumber = (this.#lastNumber % MAX_NUMBER) + 1;
    const key = estimateIds.keyOfWorker(this.#lastNumber);
    const link = new WorkerLink(fork, (message) => this.#take(link, message));
    this.#links.add(link);
    void link.ended.then(() => this.#forget(link));
    await link.loaded;
    link.send({ kind: 'start', settings, key });
    await replication.copyTo(link);
    link.isServing = true;
    link.send({ kind: 'listen' });
    try {
      await link.ready;
    } catch (error) {
      link.kill();
      throw error;
    }
  }

  #take(link: WorkerLink, message: WorkerReport): void {
    const { onEntry, onBroken } = this.#options;
    switch (message.kind) {
      case 'request':
        void this.#answer(link, message.id, message.request);
        break;
      case 'logged':
        onEntry(message.entry);
        break;
      case 'broken':
        onBroken(message.status);
    }
  }

  async #answer(link: WorkerLink, id: number, request: ServiceRequest): Promise<void> {
    const { replication, handler } = this.#options;
    const answer = await replication.after(() => handler(request));
    link.send({ kind: 'answer', id, answer });
  }

  #beat(): void {
    for (const link of this.#links) if (link.beat()) link.kill();
  }

  #forget(link: WorkerLink): void {
    this.#links.delete(link);
    this.#options.replication.forget(link);
    this.#formerAnswers += link.fastPathAnswers;
    if (link.isReady && !this.#isClosing) this.#replace(RETRY_MS.first);
  }

  #replace(retryMs: number): void {
    this.#open().catch(() => {
      if (this.#isClosing) return;
      const next = Math.min(retryMs * 2, RETRY_MS.longest);
      this.#retry = setTimeout(() => this.#replace(next), retryMs);
    });
  }
}

/**
 * Names the option for which a server has one worker: what it does is not shared between processes. Null
 * if there is none.
 */
export function optionOfOneWorker(options: ServerOptions, behaviour: Behaviour): string | null {
  if (options.interceptor !== undefined) return 'interceptor';
  if (options.refusesForeign) return 'refusesForeign';
  if (options.faults !== undefined && options.faults.length > 0) return 'faults';
  if (options.clock !== undefined) return 'clock';
  if (behaviour['estimate-rate-limit'] !== 'none') return 'estimate-rate-limit';
  if (behaviour['ban-reach'] === 'everything') return 'ban-reach: everything';
  if (behaviour['refresh-replay-consequence'] === 'family-ended')
    return 'refresh-replay-consequence: family-ended';
  return null;
}
