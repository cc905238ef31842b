import type { AccessLogEntry } from '../http/requests.ts';
import type { EstimateIds } from '../service/estimate/estimate-ids.ts';
import type { Answer, ServiceRequest } from '../service/messages.ts';
import type { ForkWorker } from './fork-worker.ts';
import type { WorkerSettings } from './messages.ts';
import type { Replication } from './replication.ts';
import { BEATS_PER_SILENCE, WorkerLink, type WorkerReport } from './worker-link.ts';

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
